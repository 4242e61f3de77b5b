// tests/thc/on_host/test_headers.cu: the headers for kernels, run: THCApply, THCReduce, THCReduceAll, scans, sorts.
#include "../api.h"

#include <THC/THCApply.cuh>
#include <THC/THCAsmUtils.cuh>
#include <THC/THCReduce.cuh>
#include <THC/THCReduceAll.cuh>
#include <THC/THCScanUtils.cuh>
#include <THC/THCSortUtils.cuh>
#include <THCUNN/THCUNN.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

using recorder::machine;

// ---- Tensors as kernels see them ------------------------------------------------------------------------------------

// The offsets of all elements, in row-major order.
template <int Dims> std::vector<unsigned> offsets(const TensorInfo<float, unsigned> &info, unsigned n) {
    std::vector<unsigned> found;
    for (unsigned i = 0; i < n; i++) found.push_back(IndexToOffset<float, unsigned, Dims>::get(i, info));
    return found;
}

void test_info() {
    float value;
    const unsigned sizes[] = {2, 1, 3, 4}, dense[] = {12, 99, 4, 1}, turned[] = {1, 0, 8, 2};
    TensorInfo<float, unsigned> info(&value, 4, sizes, dense);
    const auto all = offsets<4>(info, 24);
    std::vector<unsigned> count(24);
    std::iota(count.begin(), count.end(), 0u);
    CHECK(all == count && offsets<-1>(info, 24) == count && offsets<-2>(info, 24) == count);
    CHECK(!info.isContiguous() && info.collapseDims() == -1 && info.dims == 1 && info.isContiguous());
    CHECK(info.sizes[0] == 24 && offsets<1>(info, 24) == count);

    for (int excluded = -1; excluded < 4; excluded++) {
        TensorInfo<float, unsigned> other(&value, 4, sizes, turned);
        const auto before = offsets<4>(other, 24);
        const int place = other.collapseDims(excluded);
        CHECK(offsets<-1>(other, 24) == before && !other.isContiguous());
        CHECK((place == -1) == (excluded == -1));
        if (place >= 0) CHECK(other.sizes[place] == sizes[excluded] && other.strides[place] == turned[excluded]);
        CHECK(other.dims == (excluded <= 0 ? 2 : 3));
    }
    TensorInfo<float, unsigned> one(&value, 4, sizes, turned);
    one.reduceDim(0), one.reduceDim(2), one.reduceDim(3);
    CHECK(one.collapseDims() == -1 && one.isContiguous() && one.sizes[0] == 1);
    CHECK((TensorInfo<float, unsigned>().dims == 0));
}

