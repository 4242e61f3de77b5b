// portable/pytorch.h: the page of all that a portable binary takes from PyTorch, besides its operators and its Python.
//
// Each row is a function that PyTorch's libraries export. The binary declares it weak, so that a PyTorch without it loads
// all the same, and calls it by `torchthaw::pytorch.NAME`, which is null there. `since` is the oldest version in which it
// was seen; none has gone up to 2.15. Names with a capital Z are C++ and not promised by PyTorch: they are used up to the
// newest version that was tested, see mangled_names below. `TORCHTHAW_PORTABLE_WITHOUT=NAME,NAME` makes rows null, for tests.
#pragma once
#include "core/options.h"

//   name                  symbol                             result   parameters                         since   without it
#define TORCHTHAW_PYTORCH(_)                                                                                                                      \
    _(get_sizes,           "aoti_torch_get_sizes",            int32_t, (const at::Tensor *, int64_t **),  "2.4.1", "import fails")               \
    _(get_strides,         "aoti_torch_get_strides",          int32_t, (const at::Tensor *, int64_t **),  "2.4.1", "import fails")               \
    _(get_dim,             "aoti_torch_get_dim",              int32_t, (const at::Tensor *, int64_t *),   "2.4.1", "import fails")               \
    _(get_numel,           "aoti_torch_get_numel",            int32_t, (const at::Tensor *, int64_t *),   "2.4.1", "import fails")               \
    _(get_dtype,           "aoti_torch_get_dtype",            int32_t, (const at::Tensor *, int32_t *),   "2.4.1", "import fails")               \
    _(get_device_type,     "aoti_torch_get_device_type",      int32_t, (const at::Tensor *, int32_t *),   "2.4.1", "import fails")               \
    _(get_device_index,    "aoti_torch_get_device_index",     int32_t, (const at::Tensor *, int32_t *),   "2.4.1", "import fails")               \
    _(get_storage_offset,  "aoti_torch_get_storage_offset",   int32_t, (const at::Tensor *, int64_t *),   "2.4.1", "import fails")               \
    _(get_storage_size,    "aoti_torch_get_storage_size",     int32_t, (const at::Tensor *, int64_t *),   "2.4.1", "import fails")               \
    _(get_data_ptr,        "aoti_torch_get_data_ptr",         int32_t, (const at::Tensor *, void **),     "2.4.1", "import fails")               \
    _(undefined_tensor,    "aoti_torch_new_uninitialized_tensor", int32_t, (at::Tensor **),               "2.4.1", "import fails")               \
    _(assign_tensors,      "aoti_torch_assign_tensors",       int32_t, (const at::Tensor *, at::Tensor *), "2.4.1", "import fails")              \
    _(delete_tensor,       "aoti_torch_delete_tensor_object", int32_t, (at::Tensor *),                    "2.4.1", "import fails")               \
    _(blob,                "aoti_torch_create_tensor_from_blob_v2", int32_t,                                                                     \
      (void *, int64_t, const int64_t *, const int64_t *, int64_t, int32_t, int32_t, int32_t, at::Tensor **, int32_t, const uint8_t *, int64_t), \
      "2.4.1", "import fails")                                                                                                                   \
    _(grad_mode,           "aoti_torch_grad_mode_is_enabled", bool,    (),                                 "2.4.1", "import fails")               \
    _(set_grad_mode,       "aoti_torch_grad_mode_set_enabled", void,   (bool),                             "2.4.1", "import fails")               \
    _(get_layout,          "aoti_torch_get_layout",           int32_t, (const at::Tensor *, int32_t *),   "2.9.1", "Tensor.layout of Python")    \
    _(library_for_kernels, "aoti_torch_library_init_impl",    int32_t,                                                                           \
      (const char *, const char *, const char *, uint32_t, void **),                                      "2.7.1", "torch.library of Python")       \
    _(add_kernel,          "aoti_torch_library_impl",         int32_t,                                                                           \
      (void *, const char *, void (*)(uint64_t *, uint64_t, uint64_t)),                                   "2.7.1", "torch.library of Python")       \
    _(parallel_for,        "torch_parallel_for",              int32_t,                                                                           \
      (int64_t, int64_t, int64_t, void (*)(int64_t, int64_t, void *), void *),                            "2.10.0", "OpenMP that PyTorch has loaded") \
    _(get_thread_idx,      "torch_get_thread_idx",            int32_t, (uint32_t *),                      "2.10.0", "omp_get_thread_num")        \
    _(current_cuda_stream, "aoti_torch_get_current_cuda_stream", int32_t, (int32_t, void **),             "2.4.1", "torch.cuda.current_stream")  \
    _(set_cuda_stream,     "torch_set_current_cuda_stream",   int32_t, (void *, int32_t),                 "2.10.0", "torch.cuda.set_stream")     \
    _(cuda_stream_from_pool, "torch_get_cuda_stream_from_pool", int32_t, (bool, int32_t, void **),        "2.10.0", "torch.cuda.Stream")         \
    _(cuda_blas_handle,    "torch_get_current_cuda_blas_handle", int32_t, (void **),                      "2.10.0", "torch.cuda.current_blas_handle") \
    _(gomp_parallel,       "GOMP_parallel",                   void,    (void (*)(void *), void *, unsigned, unsigned), "2.4.1", "one thread")    \
    _(omp_num_threads,     "omp_get_num_threads",             int,     (),                                 "2.4.1", "one thread")                 \
    _(omp_thread_num,      "omp_get_thread_num",              int,     (),                                 "2.4.1", "thread 0")                   \
    _(num_threads,         "_ZN2at15get_num_threadsEv",       int,     (),                                 "2.4.1", "torch.get_num_threads")      \
    _(in_parallel_region,  "_ZN2at18in_parallel_regionEv",    bool,    (),                                 "2.4.1", "omp_get_num_threads() > 1")  \
    _(default_dtype,       "_ZN3c1031get_default_dtype_as_scalartypeEv", c10::ScalarType, (),              "2.4.1", "torch.get_default_dtype")    \
    _(requires_grad,       "_ZNK3c1010TensorImpl13requires_gradEv", bool, (const void *),                 "2.4.1", "Tensor.requires_grad of Python") \
    _(functorch,           "_ZN2at9functorch20functorchTLSAccessorEv", void *const *, (),                   "2.4.1", "torch._C._are_functorch_transforms_active") \
    _(forward_gradient,    "_ZNK3c1010TensorImpl8_fw_gradEmRKN2at10TensorBaseE", const at::Tensor *, (const void *, uint64_t, const at::Tensor *), \
      "2.4.1", "forward_ad.unpack_dual of Python")                                                                                                \
    _(wrap,                "_Z16THPVariable_WrapRKN2at10TensorBaseE", void *, (const at::Tensor *),       "2.7.1", "the next row")               \
    _(wrap_value,          "_Z16THPVariable_WrapN2at10TensorBaseE", void *, (at::Tensor *),               "2.4.1", "a row below") \
    _(wrap_moved,          "_Z16THPVariable_WrapON2at10TensorBaseE", void *, (at::Tensor *),              "2.13.0", "a row above")               \
    _(to_python,           "torch_tensor_to_pyobject",        int32_t, (const at::Tensor *, void *, void **), "2.15.0", "alloc_tensor_by_stealing_from_void_ptr") \
    _(translate,           "_ZN5torch29translate_exception_to_pythonERKNSt15__exception_ptr13exception_ptrE", bool, (const std::exception_ptr *), \
      "2.4.1", "RuntimeError with the text, IndexError and the like by their names")

