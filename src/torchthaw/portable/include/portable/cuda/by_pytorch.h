// portable/cuda/by_pytorch.h: what PyTorch does for CUDA code. Needs no header of CUDA: streams and handles are void *.
//
// Each is a C function of PyTorch where there is one, see portable/pytorch.h, else a call of Python's torch.cuda, which takes
// the GIL. Devices are indices from 0. c10::Error, or Python's error, where PyTorch refuses.
#pragma once
#include "portable/core/memory.h"
#include "portable/generator.h"

namespace torchthaw::cuda {

/// The cudaStream_t that PyTorch launches on in this thread.
void *current_stream(int device);
void set_current_stream(void *stream, int device);
/// One of PyTorch's own streams, which are never destroyed.
void *stream_from_pool(bool high_priority, int device);

/// Memory of a device for work on the current stream; it goes back to PyTorch's cache with the DataPtr.
c10::DataPtr allocate(size_t bytes, int device);
/// The same, until release() gets the address. Null for 0 bytes.
void *allocate_raw(size_t bytes, int device);
void release(void *address) noexcept;
/// Keeps memory of allocate() from others until what the stream has by then is done.
void record_stream(const c10::DataPtr &memory, void *stream, int device);
void empty_cache();
/// Has PyTorch start CUDA, which it else does when a program first uses it.
void initialize();

/// PyTorch's cublasHandle_t of this thread and the current stream; null where it has none.
void *blas_handle();

/// The generator of a device that is used where none is given.
at::Generator default_generator(int device);
/// Takes `count` numbers of a generator's Philox sequence for each thread: its seed, and the offset before.
std::pair<uint64_t, uint64_t> philox(const at::Generator &generator, uint64_t count);

/// c = alpha · op(a) · op(b) + beta · c of column-major matrices of a device, op by 'n', 't' or 'c' as in BLAS.
/// m, n: of c; k: what is summed over. Leading dimensions in elements.
void gemm(int device, c10::ScalarType type, char op_a, char op_b, int64_t m, int64_t n, int64_t k, c10::Scalar alpha, const void *a,
          int64_t lda, const void *b, int64_t ldb, c10::Scalar beta, void *c, int64_t ldc);

}  // namespace torchthaw::cuda
