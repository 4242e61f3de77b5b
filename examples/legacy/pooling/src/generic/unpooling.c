/* src/generic/unpooling.c: what is for every type, so that labels can be unpooled as well. */
#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/unpooling.c"
#else

/* Planes of zeros to which each value is added at its place; output is resized. Values may have any layout. */
int pooling_(unpool)(THTensor *values, THLongTensor *indices, THTensor *output, int height, int width)
{
  THArgCheck(values->nDimension == 4, 1, "expected a batch of images (4D), got %dD", values->nDimension);
  THArgCheck(indices->nDimension == 4 && THLongTensor_nElement(indices) == THTensor_(nElement)(values), 2,
             "expected an index for each value");
  THArgCheck(THLongTensor_minall(indices) >= 0 && THLongTensor_maxall(indices) < (long)height * width, 2,
             "an index is outside of images of %d x %d", height, width);

  long channels = values->size[1], rows = values->size[2], columns = values->size[3];
  long planes = values->size[0] * channels;
  long plane;

  THTensor_(resize4d)(output, values->size[0], channels, height, width);
  THTensor_(zero)(output);
  indices = THLongTensor_newContiguous(indices);

#pragma omp parallel for private(plane)
  for (plane = 0; plane < planes; plane++) {
    real *from = values->storage->data + values->storageOffset
                 + plane / channels * values->stride[0] + plane % channels * values->stride[1];
    real *to = THTensor_(data)(output) + plane * height * width;
    int64_t *place = THLongTensor_data(indices) + plane * rows * columns;
    for (long y = 0; y < rows; y++)
      for (long x = 0; x < columns; x++)
        to[*place++] += from[y * values->stride[2] + x * values->stride[3]];
  }
  THLongTensor_free(indices);
  return 1;
}

#endif