template <typename T> void test_type_utils() {
    using Tensor = typename Cuda<T>::Tensor;
    using Utils = TensorUtils<Tensor>;
    static_assert(std::is_same<typename Utils::DataType, T>::value, "element");
    static_assert(std::is_same<typename Utils::AccDataType, typename Cuda<T>::Accumulate>::value, "accreal");
    Pair<T> pair({2, 3, 4}), other({5});
    pair.transpose(0, 2);
    Tensor *t = pair.cuda, *both[] = {pair.cuda, other.cuda};
    CHECK(Utils::getDims(state, t) == 3 && Utils::getSize(state, t, 0) == 4 && Utils::getStride(state, t, 0) == 1);
    CHECK(Utils::getNumElements(state, t) == 24 && Utils::getDevice(state, t) == 0);
    CHECK(Utils::getData(state, t) == Cuda<T>::data(state, t));
    CHECK(!Utils::isContiguous(state, t) && !Utils::allContiguous(state, both, 2));
    CHECK(Utils::allContiguous(state, both + 1, 1) && Utils::allSameDevice(state, both, 2));
    CHECK(Utils::all32BitIndexable(state, both, 2));
    Tensor *dense = Utils::newContiguous(state, t), *fresh = Utils::newTensor(state);
    CHECK(dense != t && Utils::isContiguous(state, dense));
    Utils::resizeAs(state, fresh, other.cuda);
    CHECK(fresh->size[0] == 5);
    THLongStorage *sizes = Utils::newSizeOf(state, t);
    sizes->data[1] = 1;
    Utils::resize(state, fresh, sizes, nullptr);
    THLongStorage_free(sizes);
    CHECK(fresh->size[0] == 4 && fresh->size[1] == 1);
    Utils::squeeze1d(state, fresh, fresh, 1);
    CHECK(fresh->nDimension == 2);
    Utils::retain(state, fresh);
    Utils::free(state, fresh);
    Utils::free(state, fresh);
    Utils::copyIgnoringOverlaps(state, t, dense);
    Utils::freeCopyTo(state, dense, t);
    CHECK(pair.same());
    const auto info = getTensorInfo<Tensor, unsigned>(state, t);
    CHECK(info.dims == 3 && info.sizes[0] == 4 && info.strides[2] == 12 && info.data == Utils::getData(state, t));
    CHECK(float(ScalarNegate<T>::to(T(0.f))) == 0 && float(ScalarInv<T>::to(T(1.f))) == 1);

    int64_t size[] = {2, 3}, stride[] = {2, 1}, far[] = {INT64_C(1) << 31, 1};
    Tensor made = *t;
    made.nDimension = 2, made.size = size, made.stride = stride;
    CHECK(Utils::maybeOverlappingIndices(state, &made));  // (0, 2) and (1, 0)
    stride[0] = 3;
    CHECK(!Utils::maybeOverlappingIndices(state, &made) && Utils::canUse32BitIndexMath(state, &made));
    stride[0] = 0;
    CHECK(Utils::maybeOverlappingIndices(state, &made));
    made.stride = far;
    CHECK(!Utils::canUse32BitIndexMath(state, &made));
    size[0] = 1;
    CHECK(Utils::canUse32BitIndexMath(state, &made) && !Utils::maybeOverlappingIndices(state, &made));
}

// ---- An operation on each element -----------------------------------------------------------------------------------

template <typename T> struct Ops {
    typedef THCNumerics<T> N;
    void operator()(T *a) const { *a = N::add(*a, T(1.f)); }
    void operator()(T *a, T *b) const { *a = N::add(*b, T(2.f)); }
    void operator()(T *a, T *b, T *c) const { *a = N::sub(*b, *c); }
};

template <typename T> void test_apply() {
    for (int how = 0; how < 27; how++) {
        Pair<T> a({5, 6, 40}, 1), b({5, 6, 40}, 2), c({5, 6, 40}, 3);
        a.lay_out(how % 3), b.lay_out(how / 3 % 3), c.lay_out(how / 9);
        const bool equal = a.of_host().size() == b.of_host().size() && a.of_host().size() == c.of_host().size();
        const std::vector<T> x = b.of_cuda(), y = c.of_cuda();
        std::vector<T> before = a.of_cuda();
        CHECK(THC_pointwiseApply1(state, a.cuda, Ops<T>()));
        std::vector<T> after = a.of_cuda();
        for (size_t i = 0; i < after.size(); i++) CHECK(float(after[i]) == float(T(float(before[i]) + 1)));
        if (!equal) {
            CHECK(!THC_pointwiseApply3(state, a.cuda, b.cuda, c.cuda, Ops<T>()));
            CHECK(same_bits(a.of_cuda(), after));
            continue;
        }
        CHECK(THC_pointwiseApply2(state, a.cuda, b.cuda, Ops<T>()));
        after = a.of_cuda();
        for (size_t i = 0; i < after.size(); i++) CHECK(float(after[i]) == float(x[i]) + 2);
        CHECK(THC_pointwiseApply3(state, a.cuda, b.cuda, c.cuda, Ops<T>()));
        after = a.of_cuda();
        for (size_t i = 0; i < after.size(); i++) CHECK(after[i] == THCNumerics<T>::sub(x[i], y[i]));
        CHECK(same_bits(b.of_cuda(), x) && same_bits(c.of_cuda(), y));
    }
    // Several indices of one element that is written to: each is computed from what was there.
    Pair<T> row({1, 4}), empty;
    int64_t sizes[] = {3, 4}, strides[] = {0, 1};
    auto *repeated = Cuda<T>::make(state);
    Cuda<T>::setStorageNd(state, repeated, row.cuda->storage, 0, 2, sizes, strides);
    const std::vector<T> before = row.of_cuda();
    CHECK(THC_pointwiseApply1(state, repeated, Ops<T>()));
    const std::vector<T> after = row.of_cuda();
    for (size_t i = 0; i < 4; i++) CHECK(float(after[i]) == float(before[i]) + 1);
    Cuda<T>::free(state, repeated);
    CHECK(THC_pointwiseApply1(state, empty.cuda, Ops<T>()));

    std::vector<int64_t> ones(MAX_CUTORCH_DIMS + 1, 1);
    Pair<T> deep(ones);
    CHECK(!THC_pointwiseApply1(state, deep.cuda, Ops<T>()));
    dim3 grid;
    CHECK(getApplyGrid(state, 3 * 512 + 1, grid, 0) && grid.x == 4 && getApplyBlock().x == 512);
    CHECK(getApplyGrid(state, 1 << 20, grid, 0) && grid.x == 2 * THC_APPLY_BLOCKS_PER_SM);
}

