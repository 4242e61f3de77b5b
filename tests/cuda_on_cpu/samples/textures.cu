// tests/cuda_on_cpu/samples/textures.cu: textures and surfaces, against the formulas of CUDA's programming guide in double.
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)
#define GOOD(call) REQUIRE((call) == cudaSuccess)

constexpr int W = 8, H = 5, D = 3;

// ---- The reference: one axis at a time, from the innermost function outwards ------------------------------------------

struct How {
    cudaTextureAddressMode mode;
    bool linear, normalized;
    double border;
};
// The value at x of n values that `element` gives.
template <typename Element> double along(double x, int n, const How &how, Element element) {
    if (how.normalized) {
        const double whole = std::floor(x);
        if (how.mode == cudaAddressModeWrap) x -= whole;
        if (how.mode == cudaAddressModeMirror) x = std::fmod(whole, 2) == 0 ? x - whole : 1 - (x - whole);
        x *= n;
    }
    const auto at = [&](int i) {
        if (i < 0 || i >= n) {
            if (how.mode == cudaAddressModeBorder) return how.border;
            if (how.mode == cudaAddressModeWrap && how.normalized) i = (i + n) % n;
            i = i < 0 ? 0 : i >= n ? n - 1 : i;
        }
        return element(i);
    };
    if (!how.linear) return at(int(std::floor(x)));
    const int low = int(std::floor(x - 0.5));
    const double part = std::floor((x - 0.5 - low) * 256 + 0.5) / 256;
    return (1 - part) * at(low) + part * at(low + 1);
}

// ---- Kernels: one thread for each coordinate -----------------------------------------------------------------------

struct Points {
    const float *x, *y, *z;
};
__global__ void reads_1d(cudaTextureObject_t t, Points p, float *to) {
    const unsigned i = threadIdx.x;
    to[i] = tex1D<float>(t, p.x[i]);
    float other;
    tex1D(&other, t, p.x[i]);
    if (other != to[i] || tex1DLod<float>(t, p.x[i], 3) != to[i] || tex1DGrad<float>(t, p.x[i], 1, 1) != to[i]) to[i] = NAN;
}
__global__ void reads_2d(cudaTextureObject_t t, Points p, float *to) {
    const unsigned i = threadIdx.x;
    to[i] = tex2D<float>(t, p.x[i], p.y[i]);
    if (tex2DLod<float>(t, p.x[i], p.y[i], 0) != to[i]) to[i] = NAN;
    if (tex2DGrad<float>(t, p.x[i], p.y[i], make_float2(0, 0), make_float2(0, 0)) != to[i]) to[i] = NAN;
}
__global__ void reads_3d(cudaTextureObject_t t, Points p, float *to) {
    const unsigned i = threadIdx.x;
    to[i] = tex3D<float>(t, p.x[i], p.y[i], p.z[i]);
}
__global__ void reads_layers(cudaTextureObject_t t, Points p, float *to) {
    const unsigned i = threadIdx.x;
    to[i] = tex2DLayered<float>(t, p.x[i], p.y[i], int(i % 5) - 1);
}

constexpr int points = 200;
// Coordinates on both sides of n elements, and on their edges and centres.
static float coordinate(int i, int n, bool normalized) {
    const float exact = float(i % 40) / 8 - 2, other = float((i * 7919) % 4000) / 1000 - 1.5f;
    const float turns = i % 2 ? exact : other;
    return normalized ? turns : turns * float(n);
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource, const How &how,
                                      cudaTextureReadMode read = cudaReadModeElementType) {
    cudaTextureDesc desc = {};
    for (auto &mode : desc.addressMode) mode = how.mode;
    desc.filterMode = how.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    desc.readMode = read;
    desc.normalizedCoords = how.normalized;
    desc.borderColor[0] = float(how.border);
    cudaTextureObject_t texture;
    GOOD(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    return texture;
}
static cudaResourceDesc of_array(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}
static cudaArray_t filled(const cudaChannelFormatDesc &desc, cudaExtent size, const void *from, unsigned flags = 0) {
    cudaArray_t array;
    GOOD(cudaMalloc3DArray(&array, &desc, size, flags));
    const size_t element = size_t(desc.x + desc.y + desc.z + desc.w) / 8, rows = size.height ? size.height : 1;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<void *>(from), size.width * element, size.width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(size.width, rows, size.depth ? size.depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&copy));
    return array;
}

