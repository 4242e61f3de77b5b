// c_api/my_lib/lltm_sequence/tile_product.cuh: what a block of grid_recurrence.cuh multiplies in each step.
//
// The weights of a few outputs stay in the block's shared memory. The values are rows of a matrix in global memory, which
// other blocks have written. Each warp takes every 8th chunk of columns, for all outputs and rows; the sums of the warps
// meet in shared memory. The products are in float, or with factors in TensorFloat-32 on tensor cores.
#pragma once

#include "gemm/tf32.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace my_lib {

constexpr int team_warps = 8, team_threads = 32 * team_warps;

// Columns that a warp multiplies at once.
constexpr int chunk_columns = 16;

// Rows of a matrix in global memory, read around the cache of the processor.
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

// The sums of all warps, in shared memory: a slot for every two warps. `pitch`: floats from one output to the next.
template <int outputs, int pitch> class SumsOfWarps {
public:
    static constexpr int slots = team_warps / 2, floats = slots * outputs * pitch;

    __device__ explicit SumsOfWarps(float *memory) : memory_(memory) {}

    // visit(put) calls put(output, row, sum) for each sum of the thread. By all threads; ends with a barrier.
    template <typename Visit> __device__ void add(Visit visit) {
        const int warp = threadIdx.x / 32;
        float *slot = memory_ + warp % slots * outputs * pitch;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            if (warp / slots == half)
                visit([&](int output, int row, float value) {
                    float &sum = slot[output * pitch + row];
                    sum = half ? sum + value : value;
                });
            __syncthreads();
        }
    }

    __device__ float operator()(int output, int row) const {
        float all = 0;
#pragma unroll
        for (int i = 0; i < slots; ++i) all += memory_[(i * outputs + output) * pitch + row];
        return all;
    }

private:
    float *memory_;
};

