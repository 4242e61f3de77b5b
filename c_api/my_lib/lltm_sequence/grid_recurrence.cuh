// c_api/my_lib/lltm_sequence/grid_recurrence.cuh: all steps of an LLTM in one kernel, for states that no block can hold.
//
// A block owns a few units of the state, for some rows of the batch, and keeps the recurrent weights of these units in
// shared memory for the whole sequence. Each step needs all units of the step before: the blocks of the same rows wait
// for each other, by a count of finished steps for each block, in the caller's workspace. So all blocks must run at
// once. The launch is cooperative, which makes CUDA start all of them or none.
#pragma once

#include "gemm/products.cuh"
#include "lltm_sequence/recurrence.cuh"
#include "lltm_sequence/tile_product.cuh"
#include "runtime/workspace.cuh"

#include <climits>
#include <mutex>
#include <type_traits>

namespace my_lib {

constexpr int64_t most_team_blocks = 1024;

// Until each of `blocks` blocks has finished `steps` steps; what they wrote before is visible then. By whole warps.
__device__ inline void wait_for_steps(const unsigned *finished, unsigned blocks, unsigned steps) {
    for (unsigned i = threadIdx.x % 32; i < blocks; i += 32)
        while (*static_cast<const volatile unsigned *>(finished + i) < steps) __nanosleep(0);
    __threadfence();
    __syncwarp();
}

// After a barrier of the block: what it wrote before is finished.
__device__ inline void announce_steps(unsigned *finished, unsigned steps) {
    if (threadIdx.x != 0) return;
    __threadfence();
    *static_cast<volatile unsigned *>(finished) = steps;
}

// The elements of the new state that a thread of a block finishes: pairs of a unit and a row of the tile.
template <int units, int rows> struct Elements {
    static constexpr int count = units * rows > team_threads ? units * rows / team_threads : 1;

    __device__ static bool exists(int i) { return index(i) < units * rows; }
    // 8 units beside each other, so that 32 bytes are written at once.
    __device__ static int unit(int i) { return index(i) % 8 + index(i) / (8 * rows) * 8; }
    __device__ static int row(int i) { return index(i) / 8 % rows; }
    __device__ static int index(int i) { return i * team_threads + static_cast<int>(threadIdx.x); }
};

// `finished`: a number for each block, 0 at first.
template <template <int, int> class TileProduct, int units, int rows>
__global__ void __launch_bounds__(team_threads, 1)
    grid_recurrence_kernel(Recurrence<float> r, int tiles, unsigned *finished) {
    extern __shared__ float4 team_memory[];
    using Mine = Elements<units, rows>;
    using Tile = TileProduct<3 * units, rows>;
    const int state_size = static_cast<int>(r.state_size), pitch = Tile::pitch(state_size);
    const int first_unit = static_cast<int>(blockIdx.x) * units;
    float *weights = reinterpret_cast<float *>(team_memory);
    for (int i = threadIdx.x; i < 3 * units * pitch; i += team_threads) {
        const int unit = first_unit + i / pitch % units, gate = i / pitch / units, k = i % pitch;
        const bool inside = unit < state_size && k < state_size;
        weights[i] = inside ? Tile::weight(r.weights[(int64_t{gate} * state_size + unit) * r.row_size + k]) : 0;
    }
    float bias[Mine::count][3];
#pragma unroll
    for (int i = 0; i < Mine::count; ++i)
#pragma unroll
        for (int gate = 0; gate < 3; ++gate) {
            const int unit = first_unit + Mine::unit(i);
            bias[i][gate] = Mine::exists(i) && unit < state_size ? r.bias[gate * state_size + unit] : 0;
        }
    Tile product(weights, state_size);
    unsigned *const of_these_rows = finished + blockIdx.y * gridDim.x;
    const int64_t states = r.step_states();
    __syncthreads();

    for (int64_t t = 0; t < r.seq_len; ++t) {
        const float *old_h = t ? r.h + (t - 1) * states : r.old_h, *old_cell = t ? r.cell + (t - 1) * states : r.old_cell;
        const bool packs = state_size % 4 == 0 && reinterpret_cast<uintptr_t>(old_h) % 16 == 0;
        for (int tile = 0; tile < tiles; ++tile) {
            const int64_t first_row = (int64_t{blockIdx.y} * tiles + tile) * rows, left = r.batch - first_row;
            if (left <= 0) break;
            // What no other block writes is read before the wait.
            float before[Mine::count][3], cell[Mine::count];
            int64_t at[Mine::count];  // of the element in a step's states; -1 where there is none
#pragma unroll
            for (int i = 0; i < Mine::count; ++i) {
                const int unit = first_unit + Mine::unit(i), row = Mine::row(i);
                at[i] = Mine::exists(i) && unit < state_size && row < left ? (first_row + row) * state_size + unit : -1;
                if (at[i] < 0) continue;
                cell[i] = old_cell[at[i]];
#pragma unroll
                for (int gate = 0; gate < 3; ++gate)
                    before[i][gate] = r.before[3 * (t * states + at[i] - unit) + gate * state_size + unit];
            }
            if (t && tile == 0) wait_for_steps(of_these_rows, gridDim.x, static_cast<unsigned>(t));
            product.multiply({old_h + first_row * state_size, state_size, static_cast<int>(left < rows ? left : rows),
                              packs});
#pragma unroll
            for (int i = 0; i < Mine::count; ++i) {
                if (at[i] < 0) continue;
                const int unit = Mine::unit(i);
                float active[3];
#pragma unroll
                for (int gate = 0; gate < 3; ++gate) {
                    const float x = product.sum(gate * units + unit, Mine::row(i)) + before[i][gate] + bias[i][gate];
                    active[gate] = gate == 2 ? math::elu(x) : math::sigmoid(x);
                    if (r.keeps_gates)
                        r.before[3 * (t * states + at[i] - first_unit - unit) + gate * state_size + first_unit + unit] =
                            active[gate];
                }
                const auto state = math::lltm_update<float>({active[0], active[1], active[2]}, cell[i]);
                r.h[t * states + at[i]] = state.h;
                r.cell[t * states + at[i]] = state.cell;
            }
            __syncthreads();
        }
        announce_steps(of_these_rows + blockIdx.x, static_cast<unsigned>(t + 1));
    }
}

// d_h, d_cell: of one step's states, for the kernel's own use.
template <template <int, int> class TileProduct, int units, int rows>
__global__ void __launch_bounds__(team_threads, 1)
    back_grid_recurrence_kernel(BackRecurrence<float> r, float *d_h, float *d_cell, int tiles, unsigned *finished) {
    extern __shared__ float4 team_memory[];
    using Mine = Elements<units, rows>;
    using Tile = TileProduct<units, rows>;
    const int state_size = static_cast<int>(r.state_size), gate_size = 3 * state_size;
    const int pitch = Tile::pitch(gate_size);
    const int first_unit = static_cast<int>(blockIdx.x) * units;
    float *weights = reinterpret_cast<float *>(team_memory);
    for (int i = threadIdx.x; i < units * pitch; i += team_threads) {
        const int unit = i % units, k = i / units;
        const bool inside = first_unit + unit < state_size && k < gate_size;
        weights[unit * pitch + k] = inside ? Tile::weight(r.weights[k * r.row_size + first_unit + unit]) : 0;
    }
    Tile product(weights, gate_size);
    unsigned *const of_these_rows = finished + blockIdx.y * gridDim.x;
    const int64_t states = r.step_states();

    auto left_in = [&](int tile) { return r.batch - (int64_t{blockIdx.y} * tiles + tile) * rows; };
    // Where element i of the tile lies in a step's states; -1 where there is none.
    auto place = [&](int tile, int i) {
        const int unit = first_unit + Mine::unit(i), row = Mine::row(i);
        if (!Mine::exists(i) || unit >= state_size || row >= left_in(tile)) return int64_t{-1};
        return ((int64_t{blockIdx.y} * tiles + tile) * rows + row) * state_size + unit;
    };
    // What no other block writes, of one step; that of the first tile is read before the wait.
    struct Given {
        float gates[3], cell, grad_h;
    };
    auto read = [&](int64_t t, int64_t at, int unit) {
        const float *gates = r.gates + 3 * (t * states + at - unit) + unit;
        return Given{{gates[0], gates[state_size], gates[2 * state_size]}, r.cell[t * states + at],
                     r.grad_h[t * states + at]};
    };
    Given ahead[Mine::count] = {};
#pragma unroll
    for (int i = 0; i < Mine::count; ++i)
        if (const int64_t at = place(0, i); at >= 0) ahead[i] = read(r.seq_len - 1, at, first_unit + Mine::unit(i));
    __syncthreads();

    for (int64_t t = r.seq_len - 1; t >= 0; --t) {
        const bool last = t == r.seq_len - 1;
        for (int tile = 0; tile < tiles; ++tile)
#pragma unroll
            for (int i = 0; i < Mine::count; ++i) {
                const int64_t at = place(tile, i);
                if (at < 0) continue;
                const int unit = first_unit + Mine::unit(i);
                const Given given = tile ? read(t, at, unit) : ahead[i];
                const float from_h = !last ? d_h[at] : r.grad_last_h ? r.grad_last_h[at] : 0;
                const float from_cell = !last ? d_cell[at] : r.grad_last_cell ? r.grad_last_cell[at] : 0;
                const auto d = math::lltm_differentiate<float>({given.gates[0], given.gates[1], given.gates[2]},
                                                               given.cell, given.grad_h + from_h, from_cell);
                float *d_gates = r.d_gates + 3 * (t * states + at - unit) + unit;
                d_gates[0] = d.input;
                d_gates[state_size] = d.output;
                d_gates[2 * state_size] = d.candidate;
                if (t) d_cell[at] = d.old_cell;
                else if (r.d_old_cell) r.d_old_cell[at] = d.old_cell;
            }
        __syncthreads();
        announce_steps(of_these_rows + blockIdx.x, static_cast<unsigned>(r.seq_len - t));
        if (!t && !r.d_old_h) break;
        if (t)
#pragma unroll
            for (int i = 0; i < Mine::count; ++i)
                if (const int64_t at = place(0, i); at >= 0) ahead[i] = read(t - 1, at, first_unit + Mine::unit(i));
        wait_for_steps(of_these_rows, gridDim.x, static_cast<unsigned>(r.seq_len - t));
        float *const to = t ? d_h : r.d_old_h;
        for (int tile = 0; tile < tiles; ++tile) {
            const int64_t left = left_in(tile), first_row = r.batch - left;
            if (left <= 0) break;
            const float *values = r.d_gates + (t * r.batch + first_row) * gate_size;
            product.multiply({values, gate_size, static_cast<int>(left < rows ? left : rows),
                              gate_size % 4 == 0 && reinterpret_cast<uintptr_t>(values) % 16 == 0});
#pragma unroll
            for (int i = 0; i < Mine::count; ++i)
                if (const int64_t at = place(tile, i); at >= 0) to[at] = product.sum(Mine::unit(i), Mine::row(i));
            __syncthreads();
        }
    }
}

// How the state and the batch are divided: unit_blocks x row_blocks blocks, each with `units` units of the state and
// `tiles` times `rows` rows of the batch. No blocks: this device or this size is not for the kernel.
struct GridPlan {
    int units = 0, rows = 0, unit_blocks = 0, row_blocks = 0, tiles = 0;
    size_t shared = 0;  // bytes

