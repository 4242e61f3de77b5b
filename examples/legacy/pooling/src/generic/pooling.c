/* src/generic/pooling.c: what is for float and double. */
#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/pooling.c"
#else

/* The largest value of each window of a plane, and its place, y * width + x. Output and indices are resized. */
int pooling_(forward)(THTensor *input, THTensor *output, THLongTensor *indices, int kernel, int stride)
{
  THArgCheck(input->nDimension == 4, 1, "expected a batch of images (4D), got %dD", input->nDimension);
  THArgCheck(kernel > 0, 4, "expected a positive kernel, got %d", kernel);
  THArgCheck(stride > 0, 5, "expected a positive stride, got %d", stride);
  THArgCheck(input->size[2] >= kernel && input->size[3] >= kernel, 1, "images are smaller than the kernel, %d", kernel);

  long planes = input->size[0] * input->size[1];
  long height = input->size[2], width = input->size[3];
  long out_height = (height - kernel) / stride + 1, out_width = (width - kernel) / stride + 1;
  long plane;

  THTensor_(resize4d)(output, input->size[0], input->size[1], out_height, out_width);
  THLongTensor_resize4d(indices, input->size[0], input->size[1], out_height, out_width);
  input = THTensor_(newContiguous)(input);
  real *input_data = input->storage->data + input->storageOffset;
  real *output_data = THTensor_(data)(output);
  int64_t *indices_data = THLongTensor_data(indices);

#pragma omp parallel for private(plane)
  for (plane = 0; plane < planes; plane++) {
    real *image = input_data + plane * height * width;
    long at = plane * out_height * out_width;
    for (long y = 0; y < out_height; y++) {
      for (long x = 0; x < out_width; x++, at++) {
        long best = y * stride * width + x * stride;
        for (long row = y * stride; row < y * stride + kernel; row++)
          for (long column = x * stride; column < x * stride + kernel; column++)
            if (image[row * width + column] > image[best])
              best = row * width + column;
        output_data[at] = image[best];
        indices_data[at] = best;
      }
    }
  }
  THTensor_(free)(input);
  return 1;
}

/* output = the values of each plane of input at indices: what unpool passes back. */
int pooling_(take)(THTensor *input, THLongTensor *indices, THTensor *output)
{
  THArgCheck(input->nDimension == 4, 1, "expected a batch of images (4D), got %dD", input->nDimension);
  THArgCheck(indices->nDimension == 4, 2, "expected 4D indices, got %dD", indices->nDimension);
  THTensor *planes = THTensor_(newContiguous)(input);
  THLongTensor *places = THLongTensor_newContiguous(indices);
  long count = planes->size[0] * planes->size[1], size = planes->size[2] * planes->size[3];
  long places_size = places->size[2] * places->size[3];

  THTensor_(resize4d)(output, indices->size[0], indices->size[1], indices->size[2], indices->size[3]);
  for (long plane = 0; plane < count; plane++)
    for (long i = plane * places_size; i < (plane + 1) * places_size; i++)
      THTensor_(data)(output)[i] = THTensor_(data)(planes)[plane * size + THLongTensor_data(places)[i]];
  THLongTensor_free(places);
  THTensor_(free)(planes);
  return 1;
}

/* The sum of sqrt(x * x + width * width) - width, and its slope in every x. Any layout. */
double pooling_(robust)(THTensor *input, THTensor *slope, double width)
{
  accreal sum = 0;
  THArgCheck(width > 0, 3, "expected a positive width, got %g", width);
  THTensor_(resizeAs)(slope, input);
  TH_TENSOR_APPLY2(real, input, real, slope,
    accreal x = *input_data;
    accreal distance = sqrt(x * x + width * width);
    sum += distance - width;
    *slope_data = x / distance;
  );
  return sum;
}

#endif
