/* tests/bridge/probe_misuse/misuse_th.c */
#include <TH/TH.h>

void th_tensor(THFloatTensor *output, THFloatTensor *value) { THFloatTensor_fill(output, 1); }
void th_storage(THFloatTensor *output, THFloatStorage *value) { THFloatTensor_fill(output, 1); }
void th_int(THFloatTensor *output, int value) { THFloatTensor_fill(output, 1); }
void th_float(THFloatTensor *output, float value) { THFloatTensor_fill(output, 1); }
void th_floats(THFloatTensor *output, float *value) { THFloatTensor_fill(output, 1); }
void th_text(THFloatTensor *output, char *value) {
    THFloatTensor_fill(output, 1);
    if (value != NULL) value[0] = 'X';
}
void th_const_text(THFloatTensor *output, const char *value) { THFloatTensor_fill(output, 1); }
void th_function(THFloatTensor *output, int (*value)(int)) {
    THFloatTensor_fill(output, value == NULL ? 0 : (float)value(0));
}