    bool exists() const { return unit_blocks != 0; }
};

// body(units, rows) as constants.
template <typename Body> auto with_tile(int units, int rows, Body body) {
    auto with_rows = [&](auto units) {
        return rows == 16 ? body(units, std::integral_constant<int, 16>())
                          : body(units, std::integral_constant<int, 32>());
    };
    return units == 8 ? with_rows(std::integral_constant<int, 8>()) : with_rows(std::integral_constant<int, 16>());
}

// The least work for each block; for equal work the fewest passes over the weights, then the most units, which read the
// state of others least often. Beyond `most_work`, products by cuBLAS, a step at a time, use the device better.
// `factor`: rows of weights for each unit, 3 forward and 1 backward, whose rows are 3 times as long.
template <template <int, int> class TileProduct, int factor>
bool plan_grid(int64_t seq_len, int64_t batch, int64_t state_size, GridPlan *plan) {
    constexpr int64_t most_work = 16 * 32 * 1024;
    *plan = {};
    if (seq_len == 0 || seq_len > UINT_MAX || batch > INT_MAX || state_size > INT_MAX / 16) return true;
    Device device;
    int shared = 0, cooperative = 0;
    if (!current_device(&device) ||
        !succeeded(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.index),
                   "ask for the shared memory of a block") ||
        !succeeded(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device.index),
                   "ask for cooperative launches"))
        return false;
    const int64_t most_blocks = cooperative ? std::min<int64_t>(device.processors, most_team_blocks) : 0;
    int64_t least = most_work / state_size;
    for (const int units : {16, 8})
        for (const int rows : {32, 16}) {
            const size_t bytes = with_tile(units, rows, [&](auto units, auto rows) {
                return TileProduct<decltype(units)::value * factor, decltype(rows)::value>::shared_bytes(
                    static_cast<int>(state_size) * 3 / factor);
            });
            const int64_t unit_blocks = (state_size + units - 1) / units, all_tiles = (batch + rows - 1) / rows;
            if (bytes > static_cast<size_t>(shared) || unit_blocks > most_blocks) continue;
            const int64_t tiles = (all_tiles + most_blocks / unit_blocks - 1) / (most_blocks / unit_blocks);
            const int64_t row_blocks = (all_tiles + tiles - 1) / tiles, work = tiles * units * rows;
            if (work > least || (work == least && plan->exists() && tiles >= plan->tiles)) continue;
            least = work;
            *plan = {units, rows, static_cast<int>(unit_blocks), static_cast<int>(row_blocks), static_cast<int>(tiles),
                     bytes};
        }
    return true;
}

