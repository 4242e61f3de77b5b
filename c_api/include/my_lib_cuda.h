/* c_api/include/my_lib_cuda.h: the operators of my_lib.h on NVIDIA GPUs, in libmy_lib_cuda. */

#ifndef MY_LIB_CUDA_H
#define MY_LIB_CUDA_H

#include "my_lib.h"

#if defined(__cplusplus)
extern "C" {
#endif

/*
 * Introduction
 * ============
 *
 * Each operator of my_lib.h stands here under its name with `_cuda` appended, `_f64_cuda` for double, and with one
 * more argument at the end: the stream. There are none for `_bf16` and `_f16`. What my_lib.h says of an operator holds
 * here too; only this differs:
 *
 * Memory     Arrays and workspace are device memory of the calling thread's current device (cudaSetDevice), on which
 *            the stream must live as well. Shapes and sizes stay in host memory, and are read before the call returns.
 *            An array is aligned to its element; where all arrays of an elementwise call are aligned to 16 bytes, as
 *            fresh allocations are, it runs up to four times faster.
 * Stream     `void *stream` is a cudaStream_t, NULL the legacy default stream. A call enqueues its work and returns: it
 *            never waits, allocates or touches another stream. What it enqueues may be captured into a CUDA graph.
 * Results    are the same bits for the same sizes on the same device, whatever else runs.
 * Errors     The thread's code and message are those of my_lib.h, shared with libmy_lib, and wrong arguments get the
 *            same texts. Besides: MY_LIB_ERROR_NO_GPU, MY_LIB_ERROR_CUDA, MY_LIB_ERROR_NOT_PREPARED. A kernel that
 *            breaks while it runs is reported by a later call; where it touched foreign memory nothing in the process
 *            can use the GPU any more, and the message says so.
 * Products   of matrices are cuBLAS's, loaded when first needed: libcublas.so.13 or .12, the one that is in the
 *            process already if there is one. Its scratch memory is part of the caller's workspace.
 * Threads    Calls on one device take turns while they enqueue products; nothing else is shared.
 */

/* Loads cuBLAS and creates its handle on a device, which allocates and waits. Implied by the first call that needs it,
 * except while the stream is being captured: then its absence is MY_LIB_ERROR_NOT_PREPARED. Since 1.0.0. */
THAW_STATUS
MY_LIB_API int my_lib_cuda_prepare(int device);

/* Whether products of the calling thread may round their factors to TensorFloat-32, 10 bits of mantissa, which tensor
 * cores multiply: 1 or 0, the initial value. Products in double never do, nor in a sequence those of each step with the
 * state before, where the state has up to 128 elements. Since 1.0.0. */
THAW_STATUS
MY_LIB_API int my_lib_cuda_allow_tf32(int allow);

/* output = input1 + input2. Since 1.0.0. */
THAW_VARIANT_OF(my_lib_add_forward)
MY_LIB_API int my_lib_add_forward_cuda(const float *input1, const int64_t *shape1, int64_t ndim1,
                                       const float *input2, const int64_t *shape2, int64_t ndim2, float *output,
                                       void *stream);
THAW_VARIANT_OF(my_lib_add_forward)
MY_LIB_API int my_lib_add_forward_f64_cuda(const double *input1, const int64_t *shape1, int64_t ndim1,
                                           const double *input2, const int64_t *shape2, int64_t ndim2,
                                           double *output, void *stream);
THAW_VARIANT_OF(my_lib_add_backward)
MY_LIB_API int my_lib_add_backward_cuda(const float *grad_output, const int64_t *shape, int64_t ndim,
                                        float *grad_input1, float *grad_input2, void *stream);
THAW_VARIANT_OF(my_lib_add_backward)
MY_LIB_API int my_lib_add_backward_f64_cuda(const double *grad_output, const int64_t *shape, int64_t ndim,
                                            double *grad_input1, double *grad_input2, void *stream);

/* output = 2 * input1 + input2. Since 1.0.0. */
THAW_VARIANT_OF(my_lib_scale_add_forward)
MY_LIB_API int my_lib_scale_add_forward_cuda(const float *input1, const int64_t *shape1, int64_t ndim1,
                                             const float *input2, const int64_t *shape2, int64_t ndim2,
                                             float *output, void *stream);
THAW_VARIANT_OF(my_lib_scale_add_forward)
MY_LIB_API int my_lib_scale_add_forward_f64_cuda(const double *input1, const int64_t *shape1, int64_t ndim1,
                                                 const double *input2, const int64_t *shape2, int64_t ndim2,
                                                 double *output, void *stream);
THAW_VARIANT_OF(my_lib_scale_add_backward)
MY_LIB_API int my_lib_scale_add_backward_cuda(const float *grad_output, const int64_t *shape, int64_t ndim,
                                              float *grad_input1, float *grad_input2, void *stream);
THAW_VARIANT_OF(my_lib_scale_add_backward)
MY_LIB_API int my_lib_scale_add_backward_f64_cuda(const double *grad_output, const int64_t *shape, int64_t ndim,
                                                  double *grad_input1, double *grad_input2, void *stream);

/* output = input * constant. Since 1.0.0. */
THAW_VARIANT_OF(my_lib_mul_constant_forward)
MY_LIB_API int my_lib_mul_constant_forward_cuda(const float *input, const int64_t *shape, int64_t ndim,
                                                double constant, float *output, void *stream);
THAW_VARIANT_OF(my_lib_mul_constant_forward)
MY_LIB_API int my_lib_mul_constant_forward_f64_cuda(const double *input, const int64_t *shape, int64_t ndim,
                                                    double constant, double *output, void *stream);
THAW_VARIANT_OF(my_lib_mul_constant_backward)
MY_LIB_API int my_lib_mul_constant_backward_cuda(const float *grad_output, const int64_t *shape, int64_t ndim,
                                                 double constant, float *grad_input, void *stream);
THAW_VARIANT_OF(my_lib_mul_constant_backward)
MY_LIB_API int my_lib_mul_constant_backward_f64_cuda(const double *grad_output, const int64_t *shape, int64_t ndim,
                                                     double constant, double *grad_input, void *stream);

/* output = input^3, derivative = 3 * input^2. Since 1.0.0. */
THAW_VARIANT_OF(my_lib_cube_forward)
MY_LIB_API int my_lib_cube_forward_cuda(const float *input, const int64_t *shape, int64_t ndim, float *output,
                                        float *derivative, void *stream);
THAW_VARIANT_OF(my_lib_cube_forward)
MY_LIB_API int my_lib_cube_forward_f64_cuda(const double *input, const int64_t *shape, int64_t ndim,
                                            double *output, double *derivative, void *stream);
THAW_VARIANT_OF(my_lib_cube_backward)
MY_LIB_API int my_lib_cube_backward_cuda(const float *grad_output, const float *grad_derivative,
                                         const float *input, const int64_t *shape, int64_t ndim, float *grad_input,
                                         void *stream);
THAW_VARIANT_OF(my_lib_cube_backward)
MY_LIB_API int my_lib_cube_backward_f64_cuda(const double *grad_output, const double *grad_derivative,
                                             const double *input, const int64_t *shape, int64_t ndim,
                                             double *grad_input, void *stream);

/* output = input weight^T + bias. Since 1.0.0. */
THAW_VARIANT_OF(my_lib_linear_forward)
MY_LIB_API int my_lib_linear_forward_cuda(
    const float *input, const float *weight, const float *bias,
    int64_t batch, int64_t in_features, int64_t out_features,
    float *output,
    void *workspace THAW_WORKSPACE(workspace_size,
                        my_lib_linear_forward_workspace_size_cuda(batch, in_features, out_features)),
    size_t workspace_size, void *stream);
THAW_VARIANT_OF(my_lib_linear_forward)
MY_LIB_API int my_lib_linear_forward_f64_cuda(
    const double *input, const double *weight, const double *bias,
    int64_t batch, int64_t in_features, int64_t out_features,
    double *output,
    void *workspace THAW_WORKSPACE(workspace_size,
                        my_lib_linear_forward_workspace_size_f64_cuda(batch, in_features, out_features)),
    size_t workspace_size, void *stream);
MY_LIB_API size_t my_lib_linear_forward_workspace_size_cuda(int64_t batch, int64_t in_features,
                                                            int64_t out_features);
MY_LIB_API size_t my_lib_linear_forward_workspace_size_f64_cuda(int64_t batch, int64_t in_features,
                                                                int64_t out_features);
THAW_VARIANT_OF(my_lib_linear_backward)
MY_LIB_API int my_lib_linear_backward_cuda(
    const float *grad_output, const float *input, const float *weight,
    int64_t batch, int64_t in_features, int64_t out_features,
    float *grad_input, float *grad_weight, float *grad_bias,
    void *workspace THAW_WORKSPACE(workspace_size,
                        my_lib_linear_backward_workspace_size_cuda(batch, in_features, out_features)),
    size_t workspace_size, void *stream);
THAW_VARIANT_OF(my_lib_linear_backward)
MY_LIB_API int my_lib_linear_backward_f64_cuda(
    const double *grad_output, const double *input, const double *weight,
    int64_t batch, int64_t in_features, int64_t out_features,
    double *grad_input, double *grad_weight, double *grad_bias,
    void *workspace THAW_WORKSPACE(workspace_size,
                        my_lib_linear_backward_workspace_size_f64_cuda(batch, in_features, out_features)),
    size_t workspace_size, void *stream);
MY_LIB_API size_t my_lib_linear_backward_workspace_size_cuda(int64_t batch, int64_t in_features,
                                                             int64_t out_features);
MY_LIB_API size_t my_lib_linear_backward_workspace_size_f64_cuda(int64_t batch, int64_t in_features,
                                                                 int64_t out_features);

/* Batch normalisation over images. Sums are taken in double, in an order that the sizes decide. Since 1.0.0. */
THAW_VARIANT_OF(my_lib_batch_norm2d_forward)
MY_LIB_API int my_lib_batch_norm2d_forward_cuda(const float *input, int64_t batch, int64_t channels,
                                                int64_t height, int64_t width, double eps, float *output,
                                                float *mean, float *std, void *stream);
THAW_VARIANT_OF(my_lib_batch_norm2d_forward)
MY_LIB_API int my_lib_batch_norm2d_forward_f64_cuda(const double *input, int64_t batch, int64_t channels,
                                                    int64_t height, int64_t width, double eps, double *output,
                                                    double *mean, double *std, void *stream);
THAW_VARIANT_OF(my_lib_batch_norm2d_backward)
MY_LIB_API int my_lib_batch_norm2d_backward_cuda(const float *grad_output, const float *input, const float *mean,
                                                 const float *std, int64_t batch, int64_t channels, int64_t height,
                                                 int64_t width, double eps, float *grad_input, void *stream);
THAW_VARIANT_OF(my_lib_batch_norm2d_backward)
MY_LIB_API int my_lib_batch_norm2d_backward_f64_cuda(const double *grad_output, const double *input,
                                                     const double *mean, const double *std, int64_t batch,
                                                     int64_t channels, int64_t height, int64_t width, double eps,
                                                     double *grad_input, void *stream);

/* One step of the LLTM. Since 1.0.0. */
THAW_VARIANT_OF(lltm_forward)
MY_LIB_API int lltm_forward_cuda(
    const float *input, const float *weights, const float *bias, const float *old_h, const float *old_cell,
    int64_t batch, int64_t input_size, int64_t state_size,
    float *new_h, float *new_cell, float *gates,
    void *workspace THAW_WORKSPACE(workspace_size,
                        lltm_forward_workspace_size_cuda(batch, input_size, state_size)),
    size_t workspace_size, void *stream);
THAW_VARIANT_OF(lltm_forward)
MY_LIB_API int lltm_forward_f64_cuda(
    const double *input, const double *weights, const double *bias, const double *old_h, const double *old_cell,
    int64_t batch, int64_t input_size, int64_t state_size,
    double *new_h, double *new_cell, double *gates,
    void *workspace THAW_WORKSPACE(workspace_size,
                        lltm_forward_workspace_size_f64_cuda(batch, input_size, state_size)),
    size_t workspace_size, void *stream);
MY_LIB_API size_t lltm_forward_workspace_size_cuda(int64_t batch, int64_t input_size, int64_t state_size);
MY_LIB_API size_t lltm_forward_workspace_size_f64_cuda(int64_t batch, int64_t input_size, int64_t state_size);
THAW_VARIANT_OF(lltm_backward)
MY_LIB_API int lltm_backward_cuda(
    const float *grad_h, const float *grad_cell, const float *new_cell, const float *gates, const float *input,
    const float *old_h, const float *weights,
    int64_t batch, int64_t input_size, int64_t state_size,
    float *d_input, float *d_weights, float *d_bias, float *d_old_h, float *d_old_cell,
    void *workspace THAW_WORKSPACE(workspace_size,
                        lltm_backward_workspace_size_cuda(batch, input_size, state_size)),
    size_t workspace_size, void *stream);
THAW_VARIANT_OF(lltm_backward)
MY_LIB_API int lltm_backward_f64_cuda(
    const double *grad_h, const double *grad_cell, const double *new_cell, const double *gates,
    const double *input, const double *old_h, const double *weights,
    int64_t batch, int64_t input_size, int64_t state_size,
    double *d_input, double *d_weights, double *d_bias, double *d_old_h, double *d_old_cell,
    void *workspace THAW_WORKSPACE(workspace_size,
                        lltm_backward_workspace_size_f64_cuda(batch, input_size, state_size)),
    size_t workspace_size, void *stream);
MY_LIB_API size_t lltm_backward_workspace_size_cuda(int64_t batch, int64_t input_size, int64_t state_size);
MY_LIB_API size_t lltm_backward_workspace_size_f64_cuda(int64_t batch, int64_t input_size, int64_t state_size);

/* An LLTM over a sequence. Since 1.0.0. */
THAW_VARIANT_OF(lltm_sequence_forward)
MY_LIB_API int lltm_sequence_forward_cuda(
    const float *input, const float *weights, const float *bias, const float *old_h, const float *old_cell,
    int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size,
    float *h, float *cell, float *gates,
    void *workspace THAW_WORKSPACE(workspace_size,
                        lltm_sequence_forward_workspace_size_cuda(seq_len, batch, input_size, state_size)),
    size_t workspace_size, void *stream);
THAW_VARIANT_OF(lltm_sequence_forward)
MY_LIB_API int lltm_sequence_forward_f64_cuda(
    const double *input, const double *weights, const double *bias, const double *old_h, const double *old_cell,
    int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size,
    double *h, double *cell, double *gates,
    void *workspace THAW_WORKSPACE(workspace_size,
                        lltm_sequence_forward_workspace_size_f64_cuda(seq_len, batch, input_size, state_size)),
    size_t workspace_size, void *stream);
MY_LIB_API size_t lltm_sequence_forward_workspace_size_cuda(int64_t seq_len, int64_t batch, int64_t input_size,
                                                            int64_t state_size);
MY_LIB_API size_t lltm_sequence_forward_workspace_size_f64_cuda(int64_t seq_len, int64_t batch, int64_t input_size,
                                                                int64_t state_size);
THAW_VARIANT_OF(lltm_sequence_backward)
MY_LIB_API int lltm_sequence_backward_cuda(
    const float *grad_h, const float *grad_last_h, const float *grad_last_cell, const float *cell,
    const float *gates, const float *input, const float *h, const float *old_h, const float *old_cell,
    const float *weights,
    int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size,
    float *d_input, float *d_weights, float *d_bias, float *d_old_h, float *d_old_cell,
    void *workspace THAW_WORKSPACE(workspace_size,
                        lltm_sequence_backward_workspace_size_cuda(seq_len, batch, input_size, state_size)),
    size_t workspace_size, void *stream);
THAW_VARIANT_OF(lltm_sequence_backward)
MY_LIB_API int lltm_sequence_backward_f64_cuda(
    const double *grad_h, const double *grad_last_h, const double *grad_last_cell, const double *cell,
    const double *gates, const double *input, const double *h, const double *old_h, const double *old_cell,
    const double *weights,
    int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size,
    double *d_input, double *d_weights, double *d_bias, double *d_old_h, double *d_old_cell,
    void *workspace THAW_WORKSPACE(workspace_size,
                        lltm_sequence_backward_workspace_size_f64_cuda(seq_len, batch, input_size, state_size)),
    size_t workspace_size, void *stream);
MY_LIB_API size_t lltm_sequence_backward_workspace_size_cuda(int64_t seq_len, int64_t batch, int64_t input_size,
                                                             int64_t state_size);
MY_LIB_API size_t lltm_sequence_backward_workspace_size_f64_cuda(int64_t seq_len, int64_t batch,
                                                                 int64_t input_size, int64_t state_size);

#if defined(__cplusplus)
}
#endif

#endif /* MY_LIB_CUDA_H */
