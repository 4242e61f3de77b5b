// portable/parallel.h: at::parallel_for and the number of threads, which are PyTorch's.
#pragma once
#include "tensor.h"

namespace torchthaw {
/// Calls body(context, begin, end) for parts of [begin, end) of at least grain_size, at once where that is worth it. An
/// exception of one part is thrown here, after all have ended.
void parallel(int64_t begin, int64_t end, int64_t grain_size, void (*body)(void *context, int64_t, int64_t), void *context);
}  // namespace torchthaw

namespace at {

// Not PyTorch's names for the linker: portable/pytorch.h takes PyTorch's functions of these names.
inline namespace torchthaw_1 {
int get_num_threads();
void set_num_threads(int threads);
/// The number of this thread within a parallel region, 0 outside of one.
int get_thread_num();
bool in_parallel_region();
int get_num_interop_threads();
/// Runs a function in another thread, which nobody waits for.
void launch(std::function<void()> function);
}  // namespace torchthaw_1

inline void lazy_init_num_threads() {}

namespace internal {
constexpr int64_t GRAIN_SIZE = 32768;
}

inline int64_t divup(int64_t a, int64_t b) { return (a + b - 1) / b; }

template <class Body>
void parallel_for(int64_t begin, int64_t end, int64_t grain_size, const Body &body) {
    if (begin >= end) return;
    torchthaw::parallel(
        begin, end, grain_size,
        [](void *context, int64_t from, int64_t to) { (*static_cast<const Body *>(context))(from, to); },
        const_cast<void *>(static_cast<const void *>(&body)));
}

/// combine(… body(from, to, identity) …) over parts of [begin, end), in their order.
template <class Value, class Body, class Combine>
Value parallel_reduce(int64_t begin, int64_t end, int64_t grain_size, Value identity, const Body &body, const Combine &combine) {
    if (begin >= end) return identity;
    const int64_t parts = std::min<int64_t>(get_num_threads(), divup(end - begin, std::max<int64_t>(grain_size, 1)));
    const int64_t size = divup(end - begin, parts);
    std::vector<Value> results(parts, identity);
    parallel_for(0, parts, 1, [&](int64_t from, int64_t to) {
        for (int64_t part = from; part < to; ++part) {
            const int64_t first = begin + part * size;
            if (first < end) results[part] = body(first, std::min(first + size, end), identity);
        }
    });
    return std::accumulate(results.begin(), results.end(), identity, combine);
}

}  // namespace at
