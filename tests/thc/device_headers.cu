// tests/thc/device_headers.cu: the headers for kernels: compiled for a card, and checked on the host where that goes.
#include "../support/check.h"

#include <THC/THC.h>
#include <THC/THCApply.cuh>
#include <THC/THCAsmUtils.cuh>
#include <THC/THCAtomics.cuh>
#include <THC/THCDeviceTensorUtils.cuh>
#include <THC/THCNumerics.cuh>
#include <THC/THCReduce.cuh>
#include <THC/THCReduceAll.cuh>
#include <THC/THCScanUtils.cuh>
#include <THC/THCSortUtils.cuh>
#include <THC/THCThrustAllocator.cuh>
#include <THCUNN/THCUNN.h>

#include <stdexcept>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

extern THCState *state;

__global__ void kernel(THCDeviceTensor<float, 3> t, THCDeviceTensor<float, 2, long, RestrictPtrTraits> u, half *h,
                       int8_t *c, int16_t *s, int64_t *l) {
  t[0][1][2] = u[1][2] + 1;
  float x = t[0][0][0];
  t[1][1][1] += x;
  t[0][0][0] = t[1][1][1];
  atomicAdd(&t[0][0][0], t[0][1][2].ldg());
  atomicAdd(c, (int8_t)1);
  atomicAdd(s, (int16_t)1);
  atomicAdd(l, (int64_t)1);
  atomicAdd(h, __float2half(1));
  CUDA_KERNEL_LOOP(i, 10)
    x += THCNumerics<float>::exp(x) + ScalarConvert<half, float>::to(THCNumerics<half>::erfinv(h[i]));
  t[0][0][1] = WARP_SHFL_DOWN(WARP_SHFL_XOR(WARP_SHFL_UP(WARP_SHFL(x, 0), 1), 1), 1) + WARP_BALLOT(1, ACTIVE_MASK());
}

// Compiled, not run.
void launch(THCudaTensor *a, THCudaTensor *b) {
  auto t = toDeviceTensor<float, 3>(state, a);
  t.zero(THCState_getCurrentStream(state));
  auto u = toDeviceTensorCast<float, 2, long, RestrictPtrTraits>(state, b);
  kernel<<<GET_BLOCKS(10), CUDA_NUM_THREADS, 0, THCState_getCurrentStream(state)>>>(t, u, 0, 0, 0, 0);
  THCThrustAllocator allocator(state);
  thrust::sort(thrust::cuda::par(allocator).on(THCState_getCurrentStream(state)), t.data(), t.data() + 5);
}

