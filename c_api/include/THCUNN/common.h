/* THCUNN/common.h: what kernels of neural networks were written with: loops over a grid, checks of tensors. */
#ifndef THCUNN_COMMON_H
#define THCUNN_COMMON_H

#include <THC/THC.h>

/* for (i over all of n) on a grid of GET_BLOCKS(n) blocks of CUDA_NUM_THREADS threads. */
#ifndef CUDA_KERNEL_LOOP
#define CUDA_KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#endif

#ifdef __cplusplus
static const int CUDA_NUM_THREADS = 1024;
static inline int GET_BLOCKS(const int n) { return (n + CUDA_NUM_THREADS - 1) / CUDA_NUM_THREADS; }
#endif

#define THNN_(NAME) TH_CONCAT_3(THNN_, CReal, NAME)
#define THCIndexTensor THCudaLongTensor
#define THCIndexTensor_(NAME) THCudaLongTensor_##NAME
#define THIndexTensor THLongTensor
#define THIndexTensor_(NAME) THLongTensor_##NAME

/* In files of a generic type. */
#define THCUNN_assertSameGPU(...)                                                                                      \
  THAssertMsg(THCTensor_(checkGPU)(__VA_ARGS__),                                                                       \
              "Some of weight/gradient/input tensors are located on different GPUs. Please move them to a single one.")

#define THCUNN_check_shape(STATE, I1, I2)                                                                              \
  if (I1 != NULL && I2 != NULL && !THCTensor_(isSameSizeAs)(STATE, I1, I2)) {                                          \
    THCDescBuff s1 = THCTensor_(sizeDesc)(STATE, I1), s2 = THCTensor_(sizeDesc)(STATE, I2);                            \
    THError(#I1 " and " #I2 " shapes do not match: " #I1 " %s, " #I2 " %s", s1.str, s2.str);                           \
  }

#define THCUNN_check_nElement(STATE, I1, I2)                                                                           \
  if (I1 != NULL && I2 != NULL && THCTensor_(nElement)(STATE, I1) != THCTensor_(nElement)(STATE, I2)) {                \
    THCDescBuff s1 = THCTensor_(sizeDesc)(STATE, I1), s2 = THCTensor_(sizeDesc)(STATE, I2);                            \
    THError(#I1 " and " #I2 " have different number of elements: " #I1 "%s has %ld elements, while " #I2               \
            "%s has %ld elements", s1.str, (long)THCTensor_(nElement)(STATE, I1), s2.str,                              \
            (long)THCTensor_(nElement)(STATE, I2));                                                                    \
  }

#define THCUNN_check_dim_size(STATE, T, DIM, DIM_SIZE, SIZE)                                                           \
  if (THCTensor_(nDimension)(STATE, T) != DIM || THCTensor_(size)(STATE, T, DIM_SIZE) != SIZE) {                       \
    THCDescBuff s1 = THCTensor_(sizeDesc)(STATE, T);                                                                   \
    THError("Need " #T " of dimension %d and " #T ".size[%d] == %d but got " #T " to be of shape: %s", (int)(DIM),     \
            (int)(DIM_SIZE), (int)(SIZE), s1.str);                                                                     \
  }

/* The same for a tensor of indices. */
#define THCUNN_check_dim_size_indices(STATE, T, DIM, DIM_SIZE, SIZE)                                                   \
  if (THCIndexTensor_(nDimension)(STATE, T) != DIM || THCIndexTensor_(size)(STATE, T, DIM_SIZE) != SIZE) {             \
    THCDescBuff s1 = THCIndexTensor_(sizeDesc)(STATE, T);                                                              \
    THError("Need " #T " of dimension %d and " #T ".size[%d] == %d but got " #T " to be of shape: %s", (int)(DIM),     \
            (int)(DIM_SIZE), (int)(SIZE), s1.str);                                                                     \
  }

/* I1 holds indices, I2 is of the generic type. */
#define THCUNN_check_shape_indices(STATE, I1, I2)                                                                      \
  {                                                                                                                    \
    THLongStorage *size2 = THCTensor_(newSizeOf)(STATE, I2);                                                           \
    const int same = THCIndexTensor_(isSize)(STATE, I1, size2);                                                        \
    THLongStorage_free(size2);                                                                                         \
    if (!same) {                                                                                                       \
      THCDescBuff s1 = THCIndexTensor_(sizeDesc)(STATE, I1), s2 = THCTensor_(sizeDesc)(STATE, I2);                     \
      THError(#I1 " and " #I2 " shapes do not match: " #I1 " %s, " #I2 " %s", s1.str, s2.str);                         \
    }                                                                                                                  \
  }

#endif
