// cub/block/block_reduce.cuh: the sum, or another reduction, of what the threads of a block have.
#pragma once

#include <cub/thread/thread_operators.cuh>

namespace cub {

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS,
    BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC,
};

/* The result is the first thread's; the others get a value without meaning. The order is that of the threads. */
template <typename T, int BLOCK_DIM_X, BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockReduce : public cuda_on_cpu::OfBlock<cuda_on_cpu::Slots<T, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z>> {
    static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

public:
    using BlockReduce::OfBlock::OfBlock;

    template <typename Op> T Reduce(T input, Op op, int num_valid) {
        this->storage_.set(this->thread_, input);
        __syncthreads();
        if (this->thread_ != 0) return input;
        for (int i = 1; i < num_valid; i++) input = op(input, this->storage_[size_t(i)]);
        return input;
    }
    template <typename Op> T Reduce(T input, Op op) { return Reduce(input, op, threads); }
    template <int ITEMS, typename Op> T Reduce(T (&inputs)[ITEMS], Op op) {
        T partial = inputs[0];
        for (int i = 1; i < ITEMS; i++) partial = op(partial, inputs[i]);
        return Reduce(partial, op);
    }
    T Sum(T input) { return Reduce(input, cub::Sum()); }
    T Sum(T input, int num_valid) { return Reduce(input, cub::Sum(), num_valid); }
    template <int ITEMS> T Sum(T (&inputs)[ITEMS]) { return Reduce(inputs, cub::Sum()); }
};

}  // namespace cub