// Names of PyTorch's Python that it does not promise either, and what is done without them:
//   _cdata                            the address of the C++ tensor of a torch.Tensor, looked for in the object; import fails
//   _C.TensorBase                     the type of all tensors; import fails
//   _C._are_functorch_transforms_active  whether a Function runs below vmap or grad; without it, none is thought to
//   autograd.forward_ad._current_level  whether there is forward-mode autograd, where the row forward_gradient is null; an error
//   _C._aoti                          has alloc_tensor_by_stealing_from_void_ptr, the last way to an object of Python; an error
//   _C.DisableTorchFunctionSubclass   keeps an operator by Python from __torch_function__ of a subclass; without it, that is called
//   _C._ExcludeDispatchKeyGuard       with _C.DispatchKeySet and _C.DispatchKey: AutoDispatchBelowAutograd; an error without it
//   _schema                           of torch.ops.NAMESPACE.NAME.OVERLOAD: the arguments of a kernel; an error when it is called
//   _C.parse_schema                   the names and defaults of an operator with a torch::class_; arguments by position alone

namespace torchthaw {

#define TORCHTHAW_DECLARE(name, symbol, result, parameters, since, without)                                            \
    extern "C" TORCHTHAW_WEAK result torchthaw_pytorch_##name parameters __asm__(symbol);
TORCHTHAW_PYTORCH(TORCHTHAW_DECLARE)
#undef TORCHTHAW_DECLARE

/// The functions of the page; null where this PyTorch lacks one.
struct PyTorch {
#define TORCHTHAW_FIELD(name, symbol, result, parameters, since, without) result(*name) parameters;
    TORCHTHAW_PYTORCH(TORCHTHAW_FIELD)
#undef TORCHTHAW_FIELD
};
extern PyTorch pytorch;

/// Whether operators may be called by their C++ names at::_ops::NAME::call: PyTorch is no newer than the newest that was
/// tested, six operators gave what they must when the binary was loaded, and TORCHTHAW_NO_MANGLED_NAMES is not set.
extern bool mangled_names;

/// What an undefined tensor points to.
extern void *undefined;

/// Throws c10::Error if a function of PyTorch returned an error; what: its name.
inline void check(int32_t code, const char *what) {
    if (C10_UNLIKELY(code)) fail(std::string(what) + ": PyTorch could not read this tensor");
}

}  // namespace torchthaw
