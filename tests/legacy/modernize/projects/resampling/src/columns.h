int columns_repeat(THFloatTensor *input, int times, float scale, THFloatTensor *output);
int columns_repeat_grad(THFloatTensor *grad_output, int times, float scale, THFloatTensor *grad_input);
int columns_add(THFloatTensor *total, float weight, THFloatTensor *input);
int columns_shift(THFloatTensor *input, int by, float fill, THFloatTensor *output);