template <typename Reference>
static void compare(void (*kernel)(cudaTextureObject_t, Points, float *), cudaTextureObject_t texture, const How &how,
                    Reference reference) {
    float *memory, *found;
    GOOD(cudaMallocManaged(&memory, 3 * points * sizeof(float)));
    GOOD(cudaMallocManaged(&found, points * sizeof(float)));
    const Points p{memory, memory + points, memory + 2 * points};
    for (int i = 0; i < points; i++) {
        memory[i] = coordinate(i, W, how.normalized);
        memory[points + i] = coordinate(3 * i + 1, H, how.normalized);
        memory[2 * points + i] = coordinate(5 * i + 2, D, how.normalized);
    }
    kernel<<<1, points>>>(texture, p, found);
    GOOD(cudaGetLastError());
    for (int i = 0; i < points; i++) {
        const double expected = reference(i, p.x[i], p.y[i], p.z[i]);
        if (!(std::fabs(found[i] - expected) < 1e-5 * std::fmax(1, std::fabs(expected))))
            std::printf("mode %d, linear %d, normalized %d: at (%g, %g, %g): %.9g, expected %.9g\n", how.mode, how.linear,
                        how.normalized, double(p.x[i]), double(p.y[i]), double(p.z[i]), double(found[i]), expected),
                std::exit(1);
    }
    GOOD(cudaDestroyTextureObject(texture));
    cudaFree(memory), cudaFree(found);
}

static void every_mode() {
    std::vector<float> values(W * H * D);
    for (size_t i = 0; i < values.size(); i++) values[i] = float((i * i * 31 + i) % 101) / 8 - 3;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    const cudaArray_t line = filled(desc, {W, 0, 0}, values.data()), plane = filled(desc, {W, H, 0}, values.data());
    const cudaArray_t volume = filled(desc, {W, H, D}, values.data());
    const cudaArray_t layers = filled(desc, {W, H, D}, values.data(), cudaArrayLayered);
    cudaResourceDesc pitched = {};
    pitched.resType = cudaResourceTypePitch2D;
    auto &rows = pitched.res.pitch2D;
    rows.desc = desc;
    rows.width = W;
    rows.height = H;
    GOOD(cudaMallocPitch(&rows.devPtr, &rows.pitchInBytes, W * sizeof(float), H));
    GOOD(cudaMemcpy2D(rows.devPtr, rows.pitchInBytes, values.data(), W * sizeof(float), W * sizeof(float), H,
                      cudaMemcpyHostToDevice));
    const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                            cudaAddressModeBorder};
    for (const cudaTextureAddressMode mode : modes)
        for (int which = 0; which < 4; which++) {
            const How how{mode, which % 2 == 1, which / 2 == 1, -7.25};
            const auto in_row = [&](double x, int y, int z) {
                return along(x, W, how, [&](int i) { return double(values[size_t((z * H + y) * W + i)]); });
            };
            const auto in_plane = [&](double x, double y, int z) {
                return along(y, H, how, [&](int j) { return in_row(x, j, z); });
            };
            compare(reads_1d, texture_of(of_array(line), how), how, [&](int, double x, double, double) { return in_row(x, 0, 0); });
            for (const cudaResourceDesc &resource : {of_array(plane), pitched})
                compare(reads_2d, texture_of(resource, how), how,
                        [&](int, double x, double y, double) { return in_plane(x, y, 0); });
            compare(reads_layers, texture_of(of_array(layers), how), how, [&](int i, double x, double y, double) {
                const int layer = i % 5 - 1;
                return in_plane(x, y, layer < 0 ? 0 : layer >= D ? D - 1 : layer);
            });
            compare(reads_3d, texture_of(of_array(volume), how), how, [&](int, double x, double y, double z) {
                return along(z, D, how, [&](int k) { return in_plane(x, y, k); });
            });
        }
    for (const cudaArray_t each : {line, plane, volume, layers}) GOOD(cudaFreeArray(each));
    GOOD(cudaFree(rows.devPtr));
}

