// tests/cuda_on_cpu/samples/wrong_arrays.cu: one wrong use of arrays, textures or surfaces for each name; prints the errors.
#include <cstdio>
#include <cstring>

static void say(cudaError_t error) { std::printf("%s ", cudaGetErrorName(error)); }

template <typename T> __global__ void reads_2d(cudaTextureObject_t texture, T *to) { *to = tex2D<T>(texture, 0.5f, 0.5f); }
__global__ void reads_3d(cudaTextureObject_t texture, float *to) { *to = tex3D<float>(texture, 0, 0, 0); }
__global__ void fetches(cudaTextureObject_t texture, float *to) { *to = tex1Dfetch<float>(texture, 0); }
__global__ void reads_surface(cudaSurfaceObject_t surface, int x, int y, float *to) {
    *to = surf2Dread<float>(surface, x, y);
}

int main(int, char **arguments) {
    const auto is = [arguments](const char *name) { return !std::strcmp(arguments[1], name); };
    constexpr size_t width = 4, height = 3, row = width * sizeof(float), huge = size_t(1) << 62;
    const cudaChannelFormatDesc one = cudaCreateChannelDesc<float>(), four = cudaCreateChannelDesc<float4>();
    const cudaChannelFormatDesc integer = cudaCreateChannelDesc<int>();
    const cudaChannelFormatDesc three{32, 32, 32, 0, cudaChannelFormatKindFloat}, mixed{32, 16, 0, 0, cudaChannelFormatKindFloat};
    float host[16] = {}, *memory;
    cudaArray_t array, freed, integers, large, made = nullptr;
    cudaMalloc(&memory, 1024);
    say(cudaMallocArray(&array, &one, width, height, cudaArraySurfaceLoadStore));
    cudaMallocArray(&freed, &one, width, height);
    cudaMallocArray(&integers, &integer, width, height);
    cudaMallocArray(&large, &four, width, height);
    cudaFreeArray(freed);
    cudaPitchedPtr pitched = make_cudaPitchedPtr(memory, row, width, height);
    const cudaExtent box = make_cudaExtent(row, height, 2);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host, row, width, height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, height, 1);
    copy.kind = cudaMemcpyHostToDevice;
    cudaResourceDesc resource = {}, linear = {}, rows = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = memory;
    linear.res.linear.desc = one;
    linear.res.linear.sizeInBytes = 1024;
    rows.resType = cudaResourceTypePitch2D;
    rows.res.pitch2D.devPtr = memory;
    rows.res.pitch2D.desc = one;
    rows.res.pitch2D.width = 8;
    rows.res.pitch2D.height = 4;
    rows.res.pitch2D.pitchInBytes = 256;
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;

