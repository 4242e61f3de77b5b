// c_api/my_lib/lltm_sequence/grid_recurrence.cuh: all steps of an LLTM in one kernel, for states that no block can hold.
//
// A block owns a few units of the state, for some rows of the batch, and keeps the recurrent weights of these units in
// shared memory for the whole sequence. Each step needs all units of the step before: the blocks of the same rows wait
// for each other, by a count of finished steps for each block, in the caller's workspace. So all blocks must run at
// once. The launch is cooperative, which makes CUDA start all of them or none.
#pragma once

#include "lltm_sequence/recurrence.cuh"
#include "runtime/workspace.cuh"

#include <algorithm>
#include <climits>
#include <mutex>
#include <type_traits>

namespace my_lib {

constexpr int team_warps = 8, team_threads = 32 * team_warps;
constexpr int64_t most_team_blocks = 1024;

// What a warp multiplies at once, columns of a row; and how many partial sums of each number meet in shared memory.
constexpr int chunk_columns = 16, chunk_pitch = chunk_columns + 4, sum_slots = team_warps / 2;

// Floats from one row of weights to the next in shared memory: 4 banks on, so that 8 rows are read without conflict.
__host__ __device__ constexpr int weight_pitch(int64_t columns) { return static_cast<int>((columns + 31) / 32 * 32 + 4); }

// How the state and the batch are divided: unit_blocks x row_blocks blocks, each with `units` units of the state and
// `tiles` times `rows` rows of the batch. No blocks: this device or this size is not for the kernel.
struct GridPlan {
    int units = 0, rows = 0, unit_blocks = 0, row_blocks = 0, tiles = 0;
    size_t shared = 0;  // bytes

    bool exists() const { return unit_blocks != 0; }
};

// `factor`: rows of weights for each unit, 3 forward and 1 backward, whose rows are 3 times as long.
inline size_t shared_bytes(int units, int rows, int64_t state_size, int factor) {
    const int outputs = units * factor, pitch = weight_pitch(state_size * 3 / factor);
    const int staged = team_warps * rows * chunk_pitch, sums = sum_slots * outputs * (rows + rows / 4);
    return (static_cast<size_t>(outputs) * pitch + std::max(staged, sums)) * sizeof(float);
}

// The least work for each block; for equal work the fewest passes over the weights, then the most units, which read the
// state of others least often. Beyond `most_work`, products by cuBLAS, a step at a time, use the device better.
inline bool plan_grid(int64_t seq_len, int64_t batch, int64_t state_size, int factor, GridPlan *plan) {
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
            const size_t bytes = shared_bytes(units, rows, state_size, factor);
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

// Rows of a matrix in global memory, which other blocks have written: it is read around the cache of the processor.
struct Rows {
    const float *first;
    int64_t columns;  // also from one row to the next
    int count;
    bool packs;  // rows begin at multiples of 16 bytes

    __device__ float4 at(int row, int64_t column) const {
        if (row >= count || column >= columns) return {};
        const float *from = first + row * columns + column;
        if (packs) return __ldcg(reinterpret_cast<const float4 *>(from));
        const int64_t left = columns - column;
        return {__ldcg(from), left > 1 ? __ldcg(from + 1) : 0, left > 2 ? __ldcg(from + 2) : 0,
                left > 3 ? __ldcg(from + 3) : 0};
    }
};

// sum(output, row) = the sum over k of weights[output][k] * values[row][k]. A warp takes every 8th chunk of k, for all
// outputs and rows; a lane has a few outputs and 4 rows. The sums of the warps then meet in shared memory.
template <int outputs, int rows> class TileProduct {
public:
    // scratch: team_warps * rows * chunk_pitch floats at least, and sum_slots * outputs * slot_pitch.
    __device__ TileProduct(const float *weights, int pitch, float *scratch)
        : weights_(weights), pitch_(pitch), scratch_(scratch) {}

    // Before: a barrier since the last sum(). By all threads.
    __device__ void multiply(const Rows &values) {
        const int warp = threadIdx.x / 32, row_lane = threadIdx.x % row_lanes;
        const int output_lane = threadIdx.x % 32 / row_lanes;
        float *stage = scratch_ + warp * rows * chunk_pitch;
        const int chunks = static_cast<int>((values.columns + chunk_columns - 1) / chunk_columns);
        float sums[each][4] = {};
        float4 now[loads], later[loads];
        load(values, warp, now);
        load(values, warp + team_warps, later);
#pragma unroll 1
        for (int chunk = warp; chunk < chunks; chunk += team_warps) {
#pragma unroll
            for (int i = 0; i < loads; ++i)
                *reinterpret_cast<float4 *>(stage + row_of(i) * chunk_pitch + column_of(i)) = now[i];
            __syncwarp();
#pragma unroll
            for (int i = 0; i < loads; ++i) now[i] = later[i];
            load(values, chunk + 2 * team_warps, later);
#pragma unroll
            for (int k = 0; k < chunk_columns; k += 4) {
                float4 factors[4];
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    factors[i] = *reinterpret_cast<const float4 *>(stage + (i * row_lanes + row_lane) * chunk_pitch + k);
#pragma unroll
                for (int j = 0; j < each; ++j) {
                    const float4 w = *reinterpret_cast<const float4 *>(
                        weights_ + (j * output_lanes + output_lane) * pitch_ + chunk * chunk_columns + k);
#pragma unroll
                    for (int i = 0; i < 4; ++i)
                        sums[j][i] += w.x * factors[i].x + w.y * factors[i].y + w.z * factors[i].z + w.w * factors[i].w;
                }
            }
            __syncwarp();
        }
        __syncthreads();
        float *slot = scratch_ + warp % sum_slots * outputs * slot_pitch + output_lane * slot_pitch + row_lane;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            if (warp / sum_slots == half)
#pragma unroll
                for (int j = 0; j < each; ++j)
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        float &sum = slot[j * output_lanes * slot_pitch + i * row_lanes];
                        sum = half ? sum + sums[j][i] : sums[j][i];
                    }
            __syncthreads();
        }
    }

