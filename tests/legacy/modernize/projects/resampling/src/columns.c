#include <TH/TH.h>

/* output[r][c * times + i] = scale * input[r][c] */
int columns_repeat(THFloatTensor *input, int times, float scale, THFloatTensor *output)
{
  long rows = THFloatTensor_size(input, 0), columns = THFloatTensor_size(input, 1), r, c, i;
  float *from, *to;
  input = THFloatTensor_newContiguous(input);
  THFloatTensor_resize2d(output, rows, columns * times);
  from = THFloatTensor_data(input);
  to = THFloatTensor_data(output);
  for (r = 0; r < rows; r++)
    for (c = 0; c < columns; c++)
      for (i = 0; i < times; i++)
        to[(r * columns + c) * times + i] = scale * from[r * columns + c];
  THFloatTensor_free(input);
  return 1;
}

int columns_repeat_grad(THFloatTensor *grad_output, int times, float scale, THFloatTensor *grad_input)
{
  long rows = THFloatTensor_size(grad_output, 0), columns = THFloatTensor_size(grad_output, 1) / times, r, c, i;
  float *from, *to;
  grad_output = THFloatTensor_newContiguous(grad_output);
  THFloatTensor_resize2d(grad_input, rows, columns);
  THFloatTensor_zero(grad_input);
  from = THFloatTensor_data(grad_output);
  to = THFloatTensor_data(grad_input);
  for (r = 0; r < rows; r++)
    for (c = 0; c < columns; c++)
      for (i = 0; i < times; i++)
        to[r * columns + c] += scale * from[(r * columns + c) * times + i];
  THFloatTensor_free(grad_output);
  return 1;
}

/* total += weight * input */
int columns_add(THFloatTensor *total, float weight, THFloatTensor *input)
{
  THFloatTensor_cadd(total, total, weight, input);
  return 1;
}

/* output[r][c] = input[r][c - by], fill where there is none */
int columns_shift(THFloatTensor *input, int by, float fill, THFloatTensor *output)
{
  long rows = THFloatTensor_size(input, 0), columns = THFloatTensor_size(input, 1), r, c;
  THFloatTensor_resizeAs(output, input);
  THFloatTensor_fill(output, fill);
  for (r = 0; r < rows; r++)
    for (c = 0; c < columns; c++)
      if (c - by >= 0 && c - by < columns)
        THFloatTensor_set2d(output, r, c, THFloatTensor_get2d(input, r, c - by));
  return 1;
}
