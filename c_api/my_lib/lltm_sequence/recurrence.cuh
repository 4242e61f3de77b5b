// c_api/my_lib/lltm_sequence/recurrence.cuh: all steps of an LLTM in one kernel, recurrent weights in registers.
//
// A block owns one or two rows of the batch for the whole sequence, so blocks need not meet. Each of its threads, three
// for each unit of the state, holds one row (backward: one column of one gate) of the recurrent weights: all but 16
// numbers in registers, which for a state of 128 takes 168 of the 256 KB of registers that a processor has on every
// card since sm_75. The 16, and what the threads exchange in a step, lie in at most 31 KB of shared memory, below any
// card's 48 KB, so nothing depends on the card. Larger states do not fit and go step by step.
#pragma once

#include "runtime/device.cuh"
#include "lltm/lltm.h"
#include "runtime/pack.cuh"

namespace my_lib {

// Whether a thread's row of weights fits its registers.
template <typename T> constexpr int64_t most_weights = 512 / sizeof(T);
template <typename T> constexpr bool holds_weights(int64_t state_size) { return state_size <= most_weights<T>; }

// Sizes and strides as in my_lib.h; row_size: elements between two rows of `weights`.
template <typename T> struct Recurrence {
    const T *weights, *bias, *old_h, *old_cell;
    T *before;  // (seq_len, batch, 3 * state_size), the input's share; becomes the gates where keeps_gates
    T *h, *cell;
    int64_t seq_len, batch, state_size, row_size;
    bool keeps_gates;

    __host__ __device__ int64_t step_states() const { return batch * state_size; }
};

// grad_last_h and grad_last_cell may be null, which counts as zero; d_old_h and d_old_cell where they are not wanted.
template <typename T> struct BackRecurrence {
    const T *weights, *grad_h, *grad_last_h, *grad_last_cell, *cell, *gates;
    T *d_gates, *d_old_h, *d_old_cell;
    int64_t seq_len, batch, state_size, row_size;

    __host__ __device__ int64_t step_states() const { return batch * state_size; }
};

// What one thread is responsible for. The units are padded to `capacity`, a multiple of a warp, so that a warp belongs
// to one gate and reads what it multiplies as a broadcast.
template <int capacity, int most_rows> struct Place {
    int gate, unit;
    bool present;         // this unit exists
    int rows;             // of the batch, for this thread
    int64_t at, gate_at;  // of the first row, in an array of one step's states, and of its gates

    __device__ Place(int64_t batch, int state_size)
        : gate(static_cast<int>(threadIdx.x) / capacity), unit(static_cast<int>(threadIdx.x) % capacity),
          present(unit < state_size) {
        const int64_t first = int64_t{blockIdx.x} * most_rows, left = batch - first;
        rows = !present ? 0 : left < most_rows ? static_cast<int>(left) : most_rows;
        at = first * state_size + unit;
        gate_at = (first * 3 + gate) * state_size + unit;
    }
};

// A thread's weights: the first `near` in registers, the rest in the block's shared memory, a column per thread. Rows
// of `rest` are padded by 2, so that 16 threads that write a column of it meet 16 banks.
constexpr int rest_of_weights = 16;
template <typename T, int capacity> using Rest = T[rest_of_weights][3 * capacity + 2];
template <int capacity> constexpr int near = capacity - rest_of_weights;

// sums[row] = the sum over k of values[row][k] times this thread's k-th weight
template <int capacity, int rows, typename T>
__device__ void multiply_rows(const T (&values)[rows][capacity], const T (&weights)[near<capacity>],
                              const Rest<T, capacity> &rest, T (&sums)[rows]) {
    constexpr int width = widest_pack<T>, chains = 2;
    T parts[rows][chains] = {};  // sums that do not wait for each other; with more of them registers spill
#pragma unroll
    for (int k = 0; k < capacity; k += width) {
        T factors[width];
#pragma unroll
        for (int i = 0; i < width; ++i)
            factors[i] = k < near<capacity> ? weights[k < near<capacity> ? k + i : 0]
                                            : rest[k < near<capacity> ? 0 : k + i - near<capacity>][threadIdx.x];
#pragma unroll
        for (int row = 0; row < rows; ++row) {
            const auto pack = load_pack<width>(&values[row][k]);
#pragma unroll
            for (int i = 0; i < width; ++i) parts[row][i % chains] += pack.values[i] * factors[i];
        }
    }
#pragma unroll
    for (int row = 0; row < rows; ++row) {
        sums[row] = 0;
#pragma unroll
        for (int i = 0; i < chains; ++i) sums[row] += parts[row][i];
    }
}

template <int capacity, int rows, typename T>
__global__ void __launch_bounds__(3 * capacity, 1) recurrence_kernel(Recurrence<T> r) {
    alignas(16) __shared__ T h[rows][capacity];
    __shared__ T active[rows][3][capacity];
    __shared__ Rest<T, capacity> rest;
    const int state_size = static_cast<int>(r.state_size);
    const Place<capacity, rows> place(r.batch, state_size);

    // Each thread's row of the weights comes through `rest`, so that neighbours read neighbouring addresses.
    T weights[near<capacity>];
#pragma unroll
    for (int first = 0; first < capacity; first += rest_of_weights) {
#pragma unroll 1
        for (int i = threadIdx.x; i < 3 * capacity * rest_of_weights; i += 3 * capacity) {
            const int row = i / rest_of_weights, column = first + i % rest_of_weights;
            const bool inside = row % capacity < state_size && column < state_size;
            const int64_t from = (int64_t{row / capacity} * state_size + row % capacity) * r.row_size + column;
            rest[i % rest_of_weights][row] = inside ? r.weights[from] : T(0);
        }
        __syncthreads();
        if (first == near<capacity>) break;
#pragma unroll
        for (int k = 0; k < rest_of_weights; ++k) weights[first + k] = rest[k][threadIdx.x];
        __syncthreads();
    }

    const T bias = place.present ? r.bias[place.gate * state_size + place.unit] : T(0);
    int64_t at = place.at, gate_at = place.gate_at;
    T cell[rows], before[rows];
#pragma unroll
    for (int i = 0; i < rows; ++i) {
        const bool exists = i < place.rows;
        cell[i] = exists ? r.old_cell[at + i * state_size] : T(0);
        before[i] = exists && r.seq_len > 0 ? r.before[gate_at + i * 3 * state_size] : T(0);
        if (place.gate == i % 3) h[i][place.unit] = exists ? r.old_h[at + i * state_size] : T(0);
    }
    __syncthreads();

    for (int64_t t = 0; t < r.seq_len; ++t) {
        T next[rows], sums[rows];
#pragma unroll
        for (int i = 0; i < rows; ++i)
            next[i] = i < place.rows && t + 1 < r.seq_len
                          ? r.before[gate_at + 3 * r.step_states() + i * 3 * state_size]
                          : T(0);
        multiply_rows(h, weights, rest, sums);
#pragma unroll
        for (int i = 0; i < rows; ++i) {
            const T x = sums[i] + before[i] + bias;
            const T y = place.gate == 2 ? math::elu(x) : math::sigmoid(x);
            active[i][place.gate][place.unit] = y;
            if (r.keeps_gates && i < place.rows) r.before[gate_at + i * 3 * state_size] = y;
            before[i] = next[i];
        }
        __syncthreads();
        // Row i is finished by the threads of gate i % 3.
#pragma unroll
        for (int i = 0; i < rows; ++i) {
            if (place.gate != i % 3) continue;
            const auto state = math::lltm_update<T>(
                {active[i][0][place.unit], active[i][1][place.unit], active[i][2][place.unit]}, cell[i]);
            cell[i] = state.cell;
            h[i][place.unit] = state.h;  // 0 for a unit that is only padding
            if (i >= place.rows) continue;
            r.h[at + i * state_size] = state.h;
            r.cell[at + i * state_size] = state.cell;
        }
        __syncthreads();
        at += r.step_states();
        gate_at += 3 * r.step_states();
    }
}

template <int capacity, int rows, typename T>
__global__ void __launch_bounds__(3 * capacity, 1) back_recurrence_kernel(BackRecurrence<T> r) {
    alignas(16) __shared__ T d_gates[3][rows][capacity];
    __shared__ T shares[rows][3][capacity];  // of the gradient of h, from each gate
    __shared__ Rest<T, capacity> rest;
    const int state_size = static_cast<int>(r.state_size);
    const Place<capacity, rows> place(r.batch, state_size);

    T weights[near<capacity>];
    const T *from = r.weights + int64_t{place.gate} * state_size * r.row_size + place.unit;
#pragma unroll
    for (int k = 0; k < capacity; ++k) {
        if (k % rest_of_weights == 0) __syncthreads();  // or the compiler spills what it would load at once
        const T weight = place.present && k < state_size ? *from : T(0);
        from += r.row_size;
        if (k < near<capacity>) weights[k < near<capacity> ? k : 0] = weight;
        else rest[k < near<capacity> ? 0 : k - near<capacity>][threadIdx.x] = weight;
    }

    T d_h[rows], d_cell[rows];
#pragma unroll
    for (int i = 0; i < rows; ++i) {
        const int64_t at = place.at + i * state_size;
        d_h[i] = i < place.rows && r.grad_last_h ? r.grad_last_h[at] : T(0);
        d_cell[i] = i < place.rows && r.grad_last_cell ? r.grad_last_cell[at] : T(0);
    }

    int64_t at = place.at + r.seq_len * r.step_states(), gate_at = place.gate_at + r.seq_len * 3 * r.step_states();
    for (int64_t t = r.seq_len - 1; t >= 0; --t) {
        at -= r.step_states();
        gate_at -= 3 * r.step_states();
#pragma unroll
        for (int i = 0; i < rows; ++i) {
            T mine = 0;
            if (i < place.rows) {
                // All three threads of a unit compute its whole gradient, and keep the share of their gate.
                const int64_t own = gate_at + i * 3 * state_size;
                const T *gates = r.gates + own - place.gate * state_size;
                const auto d = math::lltm_differentiate<T>({gates[0], gates[state_size], gates[2 * state_size]},
                                                           r.cell[at + i * state_size],
                                                           r.grad_h[at + i * state_size] + d_h[i], d_cell[i]);
                d_cell[i] = d.old_cell;
                mine = place.gate == 0 ? d.input : place.gate == 1 ? d.output : d.candidate;
                r.d_gates[own] = mine;
            }
            d_gates[place.gate][i][place.unit] = mine;
        }
        __syncthreads();
        T sums[rows];
        multiply_rows(d_gates[place.gate], weights, rest, sums);
#pragma unroll
        for (int i = 0; i < rows; ++i) shares[i][place.gate][place.unit] = sums[i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < rows; ++i)
            d_h[i] = shares[i][0][place.unit] + shares[i][1][place.unit] + shares[i][2][place.unit];
    }

    if (place.gate != 0) return;
#pragma unroll
    for (int i = 0; i < rows; ++i) {
        if (i >= place.rows) break;
        if (r.d_old_h) r.d_old_h[place.at + i * state_size] = d_h[i];
        if (r.d_old_cell) r.d_old_cell[place.at + i * state_size] = d_cell[i];
    }
}

template <int capacity, int rows, typename T> bool launch_recurrence(const Recurrence<T> &r, void *stream) {
    return launch(recurrence_kernel<capacity, rows, T>, static_cast<unsigned>((r.batch + rows - 1) / rows),
                  3 * capacity, stream, r);
}

template <int capacity, int rows, typename T> bool launch_recurrence(const BackRecurrence<T> &r, void *stream) {
    return launch(back_recurrence_kernel<capacity, rows, T>, static_cast<unsigned>((r.batch + rows - 1) / rows),
                  3 * capacity, stream, r);
}

// A row per block while the processors suffice, which is fastest for a row; two share the weights beyond that.
template <int capacity, template <typename> class R, typename T>
bool recur_with(const R<T> &r, const Device &device, void *stream) {
    return r.batch <= device.processors ? launch_recurrence<capacity, 1>(r, stream)
                                        : launch_recurrence<capacity, 2>(r, stream);
}

// All steps of a Recurrence or BackRecurrence whose weights fit.
template <template <typename> class R, typename T> bool recur(const R<T> &r, void *stream) {
    Device device;
    if (!current_device(&device)) return false;
    if (r.state_size <= 32) return recur_with<32>(r, device, stream);
    if (r.state_size <= 64) return recur_with<64>(r, device, stream);
    return recur_with<most_weights<T>>(r, device, stream);
}

}  // namespace my_lib
