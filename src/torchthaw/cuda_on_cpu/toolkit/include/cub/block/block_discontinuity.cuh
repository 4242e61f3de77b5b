// cub/block/block_discontinuity.cuh: marks the items of a block that differ from their neighbours.
#pragma once

#include <cub/util_type.cuh>

namespace cub {

/* op(a, b), where b follows a, says whether they differ; it may take the number of b in the block as a third argument. Without
   an item before the block, its first item is a head; without one behind it, its last item is a tail. */
template <typename T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
struct BlockDiscontinuityStorage {
    cuda_on_cpu::Slots<T, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z> firsts, lasts;
};
template <typename T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockDiscontinuity
    : public cuda_on_cpu::OfBlock<BlockDiscontinuityStorage<T, BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z, LEGACY_PTX_ARCH>> {
    static constexpr unsigned threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

public:
    using BlockDiscontinuity::OfBlock::OfBlock;

    template <int ITEMS, typename Flag, typename Op> void FlagHeads(Flag (&heads)[ITEMS], T (&input)[ITEMS], Op op) {
        share(input);
        flag_heads(heads, input, op, nullptr);
    }
    template <int ITEMS, typename Flag, typename Op>
    void FlagHeads(Flag (&heads)[ITEMS], T (&input)[ITEMS], Op op, T before) {
        share(input);
        flag_heads(heads, input, op, &before);
    }
    template <int ITEMS, typename Flag, typename Op> void FlagTails(Flag (&tails)[ITEMS], T (&input)[ITEMS], Op op) {
        share(input);
        flag_tails(tails, input, op, nullptr);
    }
    template <int ITEMS, typename Flag, typename Op>
    void FlagTails(Flag (&tails)[ITEMS], T (&input)[ITEMS], Op op, T behind) {
        share(input);
        flag_tails(tails, input, op, &behind);
    }
    template <int ITEMS, typename Flag, typename Op>
    void FlagHeadsAndTails(Flag (&heads)[ITEMS], Flag (&tails)[ITEMS], T (&input)[ITEMS], Op op) {
        FlagHeads(heads, input, op);
        flag_tails(tails, input, op, nullptr);
    }
    template <int ITEMS, typename Flag, typename Op>
    void FlagHeadsAndTails(Flag (&heads)[ITEMS], Flag (&tails)[ITEMS], T behind, T (&input)[ITEMS], Op op) {
        FlagHeads(heads, input, op);
        flag_tails(tails, input, op, &behind);
    }
    template <int ITEMS, typename Flag, typename Op>
    void FlagHeadsAndTails(Flag (&heads)[ITEMS], T before, Flag (&tails)[ITEMS], T (&input)[ITEMS], Op op) {
        FlagHeads(heads, input, op, before);
        flag_tails(tails, input, op, nullptr);
    }
    template <int ITEMS, typename Flag, typename Op>
    void FlagHeadsAndTails(Flag (&heads)[ITEMS], T before, Flag (&tails)[ITEMS], T behind, T (&input)[ITEMS], Op op) {
        FlagHeads(heads, input, op, before);
        flag_tails(tails, input, op, &behind);
    }

private:
    template <int ITEMS> void share(T (&input)[ITEMS]) {
        this->storage_.firsts.set(this->thread_, input[0]);
        this->storage_.lasts.set(this->thread_, input[ITEMS - 1]);
        __syncthreads();
    }
    template <typename Op> static bool differ(Op &op, const T &a, const T &b, int place) {
        if constexpr (std::is_invocable_v<Op &, T, T, int>) return op(a, b, place);
        else return op(a, b);
    }
    template <int ITEMS, typename Flag, typename Op>
    void flag_heads(Flag (&heads)[ITEMS], T (&input)[ITEMS], Op &op, const T *before) {
        const int first = int(this->thread_) * ITEMS;
        const T *left = this->thread_ ? &this->storage_.lasts[this->thread_ - 1] : before;
        heads[0] = left ? differ(op, *left, input[0], first) : true;
        for (int i = 1; i < ITEMS; i++) heads[i] = differ(op, input[i - 1], input[i], first + i);
    }
    template <int ITEMS, typename Flag, typename Op>
    void flag_tails(Flag (&tails)[ITEMS], T (&input)[ITEMS], Op &op, const T *behind) {
        const int first = int(this->thread_) * ITEMS;
        const T *right = this->thread_ + 1 < threads ? &this->storage_.firsts[this->thread_ + 1] : behind;
        for (int i = 0; i + 1 < ITEMS; i++) tails[i] = differ(op, input[i], input[i + 1], first + i + 1);
        tails[ITEMS - 1] = right ? differ(op, input[ITEMS - 1], *right, first + ITEMS) : true;
    }
};

}  // namespace cub
