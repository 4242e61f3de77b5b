// tests/abi/test_abi_layout.cpp: every struct that compiled extensions and programs hold. Compiling it is the check.
//
// A line that no longer compiles means that binaries built before break. Structs of TH and THC never change; the
// records of bridge.h grow at their end (docs/internals/abi.md): add lines, change none. Where the project has a struct twice,
// both are compared here.
#include <TH/TH.h>
#include <THC/THC.h>
#include <THC/THCHost.h>
#include <THC/THCStream.h>
#include "my_lib.h"
#include "th/tensor/types.h"
#include "thc/runtime/types.h"
#include "../../src/torchthaw/bridge/values/dlpack.h"
#include "../../src/torchthaw/legacy/ffi/structs/structs.h"

#include <cstddef>

#define AT(type, field, bytes) static_assert(offsetof(type, field) == bytes, #type "::" #field " moved");
#define SIZE(type, bytes) static_assert(sizeof(type) == bytes, #type " has another size");
#define SAME(type, field, other_type, other_field)                                                                     \
    static_assert(offsetof(type, field) == offsetof(other_type, other_field) &&                                        \
                      sizeof(type::field) == sizeof(other_type::other_field),                                          \
                  #type "::" #field " and " #other_type "::" #other_field " differ");

// 64-bit Linux: x86-64 and aarch64.
static_assert(sizeof(void *) == 8 && sizeof(long) == 8 && sizeof(size_t) == 8 && sizeof(ptrdiff_t) == 8, "pointers");
static_assert(sizeof(int) == 4 && sizeof(short) == 2 && sizeof(my_lib_error) == 4, "integers");

// ---- TH and THC -----------------------------------------------------------------------------------------------------

#define STORAGE(T, element)                                                                                            \
    AT(T, data, 0) AT(T, size, 8) AT(T, refcount, 16) AT(T, flag, 20) AT(T, allocator, 24) AT(T, allocatorContext, 32) \
    AT(T, view, 40) static_assert(sizeof(*T::data) == element, #T " has other elements");
#define TENSOR(T)                                                                                                      \
    AT(T, size, 0) AT(T, stride, 8) AT(T, nDimension, 16) AT(T, storage, 24) AT(T, storageOffset, 32)                  \
    AT(T, refcount, 40) AT(T, flag, 44) SIZE(T, 48) static_assert(sizeof(*T::size) == 8, #T);
#define TH_TYPE(Real, element)                                                                                         \
    STORAGE(TH##Real##Storage, element) SIZE(TH##Real##Storage, 48) TENSOR(TH##Real##Tensor)
#define THC_TYPE(Real, element)                                                                                        \
    STORAGE(THCuda##Real##Storage, element) AT(THCuda##Real##Storage, device, 48) SIZE(THCuda##Real##Storage, 56)      \
    TENSOR(THCuda##Real##Tensor)
#define EVERY_TYPE(X) X(Byte, 1) X(Char, 1) X(Short, 2) X(Int, 4) X(Long, 8) X(Double, 8) X(Half, 2)
EVERY_TYPE(TH_TYPE)
TH_TYPE(Float, 4)
EVERY_TYPE(THC_TYPE)
THC_TYPE(, 4)

AT(THAllocator, malloc, 0) AT(THAllocator, realloc, 8) AT(THAllocator, free, 16) SIZE(THAllocator, 24)
AT(THGenerator, the_initial_seed, 0) AT(THGenerator, left, 8) AT(THGenerator, seeded, 12) AT(THGenerator, next, 16)
AT(THGenerator, state, 24) AT(THGenerator, normal_x, 5016) AT(THGenerator, normal_y, 5024)
AT(THGenerator, normal_rho, 5032) AT(THGenerator, normal_is_valid, 5040) SIZE(THGenerator, 5048)
SIZE(THDescBuff, 64) SIZE(THHalf, 2)

AT(THCDeviceAllocator, malloc, 0) AT(THCDeviceAllocator, realloc, 8) AT(THCDeviceAllocator, free, 16)
AT(THCDeviceAllocator, emptyCache, 24) AT(THCDeviceAllocator, cacheInfo, 32) AT(THCDeviceAllocator, state, 40)
SIZE(THCDeviceAllocator, 48)
AT(THCStream, stream, 0) AT(THCStream, device, 8) AT(THCStream, refcount, 12) SIZE(THCStream, 16)
AT(thaw_cuda_host, struct_size, 0) AT(thaw_cuda_host, current_stream, 8) AT(thaw_cuda_host, allocate, 16)
AT(thaw_cuda_host, release, 24) SIZE(thaw_cuda_host, 32)
SIZE(THCDescBuff, 64)

static_assert(TH_STORAGE_REFCOUNTED == 1 && TH_STORAGE_RESIZABLE == 2 && TH_STORAGE_FREEMEM == 4 &&
                  TH_STORAGE_VIEW == 8 && TH_TENSOR_REFCOUNTED == 1,
              "a flag changed");

// ---- The same structs elsewhere: libth's and libthc's view of all types, the bridge's -------------------------------

SAME(th::AnyStorage, data, THFloatStorage, data) SAME(th::AnyStorage, size, THFloatStorage, size)
SAME(th::AnyStorage, refcount, THFloatStorage, refcount) SAME(th::AnyStorage, flag, THFloatStorage, flag)
SAME(th::AnyStorage, allocator, THFloatStorage, allocator)
SAME(th::AnyStorage, allocatorContext, THFloatStorage, allocatorContext)
SAME(th::AnyStorage, view, THFloatStorage, view) SIZE(th::AnyStorage, sizeof(THFloatStorage))
SIZE(th::Storage<float>, sizeof(THFloatStorage)) SIZE(th::Tensor<float>, sizeof(THFloatTensor))
SAME(th::DeviceStorage, device, THCudaStorage, device) SIZE(th::DeviceStorage, sizeof(THCudaStorage))

SAME(th::AnyTensor, size, THFloatTensor, size) SAME(th::AnyTensor, stride, THFloatTensor, stride)
SAME(th::AnyTensor, nDimension, THFloatTensor, nDimension) SAME(th::AnyTensor, storage, THFloatTensor, storage)
SAME(th::AnyTensor, storageOffset, THFloatTensor, storageOffset)
SAME(th::AnyTensor, refcount, THFloatTensor, refcount) SAME(th::AnyTensor, flag, THFloatTensor, flag)
SIZE(th::AnyTensor, sizeof(THFloatTensor))

SAME(bridge::THStorage, data, THCudaStorage, data) SAME(bridge::THStorage, size, THCudaStorage, size)
SAME(bridge::THStorage, refcount, THCudaStorage, refcount) SAME(bridge::THStorage, flag, THCudaStorage, flag)
SAME(bridge::THStorage, allocator, THFloatStorage, allocator)
SAME(bridge::THStorage, device_allocator, THCudaStorage, allocator)
SAME(bridge::THStorage, context, THCudaStorage, allocatorContext) SAME(bridge::THStorage, view, THCudaStorage, view)
SAME(bridge::THStorage, device, THCudaStorage, device) SIZE(bridge::THStorage, sizeof(THCudaStorage))

SAME(bridge::THTensor, size, THFloatTensor, size) SAME(bridge::THTensor, stride, THFloatTensor, stride)
SAME(bridge::THTensor, dimensions, THFloatTensor, nDimension) SAME(bridge::THTensor, storage, THFloatTensor, storage)
SAME(bridge::THTensor, offset, THFloatTensor, storageOffset)
SAME(bridge::THTensor, refcount, THFloatTensor, refcount) SAME(bridge::THTensor, flag, THFloatTensor, flag)
SIZE(bridge::THTensor, sizeof(THFloatTensor))

SAME(bridge::THAllocator, malloc, THAllocator, malloc) SAME(bridge::THAllocator, realloc, THAllocator, realloc)
SAME(bridge::THAllocator, free, THAllocator, free) SIZE(bridge::THAllocator, sizeof(THAllocator))
SAME(bridge::THCDeviceAllocator, malloc, THCDeviceAllocator, malloc)
SAME(bridge::THCDeviceAllocator, realloc, THCDeviceAllocator, realloc)
SAME(bridge::THCDeviceAllocator, free, THCDeviceAllocator, free)
SIZE(bridge::THCDeviceAllocator, sizeof(THCDeviceAllocator))

static_assert(int(bridge::TH_REFCOUNTED) == TH_STORAGE_REFCOUNTED &&
                  int(bridge::TH_RESIZABLE) == TH_STORAGE_RESIZABLE && int(bridge::TH_FREEMEM) == TH_STORAGE_FREEMEM &&
                  int(bridge::TH_VIEW) == TH_STORAGE_VIEW &&
                  int(bridge::TH_LENT) == th::lent && int(bridge::TH_UNWRITTEN) == th::unwritten,
              "the bridge's flags differ from libth's");

// ---- DLPack's, which belong to its version 1 ------------------------------------------------------------------------

AT(bridge::DLTensor, data, 0) AT(bridge::DLTensor, device, 8) AT(bridge::DLTensor, ndim, 16)
AT(bridge::DLTensor, dtype, 20) AT(bridge::DLTensor, shape, 24) AT(bridge::DLTensor, strides, 32)
AT(bridge::DLTensor, byte_offset, 40) SIZE(bridge::DLTensor, 48)
AT(bridge::DLPackExchangeAPI, previous, 8) AT(bridge::DLPackExchangeAPI, dltensor_from_py_object_no_sync, 40)
AT(bridge::DLPackExchangeAPI, current_work_stream, 48) SIZE(bridge::DLPackExchangeAPI, 56)

// ---- bridge.h, where Python.h is known ------------------------------------------------------------------------------

#if defined(TORCHTHAW_BRIDGE)
#include "../../src/torchthaw/bridge/bridge.h"

// The last field of each version of the bridge ends where its record ended: no padding hides what is added next.
#define ENDS(type, field, bytes)                                                                                       \
    static_assert(THAW_UPTO(type, field) == bytes, #type " ended with " #field);                                       \
    static_assert(sizeof(type) >= bytes, #type " is shorter than it was");

AT(thaw_parameter, name, 0) AT(thaw_parameter, kind, 8) AT(thaw_parameter, flags, 12) AT(thaw_parameter, offset, 16)
AT(thaw_parameter, dtype_code, 20) AT(thaw_parameter, dtype_bits, 24) AT(thaw_parameter, reserved, 28)
AT(thaw_parameter, source, 32) AT(thaw_parameter, source_dim, 36) AT(thaw_parameter, aliases, 40)
ENDS(thaw_parameter, aliases, 48) // 1.0

AT(thaw_function, name, 0) AT(thaw_function, doc, 8) AT(thaw_function, trampoline, 16) AT(thaw_function, run, 24)
AT(thaw_function, parameters, 32) AT(thaw_function, parameter_count, 40) AT(thaw_function, variadic, 44)
AT(thaw_function, result, 48) AT(thaw_function, result_offset, 52) AT(thaw_function, result_code, 56)
AT(thaw_function, result_bits, 60) AT(thaw_function, status, 64) AT(thaw_function, operator_base, 68)
AT(thaw_function, shape, 72) AT(thaw_function, workspace, 80) AT(thaw_function, workspace_parameter, 88)
AT(thaw_function, workspace_size_parameter, 92) AT(thaw_function, kernel, 96) AT(thaw_function, kernel_out, 104)
ENDS(thaw_function, kernel_out, 112) // 1.0

AT(thaw_region, struct_size, 0) AT(thaw_region, body, 8) AT(thaw_region, data, 16) AT(thaw_region, kept, 24)
ENDS(thaw_region, kept, 32) // 1.0

AT(thaw_module, struct_size, 0) AT(thaw_module, major, 8) AT(thaw_module, minor, 12) AT(thaw_module, name, 16)
AT(thaw_module, table_size, 24) AT(thaw_module, function_size, 32) AT(thaw_module, parameter_size, 40)
AT(thaw_module, region_size, 48) AT(thaw_module, functions, 56) AT(thaw_module, function_count, 64)
AT(thaw_module, callables, 72) AT(thaw_module, make, 80) AT(thaw_module, kind_names, 88)
AT(thaw_module, kind_count, 96) AT(thaw_module, error_message, 104) AT(thaw_module, error_code, 112)
AT(thaw_module, runtime_codes, 120) AT(thaw_module, runtime_code_count, 128) AT(thaw_module, description, 136)
ENDS(thaw_module, description, 144) // 1.0

AT(thaw_bridge, struct_size, 0) AT(thaw_bridge, major, 8) AT(thaw_bridge, minor, 12) AT(thaw_bridge, load, 16)
AT(thaw_bridge, call, 24) AT(thaw_bridge, call_th, 32) AT(thaw_bridge, guard, 40) AT(thaw_bridge, threads, 48)
AT(thaw_bridge, member, 56) AT(thaw_bridge, join, 64) AT(thaw_bridge, kernel, 72)
ENDS(thaw_bridge, kernel, 80) // 1.0

#define FULL(type, field) static_assert(THAW_UPTO(type, field) == sizeof(type), #type " ends with padding");
FULL(thaw_parameter, aliases) FULL(thaw_function, kernel_out) FULL(thaw_region, kept) FULL(thaw_module, description)
FULL(thaw_bridge, kernel)

static_assert(THAW_VOID == 0 && THAW_BOOL == 1 && THAW_INT8 == 2 && THAW_INT16 == 3 && THAW_INT32 == 4 &&
                  THAW_INT64 == 5 && THAW_UINT8 == 6 && THAW_UINT16 == 7 && THAW_UINT32 == 8 && THAW_UINT64 == 9 &&
                  THAW_FLOAT == 10 && THAW_DOUBLE == 11 && THAW_TEXT == 12 && THAW_ARRAY == 13 && THAW_HANDLE == 14 &&
                  THAW_CFFI == 15 && THAW_TH_TENSOR == 16 && THAW_TH_STORAGE == 17 && THAW_THC_TENSOR == 18 &&
                  THAW_THC_STORAGE == 19,
              "a kind changed its number");
#define IN_ORDER(name, number) +(number >= 0 && number < THAW_KIND_COUNT)
static_assert((0 THAW_KIND_LIST(IN_ORDER)) == THAW_KIND_COUNT, "kinds are numbered without gaps");
static_assert(THAW_WRITTEN == 1 && THAW_SIZES == 2 && THAW_EXACT == 4 && THAW_CHECKED == 8 && THAW_MAY_BE_NULL == 16 &&
                  THAW_READ_TOO == 32 && THAW_SCRATCH == 64,
              "a flag changed its number");
static_assert(THAW_SHAPE_OF_SOURCE == -1 && THAW_NDIM_OF_SOURCE == -2 && THAW_MAX_DIMENSIONS == 64, "a number changed");
#endif
