/* TH/THTensorDimApply.h: loops over the 1-D slices of one to three tensors along a dimension.
 *
 * TH_TENSOR_DIM_APPLY(TYPE, T, DIMENSION, CODE), ...2(TYPE1, T1, TYPE2, T2, DIMENSION, CODE) and ...3(..., DIMENSION,
 * SIZE_CHECK, CODE) run CODE once for each slice, the lowest of the other dimensions fastest. Tensors have the same
 * sizes apart from DIMENSION; SIZE_CHECK names the macro that checks it for three, given (T1, T2, T3, DIMENSION).
 *
 * Tensor arguments are identifiers. CODE sees, for each tensor T, T_data (the first element of the slice), T_stride and
 * T_size (along DIMENSION), and TH_TENSOR_DIM_APPLY_i, TH_TENSOR_DIM_APPLY_counter (memory that code which raises gives
 * to THFree) and TH_TENSOR_DIM_APPLY_hasFinished (set it to 1 to stop after CODE).
 */
#ifndef TH_TENSOR_DIM_APPLY_INC
#define TH_TENSOR_DIM_APPLY_INC

#include "THGeneral.h"

#define TH_TENSOR_DIM_APPLY(TYPE, T, DIMENSION, CODE)                                                                  \
  {                                                                                                                    \
    TYPE *T##_data = (TYPE *)0;                                                                                        \
    int64_t T##_stride = 0, T##_size = 0;                                                                              \
    int64_t *TH_TENSOR_DIM_APPLY_counter = (int64_t *)0;                                                               \
    int TH_TENSOR_DIM_APPLY_hasFinished = 0;                                                                           \
    int TH_TENSOR_DIM_APPLY_i;                                                                                         \
    if ((DIMENSION) < 0 || (DIMENSION) >= T->nDimension) {                                                             \
      TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                             \
      THError("invalid dimension %d (expected to be 0 <= dim < %d)", (int)(DIMENSION), T->nDimension);                 \
    }                                                                                                                  \
    if (!TH_TENSOR_DIM_APPLY_hasFinished) {                                                                            \
      TH_TENSOR_DIM_APPLY_counter = (int64_t *)THAlloc((ptrdiff_t)sizeof(int64_t) * T->nDimension);                    \
      for (TH_TENSOR_DIM_APPLY_i = 0; TH_TENSOR_DIM_APPLY_i < T->nDimension; TH_TENSOR_DIM_APPLY_i++)                  \
        TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] = 0;                                                        \
      T##_data = (TYPE *)T->storage->data + T->storageOffset;                                                          \
      T##_stride = T->stride[DIMENSION];                                                                               \
      T##_size = T->size[DIMENSION];                                                                                   \
      (void)T##_stride, (void)T##_size;                                                                                \
    }                                                                                                                  \
    while (!TH_TENSOR_DIM_APPLY_hasFinished) {                                                                         \
      CODE                                                                                                             \
      if (TH_TENSOR_DIM_APPLY_hasFinished) break;                                                                      \
      TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                             \
      for (TH_TENSOR_DIM_APPLY_i = 0; TH_TENSOR_DIM_APPLY_i < T->nDimension; TH_TENSOR_DIM_APPLY_i++) {                \
        if (TH_TENSOR_DIM_APPLY_i == (DIMENSION)) continue;                                                            \
        T##_data += T->stride[TH_TENSOR_DIM_APPLY_i];                                                                  \
        if (++TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] < T->size[TH_TENSOR_DIM_APPLY_i]) {                   \
          TH_TENSOR_DIM_APPLY_hasFinished = 0;                                                                         \
          break;                                                                                                       \
        }                                                                                                              \
        T##_data -= TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] * T->stride[TH_TENSOR_DIM_APPLY_i];             \
        TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] = 0;                                                        \
      }                                                                                                                \
    }                                                                                                                  \
    THFree(TH_TENSOR_DIM_APPLY_counter);                                                                               \
  }