// ---- Reductions -----------------------------------------------------------------------------------------------------

template <typename T> struct Twice {
    float operator()(T x) const { return 2 * float(x); }
};
struct Plus {
    float operator()(float a, float b) const { return a + b; }
};
struct Largest {  // with a constructor, which shared memory must not run
    float value;
    Largest(float value = -1000) : value(value) {}
};
struct Greater {
    Largest operator()(Largest a, Largest b) const { return a.value > b.value ? a : b; }
};
template <typename T> struct AsLargest {
    Largest operator()(T x) const { return Largest(float(x)); }
};
struct Halved {
    float operator()(float x) const { return x / 2; }
};

template <typename T> void test_reduce_all() {
    for (std::vector<int64_t> sizes : {std::vector<int64_t>{1}, {3, 5}, {257}, {7, 300, 4}})
        for (int how = 0; how < 3; how++) {
            Pair<T> pair(sizes, how);
            pair.lay_out(how);
            float expected = 0, most = -1000;
            for (T value : pair.of_host()) expected += 2 * float(value), most = std::max(most, float(value));
            float sum = -1;
            CHECK(THC_reduceAll(state, pair.cuda, Twice<T>(), Plus(), Plus(), 0.f, &sum, 0));
            CHECK(sum == expected);
            Largest largest(5000);
            CHECK(THC_reduceAll(state, pair.cuda, AsLargest<T>(), Greater(), Greater(), Largest(), &largest, 0));
            CHECK(largest.value == most);
            Pair<float> there({1});
            CHECK(THC_reduceAll(state, pair.cuda, Twice<T>(), Plus(), Plus(), 0.f,
                                THCudaTensor_data(state, there.cuda), 1));
            CHECK(there.of_cuda()[0] == expected);
        }
    Pair<T> empty;
    Pair<float> there({1}, 3);
    float sum = -1;
    CHECK(THC_reduceAll(state, empty.cuda, Twice<T>(), Plus(), Plus(), 7.f, &sum, 0) && sum == 7);
    CHECK(THC_reduceAll(state, empty.cuda, Twice<T>(), Plus(), Plus(), 7.f, THCudaTensor_data(state, there.cuda), 1));
    CHECK(there.of_cuda()[0] == 7);
    std::vector<int64_t> ones(MAX_CUTORCH_DIMS + 1, 1);
    Pair<T> deep(ones);
    CHECK(!THC_reduceAll(state, deep.cuda, Twice<T>(), Plus(), Plus(), 0.f, &sum, 0) && sum == 7);
}

