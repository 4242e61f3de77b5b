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

/* For each tensor: what CODE sees. */
#define THAW_DIM_APPLY_DECLARE(TYPE, T)                                                                                \
  TYPE *T##_data = (TYPE *)0;                                                                                          \
  int64_t T##_stride = 0, T##_size = 0;

#define THAW_DIM_APPLY_START(TYPE, T, DIMENSION)                                                                       \
  T##_data = (TYPE *)T->storage->data + T->storageOffset;                                                              \
  T##_stride = T->stride[DIMENSION];                                                                                   \
  T##_size = T->size[DIMENSION];                                                                                       \
  (void)T##_stride, (void)T##_size;

#define THAW_DIM_APPLY_DESCRIBE(T) THDescBuff T##_buff = _THSizeDesc(T->size, T->nDimension);

/* One further along dimension i, and back to its begin. */
#define THAW_DIM_APPLY_STEP(T) T##_data += T->stride[TH_TENSOR_DIM_APPLY_i];
#define THAW_DIM_APPLY_REWIND(T) T##_data -= (T->size[TH_TENSOR_DIM_APPLY_i] - 1) * T->stride[TH_TENSOR_DIM_APPLY_i];

/* For all tensors together; T is the first. */
#define THAW_DIM_APPLY_CHECK(T, DIMENSION)                                                                             \
  int64_t *TH_TENSOR_DIM_APPLY_counter = (int64_t *)0;                                                                 \
  int TH_TENSOR_DIM_APPLY_hasFinished = 0;                                                                             \
  int TH_TENSOR_DIM_APPLY_i;                                                                                           \
  if ((DIMENSION) < 0 || (DIMENSION) >= T->nDimension) {                                                               \
    TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                               \
    THError("invalid dimension %d (expected to be 0 <= dim < %d)", (int)(DIMENSION), T->nDimension);                   \
  }

#define THAW_DIM_APPLY_COUNTER(T)                                                                                      \
  TH_TENSOR_DIM_APPLY_counter = (int64_t *)THAlloc((ptrdiff_t)sizeof(int64_t) * T->nDimension);                        \
  for (TH_TENSOR_DIM_APPLY_i = 0; TH_TENSOR_DIM_APPLY_i < T->nDimension; TH_TENSOR_DIM_APPLY_i++)                      \
    TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] = 0;

#define THAW_DIM_APPLY_NEXT(T, DIMENSION, STEPS, REWINDS)                                                              \
  if (TH_TENSOR_DIM_APPLY_hasFinished) break;                                                                          \
  TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                                 \
  for (TH_TENSOR_DIM_APPLY_i = 0; TH_TENSOR_DIM_APPLY_i < T->nDimension; TH_TENSOR_DIM_APPLY_i++) {                    \
    if (TH_TENSOR_DIM_APPLY_i == (DIMENSION)) continue;                                                                \
    if (++TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] < T->size[TH_TENSOR_DIM_APPLY_i]) {                       \
      STEPS                                                                                                            \
      TH_TENSOR_DIM_APPLY_hasFinished = 0;                                                                             \
      break;                                                                                                           \
    }                                                                                                                  \
    REWINDS                                                                                                            \
    TH_TENSOR_DIM_APPLY_counter[TH_TENSOR_DIM_APPLY_i] = 0;                                                            \
  }

#define TH_TENSOR_DIM_APPLY(TYPE, T, DIMENSION, CODE)                                                                  \
  {                                                                                                                    \
    THAW_DIM_APPLY_DECLARE(TYPE, T)                                                                                    \
    THAW_DIM_APPLY_CHECK(T, DIMENSION)                                                                                 \
    if (!TH_TENSOR_DIM_APPLY_hasFinished) {                                                                            \
      THAW_DIM_APPLY_COUNTER(T)                                                                                        \
      THAW_DIM_APPLY_START(TYPE, T, DIMENSION)                                                                         \
    }                                                                                                                  \
    while (!TH_TENSOR_DIM_APPLY_hasFinished) {                                                                         \
      CODE                                                                                                             \
      THAW_DIM_APPLY_NEXT(T, DIMENSION, THAW_DIM_APPLY_STEP(T), THAW_DIM_APPLY_REWIND(T))                              \
    }                                                                                                                  \
    THFree(TH_TENSOR_DIM_APPLY_counter);                                                                               \
  }