struct Op {
  __device__ void operator()(half *a) const { *a = THCNumerics<half>::neg(*a); }
  __device__ void operator()(float *a, half *b) const { *a = ScalarConvert<half, float>::to(*b); }
  __device__ void operator()(float *a, float *b, int64_t *c) const { *a = *b + (float)*c; }
  __device__ float operator()(half a) const { return ScalarConvert<half, float>::to(a); }
  __device__ float operator()(float a) const { return a; }
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Pair {  // an accumulator with a constructor
  float sum;
  int count;
  __host__ __device__ Pair(float sum = 0, int count = 0) : sum(sum), count(count) {}
};
struct Count {
  __device__ Pair operator()(float a) const { return Pair(a, 1); }
  __device__ Pair operator()(Pair a, Pair b) const { return Pair(a.sum + b.sum, a.count + b.count); }
};

__global__ void block(int *out, unsigned *bits, uint64_t *wide) {
  __shared__ int shared[64];
  inclusivePrefixScan<int, AddOp<int>, 64>(shared, AddOp<int>());
  int with, without, carry;
  inclusiveBinaryPrefixScan<int, true>(shared, threadIdx.x % 3 == 0, &with, AddOp<int>());
  exclusiveBinaryPrefixScan<int, true>(shared, threadIdx.x % 3 == 0, &without, &carry, AddOp<int>());
  out[threadIdx.x] = with + without + carry + getLaneId() + reduceBlock(shared, 32, with, AddOp<int>(), 0);
  *bits = Bitfield<unsigned>::getBitfield(*bits, 3, 4) + getLaneMaskLt() + getLaneMaskLe() + getLaneMaskGt() +
          getLaneMaskGe();
  *wide = Bitfield<uint64_t>::setBitfield(*wide, 5, 3, 4);
}

// Compiled, not run.
void launch(THCudaTensor *a, THCudaHalfTensor *h, THCudaLongTensor *l) {
  float sum;
  Pair both;
  THC_pointwiseApply1(state, h, Op());
  THC_pointwiseApply2(state, a, h, Op());
  THC_pointwiseApply3(state, a, a, l, Op(), ReadWrite, ReadOnly, ReadOnly);
  THC_reduceAll(state, h, Op(), Op(), Op(), 0.f, &sum, 0);
  THC_reduceAll(state, a, Count(), Count(), Count(), Pair(), &both, 0);
  THC_reduceDim(state, h, h, Op(), Op(), 0.f, 0, 1);
  THC_reduceDim(state, a, a, Op(), Op(), Op(), 0.f, 0, 1);
  bitonicSortKVInPlace<half, int64_t, -1, 2, GTComp<half>, unsigned, 64><<<1, 32>>>(
      getTensorInfo<THCudaHalfTensor, unsigned>(state, h), 1, 1, 1, getTensorInfo<THCudaLongTensor, unsigned>(state, l),
      1, GTComp<half>());
  THCLaunch(state, block, 1, 32, (int *)NULL, (unsigned *)NULL, (uint64_t *)NULL);
}

void test_info_and_bits() {
  const unsigned sizes[] = {2, 3, 4}, strides[] = {12, 4, 1}, turned[] = {1, 2, 6};
  float values[24];
  TensorInfo<float, unsigned> dense(values, 3, sizes, strides), other(values, 3, sizes, turned);
  CHECK((IndexToOffset<float, unsigned, 3>::get(17, dense) == 17));
  CHECK((IndexToOffset<float, unsigned, -2>::get(17, dense) == 17));
  CHECK((IndexToOffset<float, unsigned, -1>::get(17, other) == 1 + 2 + 6));
  CHECK(dense.collapseDims() == -1 && dense.isContiguous() && dense.sizes[0] == 24);
  CHECK(other.collapseDims(1) == 1 && other.dims == 3 && !other.isContiguous());
  CHECK(Bitfield<unsigned>::getBitfield(0xABCD, 4, 8) == 0xBC && nextHighestPowerOf2(33) == 64);
  CHECK(ScalarNegate<int>::to(3) == -3 && ScalarInv<double>::to(4) == .25);
  dim3 grid;
  CHECK(THC_getGridFromTiles(70000, grid) && grid.x == 65535 && grid.y == 2);
}

void test_device_tensor() {
  float values[24];
  for (int i = 0; i < 24; ++i) values[i] = float(i);
  const int sizes[] = {2, 3, 4};
  THCDeviceTensor<float, 3> t(values, sizes);
  CHECK(t[1][2][3] == 23 && t.numElements() == 24 && t.isContiguous() && t.isConsistentlySized());
  CHECK(&t[1][2][3] == values + 23 && t[1].data() == values + 12 && t[1][1].view<1>()[2] == 18);
  t[1][2][3] = 5;
  t[0][0][0] = t[1][2][3];
  CHECK(values[0] == 5 && values[23] == 5);
  auto turned = t.transpose(0, 2);
  CHECK(turned[3][2][1] == 5 && turned.getSize(0) == 4 && turned.getStride(0) == 1 && !turned.isContiguous());
  CHECK(!turned.isConsistentlySized());
  auto wide = t.upcastOuter<5>();
  CHECK(wide.getSize(0) == 1 && wide.getSize(4) == 4 && wide[0][0][1][0][2] == 14);
  CHECK(t.upcastInner<4>()[1][0][2][0] == 14 && t.upcastInner<4>().getSize(3) == 1);
  auto rows = t.downcastOuter<2>();
  CHECK(rows.getSize(0) == 6 && rows.getSize(1) == 4 && rows[3][2] == 14);
  auto planes = t.downcastInner<2>();
  CHECK(planes.getSize(0) == 2 && planes.getSize(1) == 12 && planes[1][2] == 14);
  CHECK(t.view<2>()[2][1] == 9 && t.view<2>(values + 12)[0][2] == 14);
  CHECK(t.cast<int>().data() == reinterpret_cast<int *>(values));
  const int strides[] = {12, 8, 1};
  THCDeviceTensor<float, 3> gaps(values, sizes, strides);
  CHECK(!gaps.isContiguous() && !gaps.isContiguousRange(0, 2) && !gaps.isContiguousRange(1, 3) && gaps[0][1][1] == 9);
}

template <typename Body> std::string error_of(const Body &body) {
  THSetErrorHandler([](const char *text, void *) { throw std::runtime_error(text); }, nullptr);
  try {
    body();
    return "";
  } catch (const std::runtime_error &error) {
    return std::string(error.what()).substr(0, std::string(error.what()).rfind(" at "));
  }
}

void test_of_tensors() {
  float value = 0;
  int64_t size[] = {2, 3, 4}, stride[] = {12, 4, 1}, far[] = {INT64_C(1) << 40, 4, 1};
  THCudaStorage storage = {};
  storage.data = &value;
  THCudaTensor tensor = {size, stride, 3, &storage, 0, 1, 0};
  CHECK((toDeviceTensor<float, 3>(state, &tensor).getStride(0)) == 12);
  CHECK(error_of([&] { toDeviceTensor<float, 2>(state, &tensor); }) == "THCudaTensor dimension mismatch");
  CHECK((toDeviceTensorCast<float, 2>(state, &tensor).getSize(0)) == 6);
  CHECK((toDeviceTensorCast<float, 4>(state, &tensor).getSize(0)) == 1);
  tensor.stride = far;
  CHECK(error_of([&] { toDeviceTensor<float, 3>(state, &tensor); }) ==
        "THCudaTensor sizes too large for the index type");
  CHECK((toDeviceTensor<float, 3, int64_t>(state, &tensor).getStride(0)) == far[0]);
  CHECK(error_of([&] { toDeviceTensorCast<float, 2>(state, &tensor); }) ==
        "THCudaTensor sizes too large for the index type");
  CHECK(error_of([&] { toDeviceTensorCast<float, 2, int64_t>(state, &tensor); }) ==
        "toDeviceTensorCast: expected the first 2 dimensions to be contiguous");
}

void test_numerics() {
  CHECK(THCNumerics<int8_t>::min() == -128 && THCNumerics<uint8_t>::max() == 255);
  CHECK(THCNumerics<float>::min() == -FLT_MAX && THCNumerics<double>::max() == DBL_MAX);
  CHECK(__half2float(THCNumerics<half>::max()) == 65504);
  CHECK(THCNumerics<int>::abs(-3) == 3 && THCNumerics<uint8_t>::add(250, 10) == 4 && THCNumerics<int>::div(7, 2) == 3);
  CHECK(THCNumerics<float>::lt(1, 2) && THCNumerics<half>::ge(__float2half(2), __float2half(2)));
  CHECK(is_near(THCNumerics<float>::rsqrt(4), .5, 1e-6) && is_near(THCNumerics<double>::exp10(2), 100, 1e-9));
  CHECK(is_near(THCNumerics<double>::erf(THCNumerics<double>::erfinv(.25)), .25, 1e-9));
  CHECK(is_near(THCNumerics<float>::frac(-2.75f), -.75, 0) && is_near(THCNumerics<double>::cinv(4), .25, 0));
  CHECK(is_near(__half2float(THCNumerics<half>::pow(__float2half(3), __float2half(2))), 9, 0));
  CHECK((ScalarConvert<float, int>::to(2.9f)) == 2 && __half2float(ScalarConvert<int, half>::to(3)) == 3);
  CHECK(THCCeilDiv(7, 4) == 2 && THCRoundUp(7, 4) == 8 && GET_BLOCKS(1025) == 2);
}

int main() {
  test_device_tensor();
  test_of_tensors();
  test_numerics();
  test_info_and_bits();
  return failures() != 0;
}
