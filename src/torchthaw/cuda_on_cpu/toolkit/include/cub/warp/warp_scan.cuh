// cub/warp/warp_scan.cuh: prefix sums, or other prefixes, of what the lanes of a warp have.
#pragma once

#include <cub/thread/thread_operators.cuh>
#include <cuda_on_cpu/cub/warp.h>

namespace cub {

/* total: of all lanes, without an initial value. An exclusive scan without an initial value leaves the first lane's output as it
   was. */
template <typename T, int LOGICAL_WARP_THREADS = 32, int LEGACY_PTX_ARCH = 0>
class WarpScan : public cuda_on_cpu::OfWarp<T, LOGICAL_WARP_THREADS> {
    using Maybe = std::optional<T>;

public:
    using WarpScan::OfWarp::OfWarp;

    void InclusiveSum(T input, T &output) { scan(input, &output, nullptr, {}, cub::Sum()); }
    void InclusiveSum(T input, T &output, T &total) { total = scan(input, &output, nullptr, {}, cub::Sum()); }
    void ExclusiveSum(T input, T &output) { scan(input, nullptr, &output, T(), cub::Sum()); }
    void ExclusiveSum(T input, T &output, T &total) { total = scan(input, nullptr, &output, T(), cub::Sum()); }
    template <typename Op> void InclusiveScan(T input, T &output, Op op) { scan(input, &output, nullptr, {}, op); }
    template <typename Op> void InclusiveScan(T input, T &output, Op op, T &total) {
        total = scan(input, &output, nullptr, {}, op);
    }
    template <typename Op> void ExclusiveScan(T input, T &output, Op op) { scan(input, nullptr, &output, {}, op); }
    template <typename Op> void ExclusiveScan(T input, T &output, T initial, Op op) {
        scan(input, nullptr, &output, initial, op);
    }
    template <typename Op, typename = std::enable_if_t<std::is_invocable_v<Op &, T, T>>>
    void ExclusiveScan(T input, T &output, Op op, T &total) {
        total = scan(input, nullptr, &output, {}, op);
    }
    template <typename Op> void ExclusiveScan(T input, T &output, T initial, Op op, T &total) {
        total = scan(input, nullptr, &output, initial, op);
    }
    template <typename Op> void Scan(T input, T &inclusive, T &exclusive, Op op) {
        scan(input, &inclusive, &exclusive, {}, op);
    }
    template <typename Op> void Scan(T input, T &inclusive, T &exclusive, T initial, Op op) {
        scan(input, &inclusive, &exclusive, initial, op);
    }
    void Sum(T input, T &inclusive, T &exclusive) { scan(input, &inclusive, &exclusive, T(), cub::Sum()); }
    T Broadcast(T input, unsigned lane) {
        return this->shared(input, [&] { return this->storage_[lane]; });
    }

private:
    template <typename Op> T scan(T input, T *inclusive, T *exclusive, Maybe before, Op op) {
        T total = this->shared(input, [&] {
            for (size_t i = 0; i < this->lane_; i++) before = before ? T(op(*before, this->storage_[i])) : this->storage_[i];
            T sum = this->storage_[0];
            for (size_t i = 1; i < LOGICAL_WARP_THREADS; i++) sum = op(sum, this->storage_[i]);
            return sum;
        });
        if (inclusive) *inclusive = before ? T(op(*before, input)) : input;
        if (exclusive && before) *exclusive = *before;
        return total;
    }
};

}  // namespace cub