template <typename T> void test_reduce_dim() {
    for (std::vector<int64_t> sizes : {std::vector<int64_t>{4}, {3, 5}, {2, 300}, {300, 2}, {4, 150, 3}})
        for (int how = 0; how < 3; how++)
            for (int keep : {0, 1})
                for (int dim = 0; dim < int(sizes.size()); dim++) {
                    Pair<T> in(sizes, how), out;
                    in.lay_out(how);
                    const std::vector<T> values = in.of_host();
                    const int64_t *size = in.host->size;
                    int64_t inner = 1;
                    for (int d = dim + 1; d < in.host->nDimension; d++) inner *= size[d];
                    std::vector<float> sums(values.size() / size_t(size[dim]));
                    for (size_t i = 0; i < values.size(); i++)
                        sums[i / size_t(inner * size[dim]) * size_t(inner) + i % size_t(inner)] += float(values[i]);
                    CHECK(THC_reduceDim(state, out.cuda, in.cuda, Twice<T>(), Plus(), Halved(), 0.f, dim, keep));
                    const int dims = in.host->nDimension;
                    CHECK(out.cuda->nDimension == (keep || dims == 1 ? dims : dims - 1));
                    std::vector<T> got = out.of_cuda();
                    CHECK(got.size() == sums.size());
                    for (size_t i = 0; i < got.size(); i++) CHECK(got[i] == (ScalarConvert<float, T>::to(sums[i])));
                    CHECK(THC_reduceDim(state, out.cuda, in.cuda, Twice<T>(), Plus(), 0.f, dim, keep));
                    got = out.of_cuda();
                    for (size_t i = 0; i < got.size(); i++) CHECK(got[i] == (ScalarConvert<float, T>::to(2 * sums[i])));
                }
    Pair<T> in({2, 3}), empty, out;
    CHECK_FAILS("THC_reduceDim: expected a dimension from 0 to 1, got 2",
                THC_reduceDim(state, out.cuda, in.cuda, Twice<T>(), Plus(), 0.f, 2, 1));
    CHECK(THC_reduceDim(state, out.cuda, empty.cuda, Twice<T>(), Plus(), 0.f, 0, 1) && out.cuda->nDimension == 0);
    std::vector<int64_t> ones(MAX_CUTORCH_DIMS + 1, 1);
    Pair<T> deep(ones);
    CHECK(!THC_reduceDim(state, out.cuda, deep.cuda, Twice<T>(), Plus(), 0.f, 0, 1));
}

void test_grids() {
    dim3 grid;
    for (ptrdiff_t tiles : {ptrdiff_t(0), ptrdiff_t(1), ptrdiff_t(65535), ptrdiff_t(65536), ptrdiff_t(1) << 40}) {
        CHECK(THC_getGridFromTiles(tiles, grid) && grid.x <= 65535 && grid.y <= 65535 && grid.z <= 65535);
        CHECK(uint64_t(grid.x) * grid.y * grid.z >= uint64_t(tiles));
    }
    CHECK(!THC_getGridFromTiles(ptrdiff_t(1) << 48, grid));
}

// ---- What a block does together -------------------------------------------------------------------------------------

template <typename Body> __global__ void run_body(Body body) { body(int(threadIdx.x)); }
template <typename Body> void in_block(unsigned threads, const Body &body) { run_body<<<1, threads>>>(body); }

struct Join {  // associative, not commutative
    std::pair<int, int> operator()(std::pair<int, int> a, std::pair<int, int> b) const {
        return {a.first * b.first, a.second * b.first + b.second};
    }
};

template <int N> void test_scan() {
    std::vector<std::pair<int, int>> expected(N);
    for (int i = 0; i < N; i++) expected[size_t(i)] = {i % 3 ? 1 : -1, i};
    device_values<std::pair<int, int>> values(expected);
    for (size_t i = 1; i < N; i++) expected[i] = Join()(expected[i - 1], expected[i]);
    in_block(N / 2, [&](int) { inclusivePrefixScan<std::pair<int, int>, Join, N>(values.data(), Join()); });
    CHECK(values.values() == expected);
}