    __device__ float sum(int output, int row) const {
        float all = 0;
#pragma unroll
        for (int i = 0; i < sum_slots; ++i) all += scratch_[(i * outputs + output) * slot_pitch + row];
        return all;
    }

private:
    static constexpr int row_lanes = rows / 4, output_lanes = 32 / row_lanes, each = outputs / output_lanes;
    static constexpr int slot_pitch = rows + row_lanes, loads = rows * chunk_columns / 4 / 32;
    static_assert(each * output_lanes == outputs && loads * 8 == rows, "lanes have equal shares");

    __device__ static int row_of(int i) { return i * 8 + threadIdx.x % 32 / 4; }
    __device__ static int column_of(int i) { return threadIdx.x % 4 * 4; }
    __device__ static void load(const Rows &values, int chunk, float4 (&to)[loads]) {
#pragma unroll
        for (int i = 0; i < loads; ++i)
            to[i] = values.at(row_of(i), int64_t{chunk} * chunk_columns + column_of(i));
    }

    const float *weights_;
    int pitch_;
    float *scratch_;
};

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
template <int units, int rows>
__global__ void __launch_bounds__(team_threads, 1)
    grid_recurrence_kernel(Recurrence<float> r, int tiles, unsigned *finished) {
    extern __shared__ float4 team_memory[];
    using Mine = Elements<units, rows>;
    constexpr int outputs = 3 * units;
    const int state_size = static_cast<int>(r.state_size), pitch = weight_pitch(state_size);
    const int first_unit = static_cast<int>(blockIdx.x) * units;
    float *weights = reinterpret_cast<float *>(team_memory);
    for (int i = threadIdx.x; i < outputs * pitch; i += team_threads) {
        const int unit = first_unit + i / pitch % units, gate = i / pitch / units, k = i % pitch;
        const bool inside = unit < state_size && k < state_size;
        weights[i] = inside ? r.weights[(int64_t{gate} * state_size + unit) * r.row_size + k] : 0;
    }
    float bias[Mine::count][3];
#pragma unroll
    for (int i = 0; i < Mine::count; ++i)
#pragma unroll
        for (int gate = 0; gate < 3; ++gate) {
            const int unit = first_unit + Mine::unit(i);
            bias[i][gate] = Mine::exists(i) && unit < state_size ? r.bias[gate * state_size + unit] : 0;
        }
    TileProduct<outputs, rows> product(weights, pitch, weights + outputs * pitch);
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
template <int units, int rows>
__global__ void __launch_bounds__(team_threads, 1)
    back_grid_recurrence_kernel(BackRecurrence<float> r, float *d_h, float *d_cell, int tiles, unsigned *finished) {
    extern __shared__ float4 team_memory[];
    using Mine = Elements<units, rows>;
    const int state_size = static_cast<int>(r.state_size), gate_size = 3 * state_size, pitch = weight_pitch(gate_size);
    const int first_unit = static_cast<int>(blockIdx.x) * units;
    float *weights = reinterpret_cast<float *>(team_memory);
    for (int i = threadIdx.x; i < units * pitch; i += team_threads) {
        const int unit = i % units, k = i / units;
        const bool inside = first_unit + unit < state_size && k < gate_size;
        weights[unit * pitch + k] = inside ? r.weights[k * r.row_size + first_unit + unit] : 0;
    }
    TileProduct<units, rows> product(weights, pitch, weights + units * pitch);
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

// body(units, rows) as constants.
template <typename Body> bool with_tile(const GridPlan &plan, Body body) {
    auto with_rows = [&](auto units) {
        return plan.rows == 16 ? body(units, std::integral_constant<int, 16>())
                               : body(units, std::integral_constant<int, 32>());
    };
    return plan.units == 8 ? with_rows(std::integral_constant<int, 8>())
                           : with_rows(std::integral_constant<int, 16>());
}

// All steps of a Recurrence or BackRecurrence, where the device and the sizes allow it: `started`.
inline bool recur_on_grid(const Recurrence<float> &r, unsigned *finished, void *stream, bool *started) {
    GridPlan plan;
    *started = false;
    if (!plan_grid(r.seq_len, r.batch, r.state_size, 3, &plan)) return false;
    return !plan.exists() || with_tile(plan, [&](auto units, auto rows) {
        return launch_team(grid_recurrence_kernel<decltype(units)::value, decltype(rows)::value>, plan, finished, stream,
                           started, r, plan.tiles, finished);
    });
}

inline bool recur_on_grid(const BackRecurrence<float> &r, float *d_h, float *d_cell, unsigned *finished, void *stream,
                          bool *started) {
    GridPlan plan;
    *started = false;
    if (!plan_grid(r.seq_len, r.batch, r.state_size, 1, &plan)) return false;
    return !plan.exists() || with_tile(plan, [&](auto units, auto rows) {
        return launch_team(back_grid_recurrence_kernel<decltype(units)::value, decltype(rows)::value>, plan, finished,
                           stream, started, r, d_h, d_cell, plan.tiles, finished);
    });
}

}  // namespace my_lib
