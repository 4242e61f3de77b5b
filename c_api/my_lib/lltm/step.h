// c_api/my_lib/lltm/step.h: the pointwise half of the LLTM kernels, for one step and for sequences.
#pragma once

#include "gemm/gemm_transposed.h"
#include "lltm/lltm.h"

#include <cassert>

namespace my_lib {
namespace MY_LIB_ISA {

// One step's state and gates, (batch, state_size) and (batch, 3 * state_size).
template <typename S> struct LltmStep {
    int64_t state_size;
    const S *bias;
    const Arithmetic<S> *addend; // (batch, 3 * state_size) to add to the products and bias, or null; may be `gates`
    const S *old_cell;
    S *new_h, *new_cell, *gates; // gates may be null
};

// Finishes columns [first, first + present.count) of a row: bias, activation, new state. `before`: the products.
template <typename S, typename T = Arithmetic<S>>
[[gnu::always_inline]] inline void finish_lltm_row(const LltmStep<S> &step, int64_t row, int64_t first,
                                                   Some<T> present, const Vec<T> (&before)[3]) {
    const int64_t state_size = step.state_size, at = row * state_size + first;
    const auto gates = math::lltm_activate<Vec<T>>({before[0], before[1], before[2]});
    const auto state = math::lltm_update<Vec<T>>(gates, present.load(step.old_cell + at));
    present.store(step.new_h + at, state.h);
    present.store(step.new_cell + at, state.cell);
    if (step.gates) {
        S *to = step.gates + row * 3 * state_size + first;
        present.store(to, gates.input);
        present.store(to + state_size, gates.output);
        present.store(to + 2 * state_size, gates.candidate);
    }
}

// Finishes a block of products: addition, activation, new state.
template <typename S, typename T = Arithmetic<S>>
void finish_lltm(const LltmStep<S> &step, const Block<T> &block, int64_t first_row, int64_t rows, Columns part) {
    const int64_t state_size = step.state_size;
    assert(part.group_count == 3 && part.first + part.columns <= state_size);
    const Some<T> present = {part.columns};
    Vec<T> bias[3];
    for (int gate = 0; gate < 3; ++gate) bias[gate] = present.load(step.bias + gate * state_size + part.first);
    for (int64_t i = 0; i < rows; ++i) {
        const int64_t row = first_row + i;
        Vec<T> before[3];
        for (int gate = 0; gate < 3; ++gate) {
            before[gate] = load<T>(&block[gate][i * lanes<T>]) + bias[gate];
            if (step.addend)
                before[gate] =
                    before[gate] + present.load(step.addend + (row * 3 + gate) * state_size + part.first);
        }
        finish_lltm_row(step, row, part.first, present, before);
    }
}

// Finishes `batch` rows whose products are all in step.addend.
template <typename S> void finish_lltm_rows(const LltmStep<S> &step, int64_t batch) {
    using T = Arithmetic<S>;
    constexpr int64_t grain = 4096;  // elements per slice
    const int64_t state_size = step.state_size;
    parallel_for(batch, 1 + grain / (state_size + 1), [=](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row)
            for (int64_t i = 0; i < state_size; i += lanes<T>) {
                const Some<T> present = some<T>(state_size, i);
                Vec<T> before[3];
                for (int gate = 0; gate < 3; ++gate)
                    before[gate] = present.load(step.addend + (row * 3 + gate) * state_size + i) +
                                   present.load(step.bias + gate * state_size + i);
                finish_lltm_row(step, row, i, present, before);
            }
    });
}

// One step's gradients, from grad_h + more_grad_h (which may be null) and grad_cell. d_old_cell may be null, and
// may be grad_cell; both are of type Cell, S or T.
template <typename S, typename Cell, typename T = Arithmetic<S>>
void differentiate_lltm(const S *grad_h, const T *more_grad_h, const Cell *grad_cell, const S *new_cell, const S *gates,
                        int64_t batch, int64_t state_size, T *d_gates, Cell *d_old_cell) {
    constexpr int64_t grain = 4096; // elements per slice
    // Without states there may be any number of rows.
    parallel_for(state_size ? batch : 0, 1 + grain / (state_size + 1), [=](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row)
            for (int64_t i = 0; i < state_size; i += lanes<T>) {
                const int64_t at = row * state_size + i, gate = row * 3 * state_size + i;
                const Some<T> present = some<T>(state_size, i);
                Vec<T> d_h = present.load(grad_h + at);
                if (more_grad_h) d_h = d_h + present.load(more_grad_h + at);
                const auto d = math::lltm_differentiate<Vec<T>>(
                    {present.load(gates + gate), present.load(gates + gate + state_size),
                     present.load(gates + gate + 2 * state_size)},
                    present.load(new_cell + at), d_h, present.load(grad_cell + at));
                present.store(d_gates + gate, d.input);
                present.store(d_gates + gate + state_size, d.output);
                present.store(d_gates + gate + 2 * state_size, d.candidate);
                if (d_old_cell) present.store(d_old_cell + at, d.old_cell);
            }
    });
}

}  // namespace MY_LIB_ISA
}  // namespace my_lib
