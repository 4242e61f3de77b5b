/* tests/bridge/probe_misuse/misuse_th.c */
#include <TH/TH.h>

#include <stdarg.h>

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

double th_sum_after(void (*between)(void), THFloatTensor *values) {
    between();
    return THFloatTensor_sumall(values);
}

int th_count(const char *format, ...) {
    va_list values;
    ptrdiff_t count = 0;
    va_start(values, format);
    for (; *format != '\0'; ++format) count += THFloatTensor_nElement(va_arg(values, THFloatTensor *));
    va_end(values);
    return (int)count;
}

THFloatTensor *th_chosen(const char *format, ...) {
    va_list values;
    THFloatTensor *chosen = NULL;
    va_start(values, format);
    for (; *format != '\0'; ++format) {
        THFloatTensor *each = va_arg(values, THFloatTensor *);
        if (*format == 'x') THFloatTensor_retain(chosen = each);
        if (*format == 'n') chosen = THFloatTensor_newWithSize1d(THFloatTensor_nElement(each));
    }
    va_end(values);
    if (chosen != NULL) THFloatTensor_fill(chosen, 7);
    return chosen;
}

void th_behind(THIntTensor *victim, int count) { THIntTensor_fill(victim, count); }