#define TH_TENSOR_DIM_APPLY2(TYPE1, T1, TYPE2, T2, DIMENSION, CODE)                                                    \
  {                                                                                                                    \
    TYPE1 *T1##_data = (TYPE1 *)0;                                                                                     \
    int64_t T1##_stride = 0, T1##_size = 0;                                                                            \
    TYPE2 *T2##_data = (TYPE2 *)0;                                                                                     \
    int64_t T2##_stride = 0, T2##_size = 0;                                                                            \
    int64_t *TH_TENSOR_DIM_APPLY_counter = (int64_t *)0;                                                               \
    int TH_TENSOR_DIM_APPLY_hasFinished = 0;                                                                           \
    int TH_TENSOR_DIM_APPLY_i;                                                                                         \
    if ((DIMENSION) < 0 || (DIMENSION) >= T1->nDimension) {                                                            \
      TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                             \
      THError("invalid dimension %d (expected to be 0 <= dim < %d)", (int)(DIMENSION), T1->nDimension);                \
    }                                                                                                                  \
    if (!TH_TENSOR_DIM_APPLY_hasFinished && (T1->nDimension != T2->nDimension)) {                                      \
      THDescBuff T1##_buff = _THSizeDesc(T1->size, T1->nDimension);                                                    \
      THDescBuff T2##_buff = _THSizeDesc(T2->size, T2->nDimension);                                                    \
      TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                             \
      THError("inconsistent tensor size, expected %s %s and %s %s to have the same number of dimensions",              \
              #T1, T1##_buff.str, #T2, T2##_buff.str);                                                                 \
    }                                                                                                                  \
    for (TH_TENSOR_DIM_APPLY_i = 0; !TH_TENSOR_DIM_APPLY_hasFinished && TH_TENSOR_DIM_APPLY_i < T1->nDimension;        \
         TH_TENSOR_DIM_APPLY_i++) {                                                                                    \
      if (TH_TENSOR_DIM_APPLY_i != (DIMENSION) &&                                                                      \
          T1->size[TH_TENSOR_DIM_APPLY_i] != T2->size[TH_TENSOR_DIM_APPLY_i]) {                                        \
        THDescBuff T1##_buff = _THSizeDesc(T1->size, T1->nDimension);                                                  \
        THDescBuff T2##_buff = _THSizeDesc(T2->size, T2->nDimension);                                                  \
        TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                           \
        THError("Expected %s %s and %s %s to have the same size in dimension %d", #T1, T1##_buff.str, #T2,             \
                T2##_buff.str, (int)(DIMENSION));                                                                      \
      }                                                                                                                \
    }                                                                                                                  \
    if (!TH_TENSOR_DIM_APPLY_hasFinished) {                                                                            \
      TH_TENSOR_DIM_APPLY_counter = (int64_t *)THAlloc((ptrdiff_t)sizeof(int64_t) * T1->nDimension);                   \
      for (TH_TENSOR_DIM_APPLY_i = 0; TH_TENSOR_DIM_APPLY_i < T1->nDimension; TH_TENSOR_DIM_APPLY_i++)                 \
        TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] = 0;                                                        \
      T1##_data = (TYPE1 *)T1->storage->data + T1->storageOffset;                                                      \
      T1##_stride = T1->stride[DIMENSION];                                                                             \
      T1##_size = T1->size[DIMENSION];                                                                                 \
      (void)T1##_stride, (void)T1##_size;                                                                              \
      T2##_data = (TYPE2 *)T2->storage->data + T2->storageOffset;                                                      \
      T2##_stride = T2->stride[DIMENSION];                                                                             \
      T2##_size = T2->size[DIMENSION];                                                                                 \
      (void)T2##_stride, (void)T2##_size;                                                                              \
    }                                                                                                                  \
    while (!TH_TENSOR_DIM_APPLY_hasFinished) {                                                                         \
      CODE                                                                                                             \
      if (TH_TENSOR_DIM_APPLY_hasFinished) break;                                                                      \
      TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                             \
      for (TH_TENSOR_DIM_APPLY_i = 0; TH_TENSOR_DIM_APPLY_i < T1->nDimension; TH_TENSOR_DIM_APPLY_i++) {               \
        if (TH_TENSOR_DIM_APPLY_i == (DIMENSION)) continue;                                                            \
        T1##_data += T1->stride[TH_TENSOR_DIM_APPLY_i];                                                                \
        T2##_data += T2->stride[TH_TENSOR_DIM_APPLY_i];                                                                \
        if (++TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] < T1->size[TH_TENSOR_DIM_APPLY_i]) {                  \
          TH_TENSOR_DIM_APPLY_hasFinished = 0;                                                                         \
          break;                                                                                                       \
        }                                                                                                              \
        T1##_data -= TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] * T1->stride[TH_TENSOR_DIM_APPLY_i];           \
        T2##_data -= TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] * T2->stride[TH_TENSOR_DIM_APPLY_i];           \
        TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] = 0;                                                        \
      }                                                                                                                \
    }                                                                                                                  \
    THFree(TH_TENSOR_DIM_APPLY_counter);                                                                               \
  }