// ---- Types ----------------------------------------------------------------------------------------------------------

template <typename T> __global__ void elements(cudaTextureObject_t t, T *to) { to[threadIdx.x] = tex1D<T>(t, threadIdx.x + 0.5f); }
template <typename T> __global__ void fetches(cudaTextureObject_t t, T *to) { to[threadIdx.x] = tex1Dfetch<T>(t, int(threadIdx.x)); }

// Textures of an array and of linear memory give the same elements; the latter gives zeros behind its end.
template <typename T, typename Given>
static void type(const cudaChannelFormatDesc &desc, const std::vector<Given> &given, const std::vector<T> &expected,
                 cudaTextureReadMode read = cudaReadModeElementType) {
    const size_t n = expected.size();
    T *found;
    GOOD(cudaMallocManaged(&found, (n + 1) * sizeof(T)));
    const cudaArray_t array = filled(desc, {n, 0, 0}, given.data());
    const How how{cudaAddressModeClamp, false, false, 0};
    cudaTextureObject_t texture = texture_of(of_array(array), how, read);
    elements<<<1, unsigned(n)>>>(texture, found);
    GOOD(cudaGetLastError());
    REQUIRE(!std::memcmp(found, expected.data(), n * sizeof(T)));
    GOOD(cudaDestroyTextureObject(texture));
    GOOD(cudaFreeArray(array));
    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.desc = desc;
    linear.res.linear.sizeInBytes = given.size() * sizeof(Given);
    GOOD(cudaMalloc(&linear.res.linear.devPtr, linear.res.linear.sizeInBytes));
    GOOD(cudaMemcpy(linear.res.linear.devPtr, given.data(), linear.res.linear.sizeInBytes, cudaMemcpyHostToDevice));
    texture = texture_of(linear, how, read);
    fetches<<<1, unsigned(n + 1)>>>(texture, found);
    GOOD(cudaGetLastError());
    const T zero{};
    REQUIRE(!std::memcmp(found, expected.data(), n * sizeof(T)) && !std::memcmp(found + n, &zero, sizeof zero));
    GOOD(cudaDestroyTextureObject(texture));
    cudaFree(linear.res.linear.devPtr), cudaFree(found);
}
template <typename T> static void plain(const std::vector<T> &values) { type<T, T>(cudaCreateChannelDesc<T>(), values, values); }

static void every_type() {
    plain<signed char>({-128, -1, 0, 127}), plain<unsigned char>({0, 1, 200, 255});
    plain<short>({-32768, -1, 32767}), plain<unsigned short>({0, 40000, 65535});
    plain<int>({INT32_MIN, -1, INT32_MAX}), plain<unsigned>({0, 1, UINT32_MAX}), plain<float>({-1.5f, 0, 1e30f});
    plain<uchar2>({{1, 255}, {3, 4}}), plain<char4>({{-1, 2, -3, 4}, {5, -6, 7, -128}}), plain<short2>({{-5, 6}});
    plain<ushort4>({{1, 2, 3, 65535}}), plain<int2>({{-1, 2}, {3, 4}}), plain<uint4>({{1, 2, 3, UINT32_MAX}});
    plain<float2>({{1, 2}, {3, 4}}), plain<float4>({{1, 2, 3, 4}, {5, 6, 7, 8}}), plain<char1>({{-3}}), plain<float1>({{2}});
    // as another type: integers of the same channels, and the first ones of many
    type<int, signed char>(cudaCreateChannelDesc<signed char>(), {-128, 5}, {-128, 5});
    type<unsigned, unsigned char>(cudaCreateChannelDesc<unsigned char>(), {255, 5}, {255, 5});
    type<float2, float4>(cudaCreateChannelDesc<float4>(), {{1, 2, 3, 4}}, {{1, 2}});
    // 16-bit floats become floats
    type<float, __half>(cudaCreateChannelDescHalf(), {__half(0.1f), __half(-2.f)}, {float(__half(0.1f)), -2});
    type<float4, __half>(cudaCreateChannelDescHalf4(), {__half(1.f), __half(2.f), __half(3.f), __half(65504.f)},
                         {{1, 2, 3, 65504}});
    // normalized values: the least signed one is -1, too
    const cudaTextureReadMode normalized = cudaReadModeNormalizedFloat;
    type<float, unsigned char>(cudaCreateChannelDesc<unsigned char>(), {0, 51, 255}, {0, 51 / 255.f, 1}, normalized);
    type<float, signed char>(cudaCreateChannelDesc<signed char>(), {-128, -127, 0, 127}, {-1, -1, 0, 1}, normalized);
    type<float2, unsigned short>(cudaCreateChannelDesc<ushort2>(), {0, 65535}, {{0, 1}}, normalized);
    type<float, short>(cudaCreateChannelDesc<short>(), {-32768, 16384}, {-1, 16384 / 32767.f}, normalized);
}