// Starts a kernel all of whose blocks run at once, with `finished` set to zeros before. Where that is impossible now, for
// the process may use a part of the device only, `started` becomes false, which is no error.
template <typename... Parameters, typename... Arguments>
bool launch_team(void (*kernel)(Parameters...), const GridPlan &plan, unsigned *finished, void *stream, bool *started,
                 Arguments... arguments) {
    const auto on = static_cast<cudaStream_t>(stream);
    const size_t blocks = static_cast<size_t>(plan.unit_blocks) * plan.row_blocks;
    cudaLaunchAttribute cooperative = {};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(plan.unit_blocks, plan.row_blocks);
    config.blockDim = team_threads;
    config.dynamicSmemBytes = plan.shared;
    config.stream = on;
    config.attrs = &cooperative;
    config.numAttrs = 1;
    // The attribute is the process's: another thread must not lower it before this one has launched.
    static std::mutex launching;
    const std::lock_guard<std::mutex> lock(launching);
    if (!succeeded(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(plan.shared)), "ask for shared memory") ||
        !succeeded(cudaMemsetAsync(finished, 0, blocks * sizeof(unsigned), on), "set the counts of steps to zero"))
        return false;
    const cudaError_t status = cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
    *started = status == cudaSuccess;
    if (status == cudaErrorCooperativeLaunchTooLarge) return cudaGetLastError(), true;
    return succeeded(status, "start a kernel");
}