#define TH_TENSOR_DIM_APPLY2(TYPE1, T1, TYPE2, T2, DIMENSION, CODE)                                                    \
  {                                                                                                                    \
    THAW_DIM_APPLY_DECLARE(TYPE1, T1)                                                                                  \
    THAW_DIM_APPLY_DECLARE(TYPE2, T2)                                                                                  \
    THAW_DIM_APPLY_CHECK(T1, DIMENSION)                                                                                \
    if (!TH_TENSOR_DIM_APPLY_hasFinished && T1->nDimension != T2->nDimension) {                                        \
      THAW_DIM_APPLY_DESCRIBE(T1)                                                                                      \
      THAW_DIM_APPLY_DESCRIBE(T2)                                                                                      \
      TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                             \
      THError("inconsistent tensor size, expected %s %s and %s %s to have the same number of dimensions",              \
              #T1, T1##_buff.str, #T2, T2##_buff.str);                                                                 \
    }                                                                                                                  \
    for (TH_TENSOR_DIM_APPLY_i = 0; !TH_TENSOR_DIM_APPLY_hasFinished && TH_TENSOR_DIM_APPLY_i < T1->nDimension;        \
         TH_TENSOR_DIM_APPLY_i++) {                                                                                    \
      if (TH_TENSOR_DIM_APPLY_i != (DIMENSION) &&                                                                      \
          T1->size[TH_TENSOR_DIM_APPLY_i] != T2->size[TH_TENSOR_DIM_APPLY_i]) {                                        \
        THAW_DIM_APPLY_DESCRIBE(T1)                                                                                    \
        THAW_DIM_APPLY_DESCRIBE(T2)                                                                                    \
        TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                           \
        THError("Expected %s %s and %s %s to have the same size in dimension %d", #T1, T1##_buff.str, #T2,             \
                T2##_buff.str, (int)(DIMENSION));                                                                      \
      }                                                                                                                \
    }                                                                                                                  \
    if (!TH_TENSOR_DIM_APPLY_hasFinished) {                                                                            \
      THAW_DIM_APPLY_COUNTER(T1)                                                                                       \
      THAW_DIM_APPLY_START(TYPE1, T1, DIMENSION)                                                                       \
      THAW_DIM_APPLY_START(TYPE2, T2, DIMENSION)                                                                       \
    }                                                                                                                  \
    while (!TH_TENSOR_DIM_APPLY_hasFinished) {                                                                         \
      CODE                                                                                                             \
      THAW_DIM_APPLY_NEXT(T1, DIMENSION, THAW_DIM_APPLY_STEP(T1) THAW_DIM_APPLY_STEP(T2),                              \
                          THAW_DIM_APPLY_REWIND(T1) THAW_DIM_APPLY_REWIND(T2))                                         \
    }                                                                                                                  \
    THFree(TH_TENSOR_DIM_APPLY_counter);                                                                               \
  }

#define TH_TENSOR_DIM_APPLY3_SIZE_EQ_EXCEPT_DIM(T1, T2, T3, DIMENSION)                                                 \
  for (TH_TENSOR_DIM_APPLY_i = 0; TH_TENSOR_DIM_APPLY_i < T1->nDimension; TH_TENSOR_DIM_APPLY_i++) {                   \
    if (TH_TENSOR_DIM_APPLY_i != (DIMENSION) &&                                                                        \
        (T1->size[TH_TENSOR_DIM_APPLY_i] != T2->size[TH_TENSOR_DIM_APPLY_i] ||                                         \
         T1->size[TH_TENSOR_DIM_APPLY_i] != T3->size[TH_TENSOR_DIM_APPLY_i])) {                                        \
      THAW_DIM_APPLY_DESCRIBE(T1)                                                                                      \
      THAW_DIM_APPLY_DESCRIBE(T2)                                                                                      \
      THAW_DIM_APPLY_DESCRIBE(T3)                                                                                      \
      TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                             \
      THError("Expected %s %s, %s %s and %s %s to have the same size apart from dimension %d", #T1, T1##_buff.str,     \
              #T2, T2##_buff.str, #T3, T3##_buff.str, (int)(DIMENSION));                                               \
      break;                                                                                                           \
    }                                                                                                                  \
  }

#define TH_TENSOR_DIM_APPLY3(TYPE1, T1, TYPE2, T2, TYPE3, T3, DIMENSION, SIZE_CHECK, CODE)                             \
  {                                                                                                                    \
    THAW_DIM_APPLY_DECLARE(TYPE1, T1)                                                                                  \
    THAW_DIM_APPLY_DECLARE(TYPE2, T2)                                                                                  \
    THAW_DIM_APPLY_DECLARE(TYPE3, T3)                                                                                  \
    THAW_DIM_APPLY_CHECK(T1, DIMENSION)                                                                                \
    if (!TH_TENSOR_DIM_APPLY_hasFinished && (T1->nDimension != T2->nDimension || T1->nDimension != T3->nDimension)) {  \
      THAW_DIM_APPLY_DESCRIBE(T1)                                                                                      \
      THAW_DIM_APPLY_DESCRIBE(T2)                                                                                      \
      THAW_DIM_APPLY_DESCRIBE(T3)                                                                                      \
      TH_TENSOR_DIM_APPLY_hasFinished = 1;                                                                             \
      THError("inconsistent tensor size, expected %s %s, %s %s and %s %s to have the same number of dimensions",       \
              #T1, T1##_buff.str, #T2, T2##_buff.str, #T3, T3##_buff.str);                                             \
    }                                                                                                                  \
    if (!TH_TENSOR_DIM_APPLY_hasFinished) {                                                                            \
      SIZE_CHECK(T1, T2, T3, DIMENSION)                                                                                \
    }                                                                                                                  \
    if (!TH_TENSOR_DIM_APPLY_hasFinished) {                                                                            \
      THAW_DIM_APPLY_COUNTER(T1)                                                                                       \
      THAW_DIM_APPLY_START(TYPE1, T1, DIMENSION)                                                                       \
      THAW_DIM_APPLY_START(TYPE2, T2, DIMENSION)                                                                       \
      THAW_DIM_APPLY_START(TYPE3, T3, DIMENSION)                                                                       \
    }                                                                                                                  \
    while (!TH_TENSOR_DIM_APPLY_hasFinished) {                                                                         \
      CODE                                                                                                             \
      THAW_DIM_APPLY_NEXT(T1, DIMENSION, THAW_DIM_APPLY_STEP(T1) THAW_DIM_APPLY_STEP(T2) THAW_DIM_APPLY_STEP(T3),      \
                          THAW_DIM_APPLY_REWIND(T1) THAW_DIM_APPLY_REWIND(T2) THAW_DIM_APPLY_REWIND(T3))               \
    }                                                                                                                  \
    THFree(TH_TENSOR_DIM_APPLY_counter);                                                                               \
  }

#endif