void test_block() {
    for (int count : {1, 2, 3, 31, 64, 100, 128}) {
        std::vector<float> shared(128), results(128);
        in_block(128, [&](int i) {
            results[size_t(i)] = reduceBlock(shared.data(), count, float(i + 1), Plus(), -1.f);
        });
        CHECK(results[0] == float(count * (count + 1) / 2) && results[1] == -1 && results[127] == -1);
    }
    test_scan<2>(), test_scan<8>(), test_scan<64>(), test_scan<512>();

    for (unsigned threads : {32u, 128u}) {
        std::vector<int> warps(4), in(threads), with(threads), without(threads), carry(threads);
        for (unsigned i = 0; i < threads; i++) in[i] = i * i % 7 < 3;
        in_block(threads, [&](int t) {
            const size_t i = size_t(t);
            for (int twice = 0; twice < 2; twice++) {
                inclusiveBinaryPrefixScan<int, true>(warps.data(), in[i] != 0, &with[i], AddOp<int>());
                exclusiveBinaryPrefixScan<int, true>(warps.data(), in[i] != 0, &without[i], &carry[i], AddOp<int>());
            }
        });
        int sum = 0;
        for (unsigned i = 0; i < threads; i++) {
            CHECK(without[i] == sum);
            sum += in[i];
            CHECK(with[i] == sum);
        }
        CHECK(carry == std::vector<int>(threads, sum));
    }
    in_block(64, [](int i) {
        const unsigned lane = unsigned(i) % 32, bit = 1u << lane;
        CHECK(getLaneId() == int(lane) && getLaneMaskLt() == bit - 1 && getLaneMaskLe() == (bit | (bit - 1)));
        CHECK(getLaneMaskGt() == ~getLaneMaskLe() && getLaneMaskGe() == ~getLaneMaskLt());
        CHECK(WARP_SHFL(i, 3) == i / 32 * 32 + 3 && WARP_SHFL_XOR(i, 5) == (i ^ 5));
        CHECK(WARP_SHFL_UP(i, 2) == (lane < 2 ? i : i - 2) && WARP_SHFL_DOWN(i, 2) == (lane > 29 ? i : i + 2));
        CHECK(WARP_BALLOT(i % 2) == 0xAAAAAAAAu);
    });
}

void test_bits() {
    typedef Bitfield<unsigned> B;
    CHECK(B::getBitfield(0xABCD1234u, 8, 8) == 0x12 && B::getBitfield(0xABCD1234u, 0, 32) == 0xABCD1234u);
    CHECK(B::getBitfield(~0u, 5, 0) == 0 && B::setBitfield(0, ~0u, 5, 0) == 0);
    CHECK(B::setBitfield(0xABCD1234u, 0xFFEEu, 8, 8) == 0xABCDEE34u && B::setBitfield(1, 2, 0, 32) == 2);
    CHECK(Bitfield<uint64_t>::getBitfield(UINT64_C(0xABCD123400000000), 48, 16) == 0xABCD);
    CHECK(Bitfield<uint64_t>::setBitfield(0, 5, 40, 3) == UINT64_C(5) << 40);
    CHECK(nextHighestPowerOf2(0) == 1 && nextHighestPowerOf2(64) == 64 && nextHighestPowerOf2(65) == 128);
}

// ---- Sorting --------------------------------------------------------------------------------------------------------

