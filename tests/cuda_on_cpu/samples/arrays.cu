// tests/cuda_on_cpu/samples/arrays.cu: pitched memory of three dimensions, arrays, and copies between them and the host.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)
#define GOOD(call) REQUIRE((call) == cudaSuccess)

constexpr size_t W = 5, H = 3, D = 2;

static std::vector<int> numbers(size_t n) {
    std::vector<int> made(n);
    for (size_t i = 0; i < n; i++) made[i] = int(i);
    return made;
}

__global__ void doubles(cudaPitchedPtr volume, size_t height) {
    const unsigned x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    char *plane = static_cast<char *>(volume.ptr) + z * volume.pitch * height;
    reinterpret_cast<int *>(plane + y * volume.pitch)[x] *= 2;
}

static void memory_of_three_dimensions() {
    const std::vector<int> in = numbers(W * H * D);
    cudaPitchedPtr volume;
    const cudaExtent bytes = make_cudaExtent(W * sizeof(int), H, D);
    GOOD(cudaMalloc3D(&volume, bytes));
    REQUIRE(volume.pitch >= bytes.width && volume.pitch % 32 == 0 && volume.xsize == bytes.width && volume.ysize == H);
    cudaMemcpy3DParms to = {};
    to.srcPtr = make_cudaPitchedPtr(const_cast<int *>(in.data()), W * sizeof(int), W, H);
    to.dstPtr = volume;
    to.extent = bytes;
    to.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&to));
    doubles<<<1, dim3(W, H, D)>>>(volume, H);
    // one row of the second plane, from its second number on, into the middle of another host array
    std::vector<int> out(W * H * D, -1);
    cudaMemcpy3DParms from = {};
    from.srcPtr = volume;
    from.srcPos = make_cudaPos(1 * sizeof(int), 2, 1);
    from.dstPtr = make_cudaPitchedPtr(out.data(), W * sizeof(int), W, H);
    from.dstPos = make_cudaPos(2 * sizeof(int), 1, 1);
    from.extent = make_cudaExtent(3 * sizeof(int), 1, 1);
    from.kind = cudaMemcpyDeviceToHost;
    GOOD(cudaMemcpy3DAsync(&from));
    for (size_t i = 0; i < out.size(); i++) {
        const size_t x = i % W, y = i / W % H, z = i / W / H;
        const bool copied = z == 1 && y == 1 && x >= 2;
        REQUIRE(out[i] == (copied ? 2 * in[(1 * H + 2) * W + x - 1] : -1));
    }
    GOOD(cudaMemset3D(volume, 1, make_cudaExtent(2 * sizeof(int), 2, D)));
    from.srcPos = from.dstPos = make_cudaPos(0, 0, 0);
    from.extent = bytes;
    GOOD(cudaMemcpy3D(&from));
    for (size_t i = 0; i < out.size(); i++)
        REQUIRE(out[i] == (i % W < 2 && i / W % H < 2 ? 0x01010101 : 2 * in[i]));
    GOOD(cudaMemset3DAsync(volume, 0, make_cudaExtent(0, H, D)));
    GOOD(cudaFree(volume.ptr));
}

static void arrays_of_two_dimensions() {
    const std::vector<int> in = numbers(W * H);
    std::vector<int> out(W * H, -1);
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
    cudaArray_t array, other;
    GOOD(cudaMallocArray(&array, &desc, W, H));
    GOOD(cudaMalloc3DArray(&other, &desc, make_cudaExtent(W, H, 0)));
    constexpr size_t row = W * sizeof(int);
    GOOD(cudaMemcpy2DToArray(array, 0, 0, in.data(), row, row, H, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, row, H));
    GOOD(cudaMemcpy2DToArrayAsync(other, sizeof(int), 1, in.data(), row, 2 * sizeof(int), 2, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy2DFromArray(out.data(), row, other, 0, 0, row, H, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < out.size(); i++) {
        const size_t x = i % W, y = i / W;
        REQUIRE(out[i] == (y >= 1 && (x == 1 || x == 2) ? in[(y - 1) * W + x - 1] : in[i]));
    }
    GOOD(cudaMemcpy2DFromArrayAsync(out.data(), row, array, sizeof(int), 2, sizeof(int), 1, cudaMemcpyDefault));
    REQUIRE(out[0] == in[2 * W + 1]);
    // Bytes that go on in the next row.
    const int three[] = {100, 101, 102};
    GOOD(cudaMemcpyToArray(array, row - sizeof(int), 0, three, sizeof three, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpyFromArray(out.data(), array, 0, 0, row * H, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < out.size(); i++) REQUIRE(out[i] == (i >= W - 1 && i <= W + 1 ? three[i - W + 1] : in[i]));
    GOOD(cudaMemcpyArrayToArray(other, 0, 2, array, row - sizeof(int), 0, sizeof three, cudaMemcpyDeviceToDevice));
    GOOD(cudaMemcpyFromArrayAsync(out.data(), other, 0, 2, sizeof three, cudaMemcpyDeviceToHost, nullptr));
    REQUIRE(!std::memcmp(out.data(), three, sizeof three));
    cudaChannelFormatDesc said;
    cudaExtent size;
    unsigned flags = 99;
    GOOD(cudaArrayGetInfo(&said, &size, &flags, array));
    REQUIRE(said.x == 32 && said.y == 0 && said.f == cudaChannelFormatKindSigned && flags == 0);
    REQUIRE(size.width == W && size.height == H && size.depth == 0);
    GOOD(cudaGetChannelDesc(&said, array));
    GOOD(cudaFreeArray(array));
    GOOD(cudaFreeArray(other));
    GOOD(cudaFreeArray(nullptr));
}

// Positions and widths of arrays count elements, those of memory bytes.
static void arrays_of_three_dimensions() {
    std::vector<int> in = numbers(2 * W * H * D), out(2 * W * H * D, -1);
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<int2>();
    REQUIRE(desc.x == 32 && desc.y == 32 && desc.z == 0);
    cudaArray_t array;
    GOOD(cudaMalloc3DArray(&array, &desc, make_cudaExtent(W, H, D), cudaArraySurfaceLoadStore));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(in.data(), W * sizeof(int2), W, H);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(W, H, D);
    copy.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&copy));
    cudaMemcpy3DParms back = {};
    back.srcArray = array;
    back.srcPos = make_cudaPos(3, 1, 1);
    back.dstPtr = make_cudaPitchedPtr(out.data(), W * sizeof(int2), W, H);
    back.dstPos = make_cudaPos(sizeof(int2), 0, 0);
    back.extent = make_cudaExtent(2, 2, 1);
    back.kind = cudaMemcpyDeviceToHost;
    GOOD(cudaMemcpy3D(&back));
    for (size_t i = 0; i < out.size(); i++) {
        const size_t x = i / 2 % W, y = i / 2 / W % H, z = i / 2 / W / H;
        const bool copied = z == 0 && y < 2 && (x == 1 || x == 2);
        REQUIRE(out[i] == (copied ? in[2 * ((1 * H + y + 1) * W + x + 2) + i % 2] : -1));
    }
    GOOD(cudaFreeArray(array));
}

int main() {
    memory_of_three_dimensions(), arrays_of_two_dimensions(), arrays_of_three_dimensions();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    std::puts("right");
}
