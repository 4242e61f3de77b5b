// tests/cuda_on_cpu/samples/records.cu: launches that are recorded and run again; the argument names the last one.
#include <cstdio>
#include <cstring>

struct Table {
    const int *from;
    int *to;
    int by;
};
__device__ int counter = 0;
__constant__ int factor;

__global__ void scale(Table table, int n) {
    extern __shared__ int part[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? table.from[i] : 0;
    __syncthreads();
    if (i < n) table.to[i] = part[threadIdx.x] * table.by * factor;  // INSIDE
    if (i == 0) counter++;
}
__global__ void faulty(const Table *tables) { tables[0].to[0] = *tables[0].from; }
__global__ void ordered(int *to) { *to = threadIdx.x; }

int main(int count, char **arguments) {
    const char *which = count > 1 ? arguments[1] : "scale";
    constexpr int n = 1000;
    int *freed, *from, *to, values[n], three = 3;
    cudaMalloc(&freed, 5000);
    cudaMalloc(&from, sizeof values);
    cudaFree(freed);
    cudaMalloc(&to, sizeof values);
    for (int i = 0; i < n; i++) values[i] = i;
    cudaMemcpy(from, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(factor, &three, sizeof three);
    for (int by = 1; by < 4; by++) scale<<<4, 256, 256 * sizeof(int)>>>(Table{from, to, by}, n);
    if (!std::strcmp(which, "ordered")) ordered<<<1, 32>>>(to);
    if (!std::strcmp(which, "pointer")) {
        void (*const kernel)(int *) = ordered;
        kernel<<<1, 32>>>(to);
    }
    if (!std::strcmp(which, "faulty")) {
        Table *tables;
        const Table table = {nullptr, to, 1};
        cudaMalloc(&tables, sizeof table);
        cudaMemcpy(tables, &table, sizeof table, cudaMemcpyHostToDevice);
        faulty<<<1, 1>>>(tables);
    }
    cudaMemcpy(values, to, sizeof values, cudaMemcpyDeviceToHost);
    std::printf("%s: %d %d\n", which, values[0], values[n - 1]);
}