#define TH_TENSOR_DIM_APPLY3_SIZE_EQ_EXCEPT_DIM(T1, T2, T3, DIMENSION)                                                 \
  for (TH_TENSOR_DIM_APPLY_i = 0; TH_TENSOR_DIM_APPLY_i < T1->nDimension; TH_TENSOR_DIM_APPLY_i++) {                   \
    if (TH_TENSOR_DIM_APPLY_i != (DIMENSION) &&                                                                        \
        (T1->size[TH_TENSOR_DIM_APPLY_i] != T2->size[TH_TENSOR_DIM_APPLY_i] ||                                         \
         T1->size[TH_TENSOR_DIM_APPLY_i] != T3->size[TH_TENSOR_DIM_APPLY_i])) {                                        \
      THDescBuff T1##_buff = _THSizeDesc(T1->size, T1->nDimension);                                                    \
      THDescBuff T2##_buff = _THSizeDesc(T2->size, T2->nDimension);                                                    \
      THDescBuff T3##_buff = _THSizeDesc(T3->size, T3->nDimension);                                                    \
      TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                             \
      THError("Expected %s %s, %s %s and %s %s to have the same size apart from dimension %d", #T1, T1##_buff.str,     \
              #T2, T2##_buff.str, #T3, T3##_buff.str, (int)(DIMENSION));                                               \
      break;                                                                                                           \
    }                                                                                                                  \
  }

#define TH_TENSOR_DIM_APPLY3(TYPE1, T1, TYPE2, T2, TYPE3, T3, DIMENSION, SIZE_CHECK, CODE)                             \
  {                                                                                                                    \
    TYPE1 *T1##_data = (TYPE1 *)0;                                                                                     \
    int64_t T1##_stride = 0, T1##_size = 0;                                                                            \
    TYPE2 *T2##_data = (TYPE2 *)0;                                                                                     \
    int64_t T2##_stride = 0, T2##_size = 0;                                                                            \
    TYPE3 *T3##_data = (TYPE3 *)0;                                                                                     \
    int64_t T3##_stride = 0, T3##_size = 0;                                                                            \
    int64_t *TH_TENSOR_DIM_APPLY_counter = (int64_t *)0;                                                               \
    int TH_TENSOR_DIM_APPLY_hasFinished = 0;                                                                           \
    int TH_TENSOR_DIM_APPLY_i;                                                                                         \
    if ((DIMENSION) < 0 || (DIMENSION) >= T1->nDimension) {                                                            \
      TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                             \
      THError("invalid dimension %d (expected to be 0 <= dim < %d)", (int)(DIMENSION), T1->nDimension);                \
    }                                                                                                                  \
    if (!TH_TENSOR_DIM_APPLY_hasFinished && (T1->nDimension != T2->nDimension || T1->nDimension != T3->nDimension)) {  \
      THDescBuff T1##_buff = _THSizeDesc(T1->size, T1->nDimension);                                                    \
      THDescBuff T2##_buff = _THSizeDesc(T2->size, T2->nDimension);                                                    \
      THDescBuff T3##_buff = _THSizeDesc(T3->size, T3->nDimension);                                                    \
      TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                             \
      THError("inconsistent tensor size, expected %s %s, %s %s and %s %s to have the same number of dimensions",       \
              #T1, T1##_buff.str, #T2, T2##_buff.str, #T3, T3##_buff.str);                                             \
    }                                                                                                                  \
    if (!TH_TENSOR_DIM_APPLY_hasFinished) {                                                                            \
      SIZE_CHECK(T1, T2, T3, DIMENSION)                                                                                \
    }                                                                                                                  \
    if (!TH_TENSOR_DIM_APPLY_hasFinished) {                                                                            \
      TH_TENSOR_DIM_APPLY_counter = (int64_t *)THAlloc((ptrdiff_t)sizeof(int64_t) * T1->nDimension);                   \
      for (TH_TENSOR_DIM_APPLY_i = 0; TH_TENSOR_DIM_APPLY_i < T1->nDimension; TH_TENSOR_DIM_APPLY_i++)                 \
        TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] = 0;                                                        \
      T1##_data = (TYPE1 *)T1->storage->data + T1->storageOffset;                                                      \
      T1##_stride = T1->stride[DIMENSION];                                                                             \
      T1##_size = T1->size[DIMENSION];                                                                                 \
      (void)T1##_stride, (void)T1##_size;                                                                              \
      T2##_data = (TYPE2 *)T2->storage->data + T2->storageOffset;                                                      \
      T2##_stride = T2->stride[DIMENSION];                                                                             \
      T2##_size = T2->size[DIMENSION];                                                                                 \
      (void)T2##_stride, (void)T2##_size;                                                                              \
      T3##_data = (TYPE3 *)T3->storage->data + T3->storageOffset;                                                      \
      T3##_stride = T3->stride[DIMENSION];                                                                             \
      T3##_size = T3->size[DIMENSION];                                                                                 \
      (void)T3##_stride, (void)T3##_size;                                                                              \
    }                                                                                                                  \
    while (!TH_TENSOR_DIM_APPLY_hasFinished) {                                                                         \
      CODE                                                                                                             \
      if (TH_TENSOR_DIM_APPLY_hasFinished) break;                                                                      \
      TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                             \
      for (TH_TENSOR_DIM_APPLY_i = 0; TH_TENSOR_DIM_APPLY_i < T1->nDimension; TH_TENSOR_DIM_APPLY_i++) {               \
        if (TH_TENSOR_DIM_APPLY_i == (DIMENSION)) continue;                                                            \
        T1##_data += T1->stride[TH_TENSOR_DIM_APPLY_i];                                                                \
        T2##_data += T2->stride[TH_TENSOR_DIM_APPLY_i];                                                                \
        T3##_data += T3->stride[TH_TENSOR_DIM_APPLY_i];                                                                \
        if (++TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] < T1->size[TH_TENSOR_DIM_APPLY_i]) {                  \
          TH_TENSOR_DIM_APPLY_hasFinished = 0;                                                                         \
          break;                                                                                                       \
        }                                                                                                              \
        T1##_data -= TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] * T1->stride[TH_TENSOR_DIM_APPLY_i];           \
        T2##_data -= TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] * T2->stride[TH_TENSOR_DIM_APPLY_i];           \
        T3##_data -= TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] * T3->stride[TH_TENSOR_DIM_APPLY_i];           \
        TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] = 0;                                                        \
      }                                                                                                                \
    }                                                                                                                  \
    THFree(TH_TENSOR_DIM_APPLY_counter);                                                                               \
  }

#endif
