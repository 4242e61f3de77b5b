// cuda_on_cpu/scopes.h: cuda::thread_scope, of libcu++ where that is installed.
#pragma once

#if __has_include(<cuda/atomic>)
#include <cuda/atomic>
#else
namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread = 10 };
}
#endif
