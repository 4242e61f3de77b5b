// tests/cuda_on_cpu/samples/thrust.cu: thrust's algorithms on vectors and plain pointers, and a stream's policy.
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <cstdio>

struct Twice {
    __host__ __device__ int operator()(int x) const { return 2 * x; }
};
__global__ void add(int *x) { x[threadIdx.x] += 1; }

int main() {
    thrust::device_vector<int> v(4);
    for (int i = 0; i < 4; i++) v[i] = 3 * i % 4;
    add<<<1, 4>>>(thrust::raw_pointer_cast(v.data()));  // 1 4 3 2
    thrust::sort(v.begin(), v.end());
    thrust::transform(thrust::device, v.begin(), v.end(), v.begin(), Twice());  // 2 4 6 8
    int *raw;
    cudaMalloc(&raw, 4 * sizeof(int));
    thrust::device_ptr<int> sums(raw);
    thrust::inclusive_scan(v.begin(), v.end(), sums);  // 2 6 12 20
    thrust::sort(thrust::cuda::par.on(cudaStream_t(nullptr)), sums, sums + 4, thrust::greater<int>());
    const bool right = v[0] == 2 && v[3] == 8 && thrust::reduce(v.begin(), v.end()) == 20 && sums[0] == 20 && sums[3] == 2;
    std::puts(right ? "right" : "wrong");
}
