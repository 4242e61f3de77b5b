// tests/cuda_on_cpu/samples/members.cu: member templates that templates call without the word `template`, as CUDA's
// compiler permits, beside comparisons that look the same.
#include <cstdio>

struct Matrix {
    int at[9];
    template <int row, int column> __host__ __device__ int entry(int plus) const { return at[3 * row + column] + plus; }
    template <int n> __host__ __device__ Matrix turned(int by) const {
        Matrix turned;
        for (int i = 0; i < 9; i++) turned.at[i] = at[(i + n * by) % 9];
        return turned;
    }
};
// A variable of a class has the name of a function template of another one.
struct Range {
    template <int step> __host__ __device__ int first(int start) const { return start + step; }
};
struct Shape {
    int first;
};

template <int n, typename M> __global__ void called(const M *m, int *out) {
    out[0] = m->entry<1, 2>(10);
    out[1] = m[0].entry<(n > 3), n / 2>(2);
    const auto turned = m->turned<n>(m->entry<0, 1>(1));
    out[2] = turned.at[0] < out[0];
}
// Two comparisons, which are evaluated as such.
__host__ __device__ int count(bool a, bool b) { return a + 2 * b; }
template <typename S> __global__ void compared(const S *s, int low, int high, int *out) {
    out[3] = count(s->first < low, high > (7));
    out[4] = (s->first < high) > (low);
}
// A type that is known.
__global__ void of_a_variable_too(Range range, int *out) { out[5] = range.first<3>(4); }

int main() {
    Matrix *m;
    Shape *s;
    int *out;
    cudaMallocManaged(&m, sizeof *m), cudaMallocManaged(&s, sizeof *s), cudaMallocManaged(&out, 6 * sizeof(int));
    for (int i = 0; i < 9; i++) m->at[i] = i;
    *s = {5};
    called<2><<<1, 1>>>(m, out);
    compared<<<1, 1>>>(s, 6, 7, out);
    of_a_variable_too<<<1, 1>>>(Range(), out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    const int expected[] = {15, 3, 1, 1, 0, 7};
    for (int i = 0; i < 6; i++)
        if (out[i] != expected[i]) return std::printf("%d: %d instead of %d\n", i, out[i], expected[i]), 1;
    std::printf("right\n");
}
