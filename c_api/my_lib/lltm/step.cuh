// c_api/my_lib/lltm/step.cuh: the pointwise half of the LLTM kernels, for one step and for sequences.
#pragma once

#include "runtime/grid.cuh"
#include "lltm/lltm.h"

namespace my_lib {

// One step's state and gates, (batch, state_size) and (batch, 3 * state_size).
template <typename T> struct LltmStep {
    const T *before;  // the gates without bias, before activation; may be `gates`
    const T *bias, *old_cell;
    T *new_h, *new_cell, *gates;  // gates may be null
};

template <int width, typename T>
__global__ void __launch_bounds__(grid_threads)
    finish_lltm_kernel(LltmStep<T> step, int64_t batch, int64_t state_size) {
    using P = Pack<T, width>;
    for_each_pack<width>(batch, state_size, [&](int64_t row, int64_t column) {
        P before[3], bias[3], gates[3], h, cell = load_pack<width>(step.old_cell + row * state_size + column);
        for (int gate = 0; gate < 3; ++gate) {
            before[gate] = load_pack<width>(step.before + (row * 3 + gate) * state_size + column);
            bias[gate] = load_pack<width>(step.bias + gate * state_size + column);
        }
        for (int i = 0; i < width; ++i) {
            T x[3];
            for (int gate = 0; gate < 3; ++gate) x[gate] = before[gate].values[i] + bias[gate].values[i];
            const auto active = math::lltm_activate<T>({x[0], x[1], x[2]});
            const auto state = math::lltm_update<T>(active, cell.values[i]);
            gates[0].values[i] = active.input;
            gates[1].values[i] = active.output;
            gates[2].values[i] = active.candidate;
            h.values[i] = state.h;
            cell.values[i] = state.cell;
        }
        store_pack(step.new_h + row * state_size + column, h);
        store_pack(step.new_cell + row * state_size + column, cell);
        if (step.gates)
            for (int gate = 0; gate < 3; ++gate)
                store_pack(step.gates + (row * 3 + gate) * state_size + column, gates[gate]);
    });
}

// Activation, cell update and output of a step whose products are done.
template <typename T> bool finish_lltm(const LltmStep<T> &step, int64_t batch, int64_t state_size, void *stream) {
    const bool packs = state_size % widest_pack<T> == 0 &&
                       take_packs(step.before, step.bias, step.old_cell, step.new_h, step.new_cell, step.gates);
    return launch_rows(packs ? finish_lltm_kernel<widest_pack<T>, T> : finish_lltm_kernel<1, T>,
                       packs ? widest_pack<T> : 1, batch, state_size, stream, step);
}

// One step's gradients, from grad_h + more_grad_h and grad_cell; the last two may be null. d_old_cell may be null, and
// may be grad_cell.
template <typename T> struct LltmGradient {
    const T *grad_h, *more_grad_h, *grad_cell, *new_cell, *gates;
    T *d_gates, *d_old_cell;
};

template <int width, typename T>
__global__ void __launch_bounds__(grid_threads)
    differentiate_lltm_kernel(LltmGradient<T> step, int64_t batch, int64_t state_size) {
    using P = Pack<T, width>;
    for_each_pack<width>(batch, state_size, [&](int64_t row, int64_t column) {
        const int64_t at = row * state_size + column;
        const P new_cell = load_pack<width>(step.new_cell + at), grad_h = load_pack<width>(step.grad_h + at);
        P more = {}, d_cell = {}, gates[3];
        if (step.more_grad_h) more = load_pack<width>(step.more_grad_h + at);
        if (step.grad_cell) d_cell = load_pack<width>(step.grad_cell + at);
        for (int gate = 0; gate < 3; ++gate)
            gates[gate] = load_pack<width>(step.gates + (row * 3 + gate) * state_size + column);
        for (int i = 0; i < width; ++i) {
            const auto d =
                math::lltm_differentiate<T>({gates[0].values[i], gates[1].values[i], gates[2].values[i]},
                                            new_cell.values[i], grad_h.values[i] + more.values[i], d_cell.values[i]);
            gates[0].values[i] = d.input;
            gates[1].values[i] = d.output;
            gates[2].values[i] = d.candidate;
            d_cell.values[i] = d.old_cell;
        }
        for (int gate = 0; gate < 3; ++gate)
            store_pack(step.d_gates + (row * 3 + gate) * state_size + column, gates[gate]);
        if (step.d_old_cell) store_pack(step.d_old_cell + at, d_cell);
    });
}

template <typename T>
bool differentiate_lltm(const LltmGradient<T> &step, int64_t batch, int64_t state_size, void *stream) {
    const bool packs = state_size % widest_pack<T> == 0 &&
                       take_packs(step.grad_h, step.more_grad_h, step.grad_cell, step.new_cell, step.gates,
                                  step.d_gates, step.d_old_cell);
    return launch_rows(packs ? differentiate_lltm_kernel<widest_pack<T>, T> : differentiate_lltm_kernel<1, T>,
                       packs ? widest_pack<T> : 1, batch, state_size, stream, step);
}

}  // namespace my_lib
