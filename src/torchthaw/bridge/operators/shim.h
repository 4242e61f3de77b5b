/* operators/shim.h: what kernels use of PyTorch's stable C interface, found in the process that runs.
 *
 * Nothing is linked and no header of PyTorch is read: these declarations are our own. PyTorch has all of it from 2.10 on,
 * and keeps each function for two years at least. */
#pragma once

#include <cstddef>
#include <cstdint>

namespace bridge {

/* Objects of PyTorch; who takes a tensor or list off its stack owns it. */
struct TensorObject;
struct ListObject;
struct LibraryObject;
struct CudaGuardObject;

using Kernel = void (*)(uint64_t *stack, uint64_t inputs, uint64_t outputs);

/* X(name, result, parameters). An int32_t result says whether the function failed, except where it is the number of a
 * dtype or device. */
#define SHIM_LIST(X) \
    X(aoti_torch_library_init_impl, int32_t, (const char *, const char *, const char *, uint32_t, LibraryObject **)) \
    X(torch_library_impl, int32_t, (LibraryObject *, const char *, Kernel, uint64_t version)) \
    X(aoti_torch_device_type_cpu, int32_t, ()) \
    X(aoti_torch_device_type_cuda, int32_t, ()) \
    X(aoti_torch_get_device_type, int32_t, (TensorObject *, int32_t *)) \
    X(aoti_torch_get_device_index, int32_t, (TensorObject *, int32_t *)) \
    X(aoti_torch_get_dtype, int32_t, (TensorObject *, int32_t *)) \
    X(aoti_torch_dtype_element_size, size_t, (int32_t dtype)) \
    X(aoti_torch_get_dim, int32_t, (TensorObject *, int64_t *)) \
    X(aoti_torch_get_sizes, int32_t, (TensorObject *, int64_t **borrowed)) \
    X(aoti_torch_get_strides, int32_t, (TensorObject *, int64_t **borrowed)) \
    X(aoti_torch_get_storage_size, int32_t, (TensorObject *, int64_t *bytes)) \
    X(aoti_torch_get_storage_offset, int32_t, (TensorObject *, int64_t *elements)) \
    X(aoti_torch_is_defined, int32_t, (TensorObject *, bool *)) \
    X(aoti_torch_is_contiguous, int32_t, (TensorObject *, bool *)) \
    X(torch_get_const_data_ptr, int32_t, (TensorObject *, const void **)) \
    X(torch_get_mutable_data_ptr, int32_t, (TensorObject *, void **)) \
    X(aoti_torch_empty_strided, int32_t, (int64_t ndim, const int64_t *sizes, const int64_t *strides, int32_t dtype, \
                                          int32_t device_type, int32_t device_index, TensorObject **owned)) \
    X(aoti_torch_copy_, int32_t, (TensorObject *to, TensorObject *from, int32_t non_blocking)) \
    X(aoti_torch_delete_tensor_object, int32_t, (TensorObject *)) \
    X(torch_list_size, int32_t, (ListObject *, size_t *)) \
    X(torch_list_get_item, int32_t, (ListObject *, size_t, uint64_t *)) \
    X(torch_delete_list, int32_t, (ListObject *)) \
    X(aoti_torch_grad_mode_is_enabled, bool, ()) \
    X(aoti_torch_grad_mode_set_enabled, void, (bool)) \
    X(torch_get_num_threads, int32_t, (uint32_t *))

/* The same, of functions that are not always there; NULL without them. */
#define SHIM_OPTIONAL_LIST(X) \
    X(torch_delete_stable_ivalue, int32_t, (uint64_t *)) /* 2.13 */ \
    X(torch_exception_get_what_without_backtrace, const char *, ()) /* 2.13 */ \
    X(aoti_torch_get_current_cuda_stream, int32_t, (int32_t device, void **)) /* with CUDA */ \
    X(aoti_torch_create_cuda_guard, int32_t, (int32_t device, CudaGuardObject **)) \
    X(aoti_torch_delete_cuda_guard, int32_t, (CudaGuardObject *))

struct Shim {
#define SHIM_POINTER(name, result, parameters) result(*name) parameters;
    SHIM_LIST(SHIM_POINTER)
    SHIM_OPTIONAL_LIST(SHIM_POINTER)
#undef SHIM_POINTER
    int32_t cpu, cuda; /* PyTorch's numbers of these device types */
};

/* Filled by find_shim(). */
extern Shim shim;

/* The PyTorch whose rules for values on the stack the kernels follow, which later ones know: 2.10. */
constexpr uint64_t SHIM_VERSION = uint64_t{2} << 56 | uint64_t{10} << 48;

/* Whether all of SHIM_LIST is there, and kernels are not switched off by TORCHTHAW_NO_NATIVE_KERNELS. Where not, perhaps
 * with an exception set. Needs the GIL. */
bool find_shim();

/* The same of what kernels on a GPU use besides; find_shim() comes first. */
inline bool has_cuda_shim() {
    return shim.aoti_torch_get_current_cuda_stream != nullptr && shim.aoti_torch_create_cuda_guard != nullptr &&
           shim.aoti_torch_delete_cuda_guard != nullptr;
}

/* PyTorch's number of a dtype that DLPack describes so, -1 where there is none; find_shim() comes first. */
int32_t dtype_number(int dtype_code, int dtype_bits);

/* "torch.float32", of such a number. */
const char *dtype_name(int32_t number);

}  // namespace bridge
