// cub/block/block_scan.cuh: prefix sums, or other prefixes, of what the threads of a block have.
#pragma once

#include <cub/thread/thread_operators.cuh>

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

/* Each function takes a value, or an array of a thread's items, and gives as much. What may follow: a T & for the total of the
   block, without an initial value; or a functor that gets this total in the first warp, and whose result in the first thread
   stands before all of the block. An exclusive scan without an initial value leaves the first output as it was. */
template <typename T, int BLOCK_DIM_X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockScan : public cuda_on_cpu::OfBlock<cuda_on_cpu::Slots<T, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z + 2>> {
    static constexpr size_t threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, total = threads, prefix = threads + 1;

public:
    using BlockScan::OfBlock::OfBlock;

    template <typename In, typename Out, typename... More> void InclusiveSum(const In &input, Out &output, More &&...more) {
        scan<true>(input, output, {}, cub::Sum(), more...);
    }
    template <typename In, typename Out, typename... More> void ExclusiveSum(const In &input, Out &output, More &&...more) {
        scan<false>(input, output, T(), cub::Sum(), more...);
    }
    /* InclusiveScan(input, output, [initial,] op, …) and ExclusiveScan(input, output, [initial,] op, …) */
    template <typename In, typename Out, typename First, typename... More>
    void InclusiveScan(const In &input, Out &output, First first, More &&...more) {
        choose<true>(input, output, first, more...);
    }
    template <typename In, typename Out, typename First, typename... More>
    void ExclusiveScan(const In &input, Out &output, First first, More &&...more) {
        choose<false>(input, output, first, more...);
    }

private:
    template <bool inclusive, typename In, typename Out, typename First, typename... More>
    void choose(const In &input, Out &output, First first, More &...more) {
        if constexpr (std::is_invocable_v<First &, T, T>) scan<inclusive>(input, output, {}, first, more...);
        else scan<inclusive>(input, output, T(first), more...);
    }

    template <bool inclusive, typename In, typename Out, typename Op, typename... More>
    void scan(const In &input, Out &output, std::optional<T> initial, Op op, More &...more) {
        const auto in = cuda_on_cpu::items<T>(input);
        T partial = in[0];
        for (int i = 1; i < in.count; i++) partial = op(partial, T(in[i]));
        std::optional<T> before = before_thread(partial, op, more...);
        if (initial) before = before ? T(op(*initial, *before)) : *initial;
        if constexpr (std::is_array_v<Out>) {
            for (int i = 0; i < in.count; i++) step<inclusive>(T(in[i]), output[i], before, op);
        } else {
            step<inclusive>(T(in[0]), output, before, op);
        }
    }
    template <bool inclusive, typename Out, typename Op>
    static void step(T item, Out &output, std::optional<T> &before, Op &op) {
        const T sum = before ? T(op(*before, item)) : item;
        if constexpr (inclusive) output = sum;
        else if (before) output = *before;
        before = sum;
    }

    // What comes before this thread; for the first one only a functor gives something.
    template <typename Op> std::optional<T> before_thread(T partial, Op &op) {
        auto &slots = this->storage_;
        slots.set(this->thread_, partial);
        __syncthreads();
        if (this->thread_ == 0) {
            T sum = slots[0];
            for (size_t i = 1; i < threads; i++) {
                const T next = op(sum, slots[i]);
                slots[i] = sum;
                sum = next;
            }
            slots.set(total, sum);
        }
        __syncthreads();
        return this->thread_ == 0 ? std::optional<T>() : slots[this->thread_];
    }
    template <typename Op, typename More> std::optional<T> before_thread(T partial, Op &op, More &more) {
        std::optional<T> before = before_thread(partial, op);
        auto &slots = this->storage_;
        if constexpr (std::is_invocable_v<More &, T>) {
            if (this->thread_ < 32) {
                const T found = more(slots[total]);
                if (this->thread_ == 0) slots.set(prefix, found);
            }
            __syncthreads();
            before = before ? T(op(slots[prefix], *before)) : slots[prefix];
        } else {
            more = slots[total];
        }
        return before;
    }
};

}  // namespace cub