__global__ void reads_bytes(cudaTextureObject_t t, float4 *to) {
    to[0] = tex2D<float4>(t, 1, 0.5f);  // half of both elements
    to[1] = tex2D<float4>(t, -5, 0.5f);
}
__global__ void reads_border(cudaTextureObject_t t, int *to) { *to = tex1D<int>(t, -5); }
static void filters_of_channels() {
    const uchar4 values[] = {{0, 255, 51, 0}, {255, 255, 0, 102}};
    const cudaArray_t array = filled(cudaCreateChannelDesc<uchar4>(), {2, 1, 0}, values);
    float4 *found;
    GOOD(cudaMallocManaged(&found, 2 * sizeof(float4)));
    cudaTextureDesc desc = {};
    for (auto &mode : desc.addressMode) mode = cudaAddressModeBorder;
    desc.filterMode = cudaFilterModeLinear;
    desc.readMode = cudaReadModeNormalizedFloat;
    for (int i = 0; i < 4; i++) desc.borderColor[i] = float(i) / 4;
    cudaTextureObject_t texture;
    const cudaResourceDesc resource = of_array(array);
    GOOD(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    reads_bytes<<<1, 1>>>(texture, found);
    GOOD(cudaGetLastError());
    REQUIRE(found[0].x == 0.5f && found[0].y == 1 && std::fabs(found[0].z - 0.1f) < 1e-6f && std::fabs(found[0].w - 0.2f) < 1e-6f);
    REQUIRE(found[1].x == 0 && found[1].y == 0.25f && found[1].z == 0.5f && found[1].w == 0.75f);
    GOOD(cudaDestroyTextureObject(texture));
    // The border of integers is given by its bits.
    const int seven = 7, one = 1;
    const cudaArray_t integers = filled(cudaCreateChannelDesc<int>(), {1, 0, 0}, &one);
    desc.filterMode = cudaFilterModePoint;
    desc.readMode = cudaReadModeElementType;
    std::memcpy(desc.borderColor, &seven, sizeof seven);
    const cudaResourceDesc other = of_array(integers);
    GOOD(cudaCreateTextureObject(&texture, &other, &desc, nullptr));
    reads_border<<<1, 1>>>(texture, reinterpret_cast<int *>(found));
    REQUIRE(*reinterpret_cast<int *>(found) == 7);
    cudaTextureDesc said;
    cudaResourceDesc what;
    GOOD(cudaGetTextureObjectTextureDesc(&said, texture));
    GOOD(cudaGetTextureObjectResourceDesc(&what, texture));
    REQUIRE(said.addressMode[0] == cudaAddressModeBorder && what.res.array.array == integers);
    GOOD(cudaDestroyTextureObject(texture));
    GOOD(cudaFreeArray(array));
    GOOD(cudaFreeArray(integers));
    cudaFree(found);
}

// ---- Surfaces -------------------------------------------------------------------------------------------------------

__global__ void writes(cudaSurfaceObject_t line, cudaSurfaceObject_t plane, cudaSurfaceObject_t volume,
                       cudaSurfaceObject_t layers) {
    const int x = int(threadIdx.x), y = int(threadIdx.y), z = int(threadIdx.z), bytes = x * int(sizeof(float2));
    const float value = float((z * H + y) * W + x);
    if (!y && !z) surf1Dwrite(make_float2(value, -value), line, bytes);
    if (!z) surf2Dwrite(make_float2(value, -value), plane, bytes, y);
    surf3Dwrite<float2>(make_float2(value, -value), volume, bytes, y, z);
    surf2DLayeredwrite(make_float2(value, -value), layers, bytes, y, z);
    // outside: nothing, or the nearest element, which gets what it has
    if (x == W - 1 && !z) surf2Dwrite(make_float2(1000, 1000), plane, bytes + int(sizeof(float2)), y, cudaBoundaryModeZero);
    if (x == W - 1 && !z) surf2Dwrite(make_float2(value, -value), plane, bytes + 800, y, cudaBoundaryModeClamp);
}
__global__ void reads(cudaSurfaceObject_t line, cudaSurfaceObject_t plane, cudaSurfaceObject_t volume,
                      cudaSurfaceObject_t layers, int *wrong) {
    const int x = int(threadIdx.x), y = int(threadIdx.y), z = int(threadIdx.z), bytes = x * int(sizeof(float2));
    const float value = float((z * H + y) * W + x);
    const auto expect = [=](float2 found, float expected) {
        if (found.x != expected || found.y != -expected) atomicAdd(wrong, 1);
    };
    if (!y && !z) expect(surf1Dread<float2>(line, bytes), value);
    if (!z) expect(surf2Dread<float2>(plane, bytes, y), value);
    expect(surf3Dread<float2>(volume, bytes, y, z), value);
    float2 other;
    surf2DLayeredread(&other, layers, bytes, y, z);
    expect(other, value);
    expect(surf2Dread<float2>(plane, -8, y, cudaBoundaryModeZero), 0);
    expect(surf2Dread<float2>(plane, bytes, H, cudaBoundaryModeZero), 0);
    expect(surf2Dread<float2>(plane, -8, -1, cudaBoundaryModeClamp), 0);
    expect(surf2Dread<float2>(plane, 8 * W, H, cudaBoundaryModeClamp), float(W * H - 1));
    if (surf2Dread<float>(plane, bytes + 4, y) != -float(y * W + x)) atomicAdd(wrong, 1);  // a part of an element
}
static void every_surface() {
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float2>();
    const cudaExtent sizes[] = {{W, 0, 0}, {W, H, 0}, {W, H, D}, {W, H, D}};
    cudaArray_t arrays[4];
    cudaSurfaceObject_t surfaces[4];
    for (int i = 0; i < 4; i++) {
        GOOD(cudaMalloc3DArray(&arrays[i], &desc, sizes[i], cudaArraySurfaceLoadStore | (i == 3 ? cudaArrayLayered : 0)));
        const cudaResourceDesc resource = of_array(arrays[i]);
        GOOD(cudaCreateSurfaceObject(&surfaces[i], &resource));
    }
    int *wrong;
    GOOD(cudaMallocManaged(&wrong, sizeof *wrong));
    *wrong = 0;
    writes<<<1, dim3(W, H, D)>>>(surfaces[0], surfaces[1], surfaces[2], surfaces[3]);
    GOOD(cudaGetLastError());
    reads<<<1, dim3(W, H, D)>>>(surfaces[0], surfaces[1], surfaces[2], surfaces[3], wrong);
    GOOD(cudaGetLastError());
    REQUIRE(*wrong == 0);
    std::vector<float2> back(W * H);
    GOOD(cudaMemcpy2DFromArray(back.data(), W * sizeof(float2), arrays[1], 0, 0, W * sizeof(float2), H, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < back.size(); i++) REQUIRE(back[i].x == float(i) && back[i].y == -float(i));
    for (int i = 0; i < 4; i++) {
        GOOD(cudaDestroySurfaceObject(surfaces[i]));
        GOOD(cudaFreeArray(arrays[i]));
    }
    cudaFree(wrong);
}

int main() {
    every_mode(), every_type(), filters_of_channels(), every_surface();
    std::puts("right");
}
