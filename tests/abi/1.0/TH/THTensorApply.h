/* TH/THTensorApply.h: loops over the elements of one to three tensors.
 *
 * TH_TENSOR_APPLY(TYPE, T, CODE), TH_TENSOR_APPLY2(TYPE1, T1, TYPE2, T2, CODE), TH_TENSOR_APPLY3(...) run CODE for each
 * element in row-major order, each tensor in its own: shapes may differ, numbers of elements may not (THError). The
 * forms that end in _D take a dimension before CODE that is never merged with others.
 *
 * Tensor arguments are identifiers. CODE sees, for each tensor T:
 *   T_data (TYPE *)                  the current element
 *   T_i, T_size, T_stride            position in, length and stride of the innermost run of elements
 *   T_n, T_dim, T_sizes, T_strides   number of elements; the dimensions left after merging, and their arrays
 *   T_counter                        the index in those dimensions: memory that code which raises gives to THFree
 *   T_contiguous                     1 where all elements are one run of stride 1
 *   T_dimOffset                      in the _D forms, the current index along that dimension
 * and TH_TENSOR_APPLY_hasFinished, TH_TENSOR_dim_index. `continue` goes to the next element. A `break` ends the current
 * run only: set TH_TENSOR_APPLY_hasFinished = 1 before it to end the loop, or T_i = T_size; T_data += T_stride * T_size
 * after CODE has treated the rest of the run itself.
 */
#ifndef TH_TENSOR_APPLY_INC
#define TH_TENSOR_APPLY_INC

#include "THGeneral.h"

/* Merges dimensions, except `fixed` (-1: none), and returns 3 * *dim numbers (counters at 0, sizes, strides) for
 * THFree; NULL where one run covers everything. */
TH_API int64_t *thaw_apply_begin(const int64_t *size, const int64_t *stride, int ndim, int fixed, int64_t *n,
                                 int64_t *dim, int64_t *run_size, int64_t *run_stride, int64_t *fixed_index);

/* Moves the counters to the next run. Returns 0 after the last one, else 1 with the distance in elements. */
TH_API int thaw_apply_next(int64_t *counter, int64_t dim, int64_t *distance);

/* Raises "inconsistent tensor size, ..."; for each tensor its name, sizes (int64_t *), number of dimensions (int) and
 * of elements (int64_t). */
TH_API void thaw_apply_mismatch(const char *file, int line, int tensors, ...);

