// tests/test_signatures.cpp: every released function and constant of my_lib.h, as it was released.
//
// Compiling this file is the check. A line that no longer compiles means that programs built against a released
// header break: keep the function as it was and add a new one beside it. New functions get a line here with their
// release; lines are never changed or removed within one major version.
#include "my_lib.h"

#include <type_traits>

#define FROZEN(name, result, parameters) \
    static_assert(std::is_same_v<decltype(&name), result(*) parameters>, #name " changed its signature")

// 1.0.0
FROZEN(my_lib_abi_version, int, ());
FROZEN(my_lib_version, const char *, ());
FROZEN(my_lib_build_info, const char *, ());
FROZEN(my_lib_last_error_code, int, ());
FROZEN(my_lib_last_error_message, const char *, ());
FROZEN(my_lib_error_name, const char *, (int));
FROZEN(my_lib_error_description, const char *, (int));
FROZEN(my_lib_set_last_error, int, (int, const char *));
FROZEN(my_lib_set_num_threads, int, (int));
FROZEN(my_lib_get_num_threads, int, ());
FROZEN(my_lib_add_forward, int, (const float *, const int64_t *, int64_t, const float *, const int64_t *, int64_t,
       float *));
FROZEN(my_lib_add_forward_f64, int, (const double *, const int64_t *, int64_t, const double *, const int64_t *,
       int64_t, double *));
FROZEN(my_lib_add_backward, int, (const float *, const int64_t *, int64_t, float *, float *));
FROZEN(my_lib_add_backward_f64, int, (const double *, const int64_t *, int64_t, double *, double *));
FROZEN(my_lib_scale_add_forward, int, (const float *, const int64_t *, int64_t, const float *, const int64_t *,
       int64_t, float *));
FROZEN(my_lib_scale_add_forward_f64, int, (const double *, const int64_t *, int64_t, const double *, const int64_t *,
       int64_t, double *));
FROZEN(my_lib_scale_add_backward, int, (const float *, const int64_t *, int64_t, float *, float *));
FROZEN(my_lib_scale_add_backward_f64, int, (const double *, const int64_t *, int64_t, double *, double *));
FROZEN(my_lib_mul_constant_forward, int, (const float *, const int64_t *, int64_t, double, float *));
FROZEN(my_lib_mul_constant_forward_f64, int, (const double *, const int64_t *, int64_t, double, double *));
FROZEN(my_lib_mul_constant_backward, int, (const float *, const int64_t *, int64_t, double, float *));
FROZEN(my_lib_mul_constant_backward_f64, int, (const double *, const int64_t *, int64_t, double, double *));
FROZEN(my_lib_cube_forward, int, (const float *, const int64_t *, int64_t, float *, float *));
FROZEN(my_lib_cube_forward_f64, int, (const double *, const int64_t *, int64_t, double *, double *));
FROZEN(my_lib_cube_backward, int, (const float *, const float *, const float *, const int64_t *, int64_t, float *));
FROZEN(my_lib_cube_backward_f64, int, (const double *, const double *, const double *, const int64_t *, int64_t,
       double *));
FROZEN(my_lib_linear_forward, int, (const float *, const float *, const float *, int64_t, int64_t, int64_t, float *,
       void *, size_t));
FROZEN(my_lib_linear_forward_f64, int, (const double *, const double *, const double *, int64_t, int64_t, int64_t,
       double *, void *, size_t));
FROZEN(my_lib_linear_forward_workspace_size, size_t, (int64_t, int64_t, int64_t));
FROZEN(my_lib_linear_forward_workspace_size_f64, size_t, (int64_t, int64_t, int64_t));
FROZEN(my_lib_linear_backward, int, (const float *, const float *, const float *, int64_t, int64_t, int64_t, float *,
       float *, float *, void *, size_t));
FROZEN(my_lib_linear_backward_f64, int, (const double *, const double *, const double *, int64_t, int64_t, int64_t,
       double *, double *, double *, void *, size_t));
FROZEN(my_lib_linear_backward_workspace_size, size_t, (int64_t, int64_t, int64_t));
FROZEN(my_lib_linear_backward_workspace_size_f64, size_t, (int64_t, int64_t, int64_t));
FROZEN(my_lib_batch_norm2d_forward, int, (const float *, int64_t, int64_t, int64_t, int64_t, double, float *, float *,
       float *));
FROZEN(my_lib_batch_norm2d_forward_f64, int, (const double *, int64_t, int64_t, int64_t, int64_t, double, double *,
       double *, double *));
FROZEN(my_lib_batch_norm2d_backward, int, (const float *, const float *, const float *, const float *, int64_t,
       int64_t, int64_t, int64_t, double, float *));
FROZEN(my_lib_batch_norm2d_backward_f64, int, (const double *, const double *, const double *, const double *, int64_t,
       int64_t, int64_t, int64_t, double, double *));
FROZEN(lltm_forward, int, (const float *, const float *, const float *, const float *, const float *, int64_t, int64_t,
       int64_t, float *, float *, float *, void *, size_t));
FROZEN(lltm_forward_f64, int, (const double *, const double *, const double *, const double *, const double *, int64_t,
       int64_t, int64_t, double *, double *, double *, void *, size_t));
FROZEN(lltm_forward_workspace_size, size_t, (int64_t, int64_t, int64_t));
FROZEN(lltm_forward_workspace_size_f64, size_t, (int64_t, int64_t, int64_t));
FROZEN(lltm_backward, int, (const float *, const float *, const float *, const float *, const float *, const float *,
       const float *, int64_t, int64_t, int64_t, float *, float *, float *, float *, float *, void *, size_t));
FROZEN(lltm_backward_f64, int, (const double *, const double *, const double *, const double *, const double *, const
       double *, const double *, int64_t, int64_t, int64_t, double *, double *, double *, double *, double *, void *,
       size_t));
FROZEN(lltm_backward_workspace_size, size_t, (int64_t, int64_t, int64_t));
FROZEN(lltm_backward_workspace_size_f64, size_t, (int64_t, int64_t, int64_t));
FROZEN(lltm_sequence_forward, int, (const float *, const float *, const float *, const float *, const float *, int64_t,
       int64_t, int64_t, int64_t, float *, float *, float *, void *, size_t));
FROZEN(lltm_sequence_forward_f64, int, (const double *, const double *, const double *, const double *, const double *,
       int64_t, int64_t, int64_t, int64_t, double *, double *, double *, void *, size_t));
FROZEN(lltm_sequence_forward_workspace_size, size_t, (int64_t, int64_t, int64_t, int64_t));
FROZEN(lltm_sequence_forward_workspace_size_f64, size_t, (int64_t, int64_t, int64_t, int64_t));
FROZEN(lltm_sequence_backward, int,
       (const float *, const float *, const float *, const float *, const float *,
        const float *, const float *, const float *, const float *, const float *,
        int64_t, int64_t, int64_t, int64_t, float *, float *, float *, float *, float *, void *, size_t));
FROZEN(lltm_sequence_backward_f64, int,
       (const double *, const double *, const double *, const double *, const double *,
        const double *, const double *, const double *, const double *, const double *,
        int64_t, int64_t, int64_t, int64_t, double *, double *, double *, double *, double *, void *, size_t));
FROZEN(lltm_sequence_backward_workspace_size, size_t, (int64_t, int64_t, int64_t, int64_t));
FROZEN(lltm_sequence_backward_workspace_size_f64, size_t, (int64_t, int64_t, int64_t, int64_t));

static_assert(MY_LIB_VERSION_MAJOR == 1, "a new major version begins a new list");
static_assert(MY_LIB_SUCCESS == 0 && MY_LIB_ERROR_NULL_POINTER == 1 && MY_LIB_ERROR_UNALIGNED_POINTER == 2 &&
                  MY_LIB_ERROR_INVALID_SIZE == 3 && MY_LIB_ERROR_SIZE_OVERFLOW == 4 &&
                  MY_LIB_ERROR_SHAPE_MISMATCH == 5 && MY_LIB_ERROR_INVALID_VALUE == 6 &&
                  MY_LIB_ERROR_WORKSPACE_TOO_SMALL == 7 && MY_LIB_ERROR_NO_GPU == 8 && MY_LIB_ERROR_CUDA == 9 &&
                  MY_LIB_ERROR_NOT_PREPARED == 10,
              "an error code changed");
static_assert(sizeof(my_lib_error) == sizeof(int), "the enum is as wide as int");

int main() { return 0; }