// sum(output, row) = the sum over k of weights[output][k] * values[row][k], in float. A lane has a few outputs and 4 rows.
template <int outputs, int rows> class FloatTileProduct {
public:
    // Floats from one output's weights to the next: 4 banks on, so that 8 rows are read without conflict.
    __host__ __device__ static constexpr int pitch(int columns) { return (columns + 31) / 32 * 32 + 4; }
    static size_t shared_bytes(int columns) {
        return (size_t{outputs} * pitch(columns) + std::max(team_warps * staged, Sums::floats)) * sizeof(float);
    }
    __device__ static float weight(float value) { return value; }  // as it lies in shared memory

    // memory: shared_bytes(columns), with the weights at its start.
    __device__ FloatTileProduct(float *memory, int columns)
        : weights_(memory), pitch_(pitch(columns)), scratch_(memory + outputs * pitch_), sums_(scratch_) {}

    // Before: a barrier since the last sum(). By all threads.
    __device__ void multiply(const Rows &values) {
        const int warp = threadIdx.x / 32, row_lane = threadIdx.x % row_lanes;
        const int output_lane = threadIdx.x % 32 / row_lanes;
        float *stage = scratch_ + warp * staged;
        const int chunks = static_cast<int>((values.columns + chunk_columns - 1) / chunk_columns);
        float sums[each][4] = {};
        float4 now[loads], later[loads];
        load(values, warp, now);
        load(values, warp + team_warps, later);
#pragma unroll 1
        for (int chunk = warp; chunk < chunks; chunk += team_warps) {
#pragma unroll
            for (int i = 0; i < loads; ++i)
                *reinterpret_cast<float4 *>(stage + row_of(i) * stage_pitch + column_of(i)) = now[i];
            __syncwarp();
#pragma unroll
            for (int i = 0; i < loads; ++i) now[i] = later[i];
            load(values, chunk + 2 * team_warps, later);
#pragma unroll
            for (int k = 0; k < chunk_columns; k += 4) {
                float4 factors[4];
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    factors[i] = *reinterpret_cast<const float4 *>(stage + (i * row_lanes + row_lane) * stage_pitch + k);
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
        sums_.add([&](auto put) {
#pragma unroll
            for (int j = 0; j < each; ++j)
#pragma unroll
                for (int i = 0; i < 4; ++i) put(j * output_lanes + output_lane, i * row_lanes + row_lane, sums[j][i]);
        });
    }

    __device__ float sum(int output, int row) const { return sums_(output, row); }

private:
    static constexpr int row_lanes = rows / 4, output_lanes = 32 / row_lanes, each = outputs / output_lanes;
    static constexpr int stage_pitch = chunk_columns + 4, staged = rows * stage_pitch;
    static constexpr int loads = rows * chunk_columns / 4 / 32;
    static_assert(each * output_lanes == outputs && loads * 8 == rows, "lanes have equal shares");
    using Sums = SumsOfWarps<outputs, rows + row_lanes>;

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
    Sums sums_;
};

// The same with factors in TensorFloat-32. A product of tensor cores has 16 rows, 8 outputs and 8 columns. Which columns
// are multiplied together is free, as long as both factors agree: a lane takes 4 neighbours of a chunk, the first two for
// one product and the others for the next. So it reads 16 bytes at once, and the values come from global memory without a
// way through shared memory.
template <int outputs, int rows> class Tf32TileProduct {
public:
    // 16 banks on, so that the two rows that 8 lanes read lie beside each other.
    __host__ __device__ static constexpr int pitch(int columns) { return (columns + 31) / 32 * 32 + 16; }
    static size_t shared_bytes(int columns) {
        return (size_t{outputs} * pitch(columns) + Sums::floats) * sizeof(float);
    }
    __device__ static float weight(float value) { return round_to_tf32(value); }

    __device__ Tf32TileProduct(float *memory, int columns)
        : weights_(memory), pitch_(pitch(columns)), sums_(memory + outputs * pitch_) {}

    // Before: a barrier since the last sum(). By all threads.
    __device__ void multiply(const Rows &values) {
        const int warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4, first = threadIdx.x % 4 * 4;
        const int chunks = static_cast<int>((values.columns + chunk_columns - 1) / chunk_columns);
        float sums[row_tiles][output_tiles][4] = {};
        float4 ahead[depth][2 * row_tiles];
        auto load = [&](int chunk, float4 (&to)[2 * row_tiles]) {
#pragma unroll
            for (int i = 0; i < 2 * row_tiles; ++i)
                to[i] = values.at(i * 8 + group, int64_t{chunk} * chunk_columns + first);
        };
#pragma unroll
        for (int i = 0; i < depth; ++i) load(warp + i * team_warps, ahead[i]);
#pragma unroll 1
        for (int round = warp; round < chunks; round += depth * team_warps)
#pragma unroll
            for (int i = 0; i < depth; ++i) {
                const int chunk = round + i * team_warps;
                if (chunk >= chunks) break;
                float left[row_tiles][2][4];
#pragma unroll
                for (int tile = 0; tile < row_tiles; ++tile)
#pragma unroll
                    for (int row = 0; row < 2; ++row) {
                        const float4 value = ahead[i][2 * tile + row];
                        left[tile][0][row] = round_to_tf32(value.x);
                        left[tile][0][row + 2] = round_to_tf32(value.y);
                        left[tile][1][row] = round_to_tf32(value.z);
                        left[tile][1][row + 2] = round_to_tf32(value.w);
                    }
                load(chunk + depth * team_warps, ahead[i]);
#pragma unroll
                for (int output = 0; output < output_tiles; ++output) {
                    const float4 w = *reinterpret_cast<const float4 *>(weights_ + (output * 8 + group) * pitch_ +
                                                                       chunk * chunk_columns + first);
#pragma unroll
                    for (int tile = 0; tile < row_tiles; ++tile) {
                        add_tf32_product(sums[tile][output], left[tile][0], {w.x, w.y});
                        add_tf32_product(sums[tile][output], left[tile][1], {w.z, w.w});
                    }
                }
            }
        sums_.add([&](auto put) {
#pragma unroll
            for (int tile = 0; tile < row_tiles; ++tile)
#pragma unroll
                for (int output = 0; output < output_tiles; ++output)
#pragma unroll
                    for (int i = 0; i < 4; ++i)
                        put(output * 8 + first / 2 + i % 2, tile * 16 + i / 2 * 8 + group, sums[tile][output][i]);
        });
    }

    __device__ float sum(int output, int row) const { return sums_(output, row); }

private:
    // Chunks that are on their way from global memory while one is multiplied. Cards without tensor cores for TF32 do not
    // run this, and have no registers for them.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    static constexpr int depth = 1;
#else
    static constexpr int depth = 4;
#endif
    static constexpr int row_tiles = rows / 16, output_tiles = outputs / 8;
    static_assert(row_tiles * 16 == rows && output_tiles * 8 == outputs, "whole products of tensor cores");
    using Sums = SumsOfWarps<outputs, rows + 4>;

    const float *weights_;
    int pitch_;
    Sums sums_;
};

}  // namespace my_lib