// All steps of a Recurrence or BackRecurrence, where the device and the sizes allow it: `started`.
template <template <int, int> class TileProduct>
bool recur_on_grid(const Recurrence<float> &r, unsigned *finished, void *stream, bool *started) {
    GridPlan plan;
    *started = false;
    if (!plan_grid<TileProduct, 3>(r.seq_len, r.batch, r.state_size, &plan)) return false;
    return !plan.exists() || with_tile(plan.units, plan.rows, [&](auto units, auto rows) {
        return launch_team(grid_recurrence_kernel<TileProduct, decltype(units)::value, decltype(rows)::value>, plan,
                           finished, stream, started, r, plan.tiles, finished);
    });
}

template <template <int, int> class TileProduct>
bool recur_on_grid(const BackRecurrence<float> &r, float *d_h, float *d_cell, unsigned *finished, void *stream,
                   bool *started) {
    GridPlan plan;
    *started = false;
    if (!plan_grid<TileProduct, 1>(r.seq_len, r.batch, r.state_size, &plan)) return false;
    return !plan.exists() || with_tile(plan.units, plan.rows, [&](auto units, auto rows) {
        return launch_team(back_grid_recurrence_kernel<TileProduct, decltype(units)::value, decltype(rows)::value>, plan,
                           finished, stream, started, r, d_h, d_cell, plan.tiles, finished);
    });
}

// The same, with products in TensorFloat-32 where the thread allows it and the code that the device runs has them.
template <typename R, typename... Arguments>
bool recur_on_grid_as_allowed(const R &r, Arguments... arguments) {
    cudaFuncAttributes code = {};
    if (tf32_is_allowed() && !succeeded(cudaFuncGetAttributes(&code, grid_recurrence_kernel<Tf32TileProduct, 8, 16>),
                                        "ask for the code of a kernel"))
        return false;
    return code.ptxVersion >= tf32_version ? recur_on_grid<Tf32TileProduct>(r, arguments...)
                                           : recur_on_grid<FloatTileProduct>(r, arguments...);
}

}  // namespace my_lib