template <typename T, typename Comparator> void test_sort(const Comparator &comp, int64_t length, bool turned) {
    constexpr int N = 32;
    Pair<T> keys(turned ? std::vector<int64_t>{length, 3} : std::vector<int64_t>{3, length}, 2);
    Pair<int64_t> values(turned ? std::vector<int64_t>{length, 3} : std::vector<int64_t>{3, length});
    if (turned) keys.transpose(0, 1), values.transpose(0, 1);
    const std::vector<T> before = keys.of_cuda();
    int64_t *numbers = THLongTensor_data(values.host);
    for (int64_t i = 0; i < 3 * length; i++) numbers[i] = turned ? i / 3 : i % length;
    THCudaLongTensor_copyCPU(state, values.cuda, values.host);
    auto key_info = getTensorInfo<typename Cuda<T>::Tensor, unsigned>(state, keys.cuda);
    auto value_info = getTensorInfo<THCudaLongTensor, unsigned>(state, values.cuda);
    key_info.reduceDim(1), value_info.reduceDim(1);
    THCLaunch(state, bitonicSortKVInPlace<T, int64_t, 2, -1, Comparator, unsigned, N>, dim3(2, 2), N / 2, key_info, 3u,
              unsigned(length), unsigned(keys.cuda->stride[1]), value_info, unsigned(values.cuda->stride[1]), comp);
    const std::vector<T> after = keys.of_cuda();
    const std::vector<int64_t> places = values.of_cuda();
    for (size_t row = 0; row < 3; row++) {
        std::vector<int64_t> seen;
        for (size_t i = 0; i < size_t(length); i++) {
            const size_t at = row * size_t(length) + i;
            if (i) CHECK(!comp(after[at], after[at - 1]));
            CHECK(after[at] == before[row * size_t(length) + size_t(places[at])]);
            seen.push_back(places[at]);
        }
        std::sort(seen.begin(), seen.end());
        for (size_t i = 0; i < seen.size(); i++) CHECK(seen[i] == int64_t(i));
    }
}

// ---- Arrays of half -------------------------------------------------------------------------------------------------

void test_half_arrays() {
    Pair<float> floats({300}, 2), back({300});
    Pair<half> halves({300});
    THCFloat2Half(state, THCudaHalfTensor_data(state, halves.cuda), THCudaTensor_data(state, floats.cuda), 300);
    THCHalf2Float(state, THCudaTensor_data(state, back.cuda), THCudaHalfTensor_data(state, halves.cuda), 300);
    CHECK(same_bits(back.of_cuda(), floats.of_host()));
    CHECK(float(halves.of_cuda()[299]) == floats.of_host()[299]);
}

// ---- THCUNN's checks, as its generic files call them ----------------------------------------------------------------

#define CReal Cuda
void check_indices(THCudaLongTensor *indices, THCudaTensor *input) {
    THCUNN_check_dim_size_indices(state, indices, 2, 1, 3);
    THCUNN_check_shape_indices(state, indices, input);
}
void check_floats(THCudaTensor *a, THCudaTensor *b) {
    THCUNN_check_dim_size(state, a, 2, 1, 3);
    THCUNN_check_shape(state, a, b);
    THCUNN_check_nElement(state, a, b);
}
#undef CReal

void test_thcunn() {
    Pair<int64_t> indices({2, 3}), narrow({2, 2});
    Pair<float> a({2, 3}), turned({3, 2}), other({2, 2});
    check_indices(indices.cuda, a.cuda);
    check_floats(a.cuda, a.cuda);
    CHECK_FAILS("Need indices of dimension 2 and indices.size[1] == 3 but got indices to be of shape: [2 x 2]",
                check_indices(narrow.cuda, a.cuda));
    CHECK_FAILS("indices and input shapes do not match: indices [2 x 3], input [3 x 2]",
                check_indices(indices.cuda, turned.cuda));
    CHECK_FAILS("Need a of dimension 2 and a.size[1] == 3 but got a to be of shape: [2 x 2]",
                check_floats(other.cuda, a.cuda));
    CHECK_FAILS("a and b shapes do not match: a [2 x 3], b [3 x 2]", check_floats(a.cuda, turned.cuda));
    CHECK(GET_BLOCKS(1025) == 2);
}

int main() {
    for_every_type([](auto value) {
        using T = decltype(value);
        test_type_utils<T>();
        test_apply<T>();
        test_reduce_all<T>();
        test_reduce_dim<T>();
        for (int64_t length : {1, 2, 17, 32})
            for (bool turned : {false, true}) {
                test_sort<T>(LTComp<T>(), length, turned);
                test_sort<T>(GTComp<T>(), length, turned);
            }
    });
    test_block();
    test_half_arrays();
    test_info();
    test_grids();
    test_bits();
    test_thcunn();
    CHECK(recorder::memory.blocks == 0);
    return failures() != 0;
}
