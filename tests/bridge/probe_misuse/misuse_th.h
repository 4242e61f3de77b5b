/* tests/bridge/probe_misuse/misuse_th.h: the same for functions of old projects. */

void th_tensor(THFloatTensor *output, THFloatTensor *value);
void th_storage(THFloatTensor *output, THFloatStorage *value);
void th_int(THFloatTensor *output, int value);
void th_float(THFloatTensor *output, float value);
void th_floats(THFloatTensor *output, float *value);
void th_text(THFloatTensor *output, char *value); /* its first character becomes X */
void th_const_text(THFloatTensor *output, const char *value);
void th_function(THFloatTensor *output, int (*value)(int));
double th_sum_after(void (*between)(void), THFloatTensor *values); /* calls it, then adds up */
int th_count(const char *format, ...); /* the elements of as many THFloatTensor * as the format has characters */
THFloatTensor *th_chosen(const char *format, ...); /* that of the format's 'x', retained; for 'n' a new one */
void th_behind(THIntTensor *victim, int count);