#define RUN(name, ...)                                                                                                 \
    if (is(#name)) { __VA_ARGS__; }
#define TEXTURE(name, what, ...)                                                                                       \
    RUN(name, __VA_ARGS__, say(cudaCreateTextureObject(&texture, &what, &how, nullptr)))
    RUN(three_channels, say(cudaMallocArray(&made, &three, width, height)), say(cudaMallocArray(&made, &mixed, width, height)))
    RUN(no_width, say(cudaMallocArray(&made, &one, 0, height)))
    RUN(array_nulls, say(cudaMallocArray(nullptr, &one, 1, 1)), say(cudaMallocArray(&made, nullptr, 1, 1)),
        say(cudaMemcpy3D(nullptr)), say(cudaArrayGetInfo(nullptr, nullptr, nullptr, nullptr)), say(cudaMalloc3D(nullptr, box)))
    RUN(array_too_large, say(cudaMallocArray(&made, &one, huge, 1)), say(cudaMalloc3DArray(&made, &one, {1, 1, 20000})))
    RUN(array_flags, say(cudaMallocArray(&made, &one, 1, 1, 0x1000)), say(cudaMallocArray(&made, &one, 1, 1, cudaArrayLayered)))
    RUN(array_cube, say(cudaMalloc3DArray(&made, &one, {4, 4, 6}, cudaArrayCubemap)))
    RUN(array_freed, say(cudaFreeArray(freed)), say(cudaMemcpy2DToArray(freed, 0, 0, host, 4, 4, 1, cudaMemcpyHostToDevice)))
    RUN(array_kind, say(cudaMemcpy2DToArray(array, 0, 0, host, row, row, 1, cudaMemcpyDeviceToHost)),
        say(cudaMemcpy2DFromArray(host, row, array, 0, 0, row, 1, cudaMemcpyHostToDevice)))
    RUN(array_side, say(cudaMemcpy2DToArray(array, 0, 0, host, row, row, 1, cudaMemcpyDeviceToDevice)),
        say(cudaMemcpy2DFromArray(memory, row, array, 0, 0, row, 1, cudaMemcpyDeviceToHost)))
    RUN(array_past_row, say(cudaMemcpy2DToArray(array, 4, 0, host, row, row, 1, cudaMemcpyHostToDevice)))
    RUN(array_past_rows, say(cudaMemcpy2DToArray(array, 0, 2, host, row, row, 2, cudaMemcpyHostToDevice)))
    RUN(array_past_bytes, say(cudaMemcpyToArray(array, 4, 0, host, row * height, cudaMemcpyHostToDevice)))
    RUN(array_pitch, say(cudaMemcpy2DToArray(array, 0, 0, host, 4, row, 2, cudaMemcpyHostToDevice)))
    RUN(array_elements, copy.srcPtr.ptr = nullptr, copy.srcArray = large, copy.kind = cudaMemcpyDeviceToDevice,
        say(cudaMemcpy3D(&copy)))
    RUN(box_both, copy.dstPtr = pitched, say(cudaMemcpy3D(&copy)))
    RUN(box_none, copy.srcPtr.ptr = nullptr, say(cudaMemcpy3D(&copy)))
    RUN(box_past_array, copy.dstPos.x = 1, say(cudaMemcpy3D(&copy)))
    RUN(box_past_depth, copy.extent.depth = 2, say(cudaMemcpy3D(&copy)))
    RUN(box_past_pitch, copy.dstArray = nullptr, copy.dstPtr = pitched, copy.extent.width = row + 1, say(cudaMemcpy3D(&copy)))
    RUN(box_past_memory, copy.dstArray = nullptr, copy.dstPtr = pitched, copy.extent = make_cudaExtent(row, height, 100),
        say(cudaMemcpy3D(&copy)))
    RUN(box_kind, copy.kind = cudaMemcpyDeviceToHost, say(cudaMemcpy3D(&copy)))
    RUN(set_box_past, say(cudaMemset3D(pitched, 0, {row, height, 100})))
    RUN(set_box_pitch, say(cudaMemset3D(pitched, 0, {row + 1, height, 1})))
    RUN(set_box_host, say(cudaMemset3D(make_cudaPitchedPtr(host, row, width, height), 0, {row, height, 1})))
    RUN(box_too_large, say(cudaMalloc3D(&pitched, {1, huge, 8})))
    TEXTURE(texture_good, resource, how.filterMode = cudaFilterModeLinear)
    RUN(texture_nulls, say(cudaCreateTextureObject(nullptr, &resource, &how, nullptr)),
        say(cudaCreateTextureObject(&texture, nullptr, &how, nullptr)), say(cudaCreateTextureObject(&texture, &resource, nullptr, nullptr)))
    TEXTURE(texture_freed, resource, resource.res.array.array = freed)
    TEXTURE(texture_filter, resource, resource.res.array.array = integers, how.filterMode = cudaFilterModeLinear)
    TEXTURE(texture_norm, resource, resource.res.array.array = integers, how.readMode = cudaReadModeNormalizedFloat)
    TEXTURE(texture_mode, resource, how.addressMode[1] = cudaTextureAddressMode(9))
    TEXTURE(texture_host, linear, linear.res.linear.devPtr = host)
    TEXTURE(texture_offset, linear, linear.res.linear.devPtr = memory + 1)
    TEXTURE(texture_past, linear, linear.res.linear.sizeInBytes = 1025)
    TEXTURE(texture_channels, linear, linear.res.linear.desc = three)
    TEXTURE(texture_rows_pitch, rows, rows.res.pitch2D.pitchInBytes = 100)
    TEXTURE(texture_rows_past, rows, rows.res.pitch2D.height = 5)
    TEXTURE(texture_mipmap, resource, resource.resType = cudaResourceTypeMipmappedArray)
    RUN(texture_twice, cudaCreateTextureObject(&texture, &resource, &how, nullptr), say(cudaDestroyTextureObject(texture)),
        say(cudaDestroyTextureObject(texture)))
    RUN(surface_flag, resource.res.array.array = integers, say(cudaCreateSurfaceObject(&surface, &resource)))
    RUN(surface_linear, say(cudaCreateSurfaceObject(&surface, &linear)))
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    cudaCreateSurfaceObject(&surface, &resource);
    cudaGetLastError();
    // what ends a kernel
    RUN(read_channels, reads_2d<<<1, 1>>>(texture, reinterpret_cast<float4 *>(memory)), say(cudaGetLastError()))
    RUN(read_dimensions, reads_3d<<<1, 1>>>(texture, memory), say(cudaGetLastError()))
    RUN(fetch_array, fetches<<<1, 1>>>(texture, memory), say(cudaGetLastError()))
    RUN(surface_trap, reads_surface<<<1, 1>>>(surface, int(row), 0, memory), say(cudaGetLastError()))
    RUN(surface_misaligned, reads_surface<<<1, 1>>>(surface, 2, 0, memory), say(cudaGetLastError()))
    std::printf("\n");
}