#define THAW_APPLY_BEGIN(TYPE, T, DIM)                                                                                 \
  int64_t T##_n, T##_dim, T##_size, T##_stride, T##_i = 0, T##_fixed;                                                  \
  int64_t *T##_counter =                                                                                               \
      thaw_apply_begin((T)->size, (T)->stride, (T)->nDimension, (DIM), &T##_n, &T##_dim, &T##_size, &T##_stride,       \
                       &T##_fixed);                                                                                    \
  int64_t *T##_sizes = T##_counter ? T##_counter + T##_dim : &T##_size;                                                \
  int64_t *T##_strides = T##_counter ? T##_counter + 2 * T##_dim : &T##_stride;                                        \
  int64_t *T##_dimOffset = T##_counter && T##_fixed < T##_dim - 1 ? T##_counter + T##_fixed : &T##_i;                  \
  int T##_contiguous = T##_dim == 1 && T##_stride == 1;                                                                \
  TYPE *T##_data = T##_n ? (TYPE *)(T)->storage->data + (T)->storageOffset : (TYPE *)0;                                \
  (void)T##_sizes, (void)T##_strides, (void)T##_dimOffset, (void)T##_contiguous;

#define THAW_APPLY_NEXT_RUN(T)                                                                                         \
  {                                                                                                                    \
    int64_t T##_distance;                                                                                              \
    T##_data -= T##_i * T##_stride;                                                                                    \
    T##_i = 0;                                                                                                         \
    if (T##_counter && thaw_apply_next(T##_counter, T##_dim, &T##_distance))                                           \
      T##_data += T##_distance;                                                                                        \
    else                                                                                                               \
      TH_TENSOR_APPLY_hasFinished = 1;                                                                                 \
  }

#define TH_TENSOR_APPLY_D(TYPE, T, DIM, CODE)                                                                          \
  {                                                                                                                    \
    int64_t TH_TENSOR_dim_index = 0;                                                                                   \
    THAW_APPLY_BEGIN(TYPE, T, DIM)                                                                                     \
    int TH_TENSOR_APPLY_hasFinished = T##_n == 0;                                                                      \
    (void)TH_TENSOR_dim_index;                                                                                         \
    while (!TH_TENSOR_APPLY_hasFinished) {                                                                             \
      for (; T##_i < T##_size; T##_i++, T##_data += T##_stride) {                                                      \
        CODE                                                                                                           \
      }                                                                                                                \
      if (!TH_TENSOR_APPLY_hasFinished) THAW_APPLY_NEXT_RUN(T)                                                         \
    }                                                                                                                  \
    THFree(T##_counter);                                                                                               \
  }

#define TH_TENSOR_APPLY2_D(TYPE1, T1, TYPE2, T2, DIM, CODE)                                                            \
  {                                                                                                                    \
    int64_t TH_TENSOR_dim_index = 0;                                                                                   \
    THAW_APPLY_BEGIN(TYPE1, T1, DIM)                                                                                   \
    THAW_APPLY_BEGIN(TYPE2, T2, DIM)                                                                                   \
    int TH_TENSOR_APPLY_hasFinished = T1##_n == 0;                                                                     \
    (void)TH_TENSOR_dim_index;                                                                                         \
    if (T1##_n != T2##_n) {                                                                                            \
      THFree(T1##_counter), THFree(T2##_counter);                                                                      \
      T1##_counter = T2##_counter = (int64_t *)0;                                                                      \
      TH_TENSOR_APPLY_hasFinished = 1;                                                                                 \
      thaw_apply_mismatch(__FILE__, __LINE__, 2, #T1, (T1)->size, (T1)->nDimension, T1##_n,                            \
                          #T2, (T2)->size, (T2)->nDimension, T2##_n);                                                  \
    }                                                                                                                  \
    while (!TH_TENSOR_APPLY_hasFinished) {                                                                             \
      for (; T1##_i < T1##_size && T2##_i < T2##_size;                                                                 \
           T1##_i++, T2##_i++, T1##_data += T1##_stride, T2##_data += T2##_stride) {                                   \
        CODE                                                                                                           \
      }                                                                                                                \
      if (T1##_i < T1##_size && T2##_i < T2##_size) TH_TENSOR_APPLY_hasFinished = 1;                                   \
      if (!TH_TENSOR_APPLY_hasFinished) {                                                                              \
        if (T1##_i >= T1##_size) THAW_APPLY_NEXT_RUN(T1)                                                               \
        if (T2##_i >= T2##_size) THAW_APPLY_NEXT_RUN(T2)                                                               \
      }                                                                                                                \
    }                                                                                                                  \
    THFree(T1##_counter);                                                                                              \
    THFree(T2##_counter);                                                                                              \
  }

#define TH_TENSOR_APPLY3_D(TYPE1, T1, TYPE2, T2, TYPE3, T3, DIM, CODE)                                                 \
  {                                                                                                                    \
    int64_t TH_TENSOR_dim_index = 0;                                                                                   \
    THAW_APPLY_BEGIN(TYPE1, T1, DIM)                                                                                   \
    THAW_APPLY_BEGIN(TYPE2, T2, DIM)                                                                                   \
    THAW_APPLY_BEGIN(TYPE3, T3, DIM)                                                                                   \
    int TH_TENSOR_APPLY_hasFinished = T1##_n == 0;                                                                     \
    (void)TH_TENSOR_dim_index;                                                                                         \
    if (T1##_n != T2##_n || T1##_n != T3##_n) {                                                                        \
      THFree(T1##_counter), THFree(T2##_counter), THFree(T3##_counter);                                                \
      T1##_counter = T2##_counter = T3##_counter = (int64_t *)0;                                                       \
      TH_TENSOR_APPLY_hasFinished = 1;                                                                                 \
      thaw_apply_mismatch(__FILE__, __LINE__, 3, #T1, (T1)->size, (T1)->nDimension, T1##_n,                            \
                          #T2, (T2)->size, (T2)->nDimension, T2##_n,                                                   \
                          #T3, (T3)->size, (T3)->nDimension, T3##_n);                                                  \
    }                                                                                                                  \
    while (!TH_TENSOR_APPLY_hasFinished) {                                                                             \
      for (; T1##_i < T1##_size && T2##_i < T2##_size && T3##_i < T3##_size;                                           \
           T1##_i++, T2##_i++, T3##_i++, T1##_data += T1##_stride, T2##_data += T2##_stride,                           \
           T3##_data += T3##_stride) {                                                                                 \
        CODE                                                                                                           \
      }                                                                                                                \
      if (T1##_i < T1##_size && T2##_i < T2##_size && T3##_i < T3##_size) TH_TENSOR_APPLY_hasFinished = 1;             \
      if (!TH_TENSOR_APPLY_hasFinished) {                                                                              \
        if (T1##_i >= T1##_size) THAW_APPLY_NEXT_RUN(T1)                                                               \
        if (T2##_i >= T2##_size) THAW_APPLY_NEXT_RUN(T2)                                                               \
        if (T3##_i >= T3##_size) THAW_APPLY_NEXT_RUN(T3)                                                               \
      }                                                                                                                \
    }                                                                                                                  \
    THFree(T1##_counter);                                                                                              \
    THFree(T2##_counter);                                                                                              \
    THFree(T3##_counter);                                                                                              \
  }

#define TH_TENSOR_APPLY(TYPE, T, CODE) TH_TENSOR_APPLY_D(TYPE, T, -1, CODE)
#define TH_TENSOR_APPLY2(TYPE1, T1, TYPE2, T2, CODE) TH_TENSOR_APPLY2_D(TYPE1, T1, TYPE2, T2, -1, CODE)
#define TH_TENSOR_APPLY3(TYPE1, T1, TYPE2, T2, TYPE3, T3, CODE)                                                        \
  TH_TENSOR_APPLY3_D(TYPE1, T1, TYPE2, T2, TYPE3, T3, -1, CODE)

#endif
