// tests/thc/api.h: the C functions by element type, so that one template tests all; tensors on both sides.
#pragma once

#include "../support/check.h"
#include "device.h"

#include "thc/runtime/types.h"

#include <THC/THCHost.h>

#include <algorithm>
#include <functional>
#include <random>
#include <stdexcept>

extern "C" THCState *state;

// Functions that TH and THC both have for every type.
#define SHARED_FUNCTIONS(X)                                                                                            \
    X(newWithTensor) X(newContiguous) X(newClone) X(newSelect) X(newNarrow) X(newTranspose) X(newUnfold) X(newView)    \
    X(newExpand) X(free) X(retain) X(resizeNd) X(resizeAs) X(resize1d) X(resize2d) X(resize3d) X(resize4d) X(set)      \
    X(setStorageNd) X(narrow) X(select) X(transpose) X(unfold) X(squeeze) X(squeeze1d) X(unsqueeze1d) X(isContiguous)  \
    X(nElement) X(size) X(stride) X(sizeDesc) X(get1d) X(set2d) X(isSameSizeAs) X(storageOffset) X(data)

template <typename T> struct Cuda;
template <typename T> struct Host;
#define TYPE(CReal, Real, real, accreal)                                                                               \
    template <> struct Cuda<real> {                                                                                    \
        using Tensor = TH##CReal##Tensor;                                                                              \
        using Storage = TH##CReal##Storage;                                                                            \
        using Accumulate = accreal;                                                                                    \
        static constexpr auto make = TH##CReal##Tensor_new;                                                            \
        static constexpr auto of_storage = TH##CReal##Tensor_newWithStorage1d;                                         \
        static constexpr auto from_host = TH##CReal##Tensor_copyCPU;                                                   \
        static constexpr auto to_host = TH##Real##Tensor_copyCuda;                                                     \
        static constexpr auto fill = TH##CReal##Tensor_fill;                                                           \
        static constexpr auto zero = TH##CReal##Tensor_zero;                                                           \
        static constexpr auto copy = TH##CReal##Tensor_copy;                                                           \
        static constexpr auto cadd = TH##CReal##Tensor_cadd;                                                           \
        static constexpr auto csub = TH##CReal##Tensor_csub;                                                           \
        static constexpr auto sumall = TH##CReal##Tensor_sumall;                                                       \
        static constexpr auto scatterAdd = TH##CReal##Tensor_scatterAdd;                                               \
        static constexpr auto bernoulli = TH##CReal##Tensor_bernoulli;                                                 \
        static constexpr auto addmm = TH##CReal##Tensor_addmm;                                                         \
        static constexpr auto addmv = TH##CReal##Tensor_addmv;                                                         \
        static constexpr auto addr = TH##CReal##Tensor_addr;                                                           \
        static constexpr auto addbmm = TH##CReal##Tensor_addbmm;                                                       \
        static constexpr auto baddbmm = TH##CReal##Tensor_baddbmm;                                                     \
        static constexpr auto dot = TH##CReal##Tensor_dot;                                                             \
        static constexpr auto checkGPU = TH##CReal##Tensor_checkGPU;                                                   \
        static constexpr auto getDevice = TH##CReal##Tensor_getDevice;                                                 \
        SHARED_FUNCTIONS(CUDA_MEMBER_##CReal)                                                                          \
    };                                                                                                                 \
    template <> struct Host<real> {                                                                                    \
        using Tensor = TH##Real##Tensor;                                                                               \
        static constexpr auto make = TH##Real##Tensor_new;                                                             \
        SHARED_FUNCTIONS(HOST_MEMBER_##Real)                                                                           \
    };
#define CUDA_MEMBER_CudaByte(name) static constexpr auto name = THCudaByteTensor_##name;
#define CUDA_MEMBER_CudaChar(name) static constexpr auto name = THCudaCharTensor_##name;
#define CUDA_MEMBER_CudaShort(name) static constexpr auto name = THCudaShortTensor_##name;
#define CUDA_MEMBER_CudaInt(name) static constexpr auto name = THCudaIntTensor_##name;
#define CUDA_MEMBER_CudaLong(name) static constexpr auto name = THCudaLongTensor_##name;
#define CUDA_MEMBER_CudaHalf(name) static constexpr auto name = THCudaHalfTensor_##name;
#define CUDA_MEMBER_Cuda(name) static constexpr auto name = THCudaTensor_##name;
#define CUDA_MEMBER_CudaDouble(name) static constexpr auto name = THCudaDoubleTensor_##name;
#define HOST_MEMBER_Byte(name) static constexpr auto name = THByteTensor_##name;
#define HOST_MEMBER_Char(name) static constexpr auto name = THCharTensor_##name;
#define HOST_MEMBER_Short(name) static constexpr auto name = THShortTensor_##name;
#define HOST_MEMBER_Int(name) static constexpr auto name = THIntTensor_##name;
#define HOST_MEMBER_Long(name) static constexpr auto name = THLongTensor_##name;
#define HOST_MEMBER_Half(name) static constexpr auto name = THHalfTensor_##name;
#define HOST_MEMBER_Float(name) static constexpr auto name = THFloatTensor_##name;
#define HOST_MEMBER_Double(name) static constexpr auto name = THDoubleTensor_##name;
THC_EVERY_TYPE(TYPE)

// Calls body with a value of each type.
template <typename Body> void for_every_type(const Body &body) {
#define CALL(CReal, Real, real, accreal) body(real());
    THC_EVERY_TYPE(CALL)
#undef CALL
}

template <typename T> constexpr bool is_integer = std::is_integral<T>::value;

// What the library says when it is called; "" for success. Errors reach this program as exceptions.
inline std::string error_of(const std::function<void()> &body) {
    THSetErrorHandler([](const char *text, void *) { throw std::runtime_error(text); }, nullptr);
    THSetArgErrorHandler(
        [](int number, const char *text, void *) {
            throw std::runtime_error("invalid argument " + std::to_string(number) + ": " + text);
        },
        nullptr);
    try {
        body();
        return "";
    } catch (const std::runtime_error &error) {
        const std::string text = error.what();
        return text.substr(0, text.rfind(" at "));
    }
}
#define CHECK_FAILS(text, ...)                                                                                         \
    do {                                                                                                               \
        const std::string got = error_of([&] { __VA_ARGS__; });                                                        \
        if (got != (text)) report_failure(__FILE__, __LINE__, #__VA_ARGS__, got.c_str());                              \
    } while (0)

inline std::mt19937 &randomness() {
    static std::mt19937 generator(20171117);
    return generator;
}
inline int below(int n) { return int(randomness()() % unsigned(n)); }

// A tensor of the host and its like on the GPU: same sizes, strides and offset, small whole numbers.
template <typename T> struct Pair {
    typename Host<T>::Tensor *host = Host<T>::make();
    typename Cuda<T>::Tensor *cuda = Cuda<T>::make(state);

    Pair() = default;
    explicit Pair(std::vector<int64_t> sizes, int seed = 0) {
        Host<T>::resizeNd(host, int(sizes.size()), sizes.data(), nullptr);
        Cuda<T>::resizeNd(state, cuda, int(sizes.size()), sizes.data(), nullptr);
        T *data = reinterpret_cast<T *>(Host<T>::data(host));
        for (ptrdiff_t i = 0; i < Host<T>::nElement(host); i++) data[i] = T(float((i * 7 + seed) % 11));
        Cuda<T>::from_host(state, cuda, host);
    }
    Pair(const Pair &) = delete;
    ~Pair() {
        Host<T>::free(host);
        Cuda<T>::free(state, cuda);
    }

    void transpose(int a, int b) {
        Host<T>::transpose(host, nullptr, a, b);
        Cuda<T>::transpose(state, cuda, nullptr, a, b);
    }
    void narrow(int dimension, int64_t first, int64_t size) {
        Host<T>::narrow(host, nullptr, dimension, first, size);
        Cuda<T>::narrow(state, cuda, nullptr, dimension, first, size);
    }
    // One of the layouts that a tensor of these sizes may have.
    void lay_out(int how) {
        const int dims = host->nDimension;
        if (how == 1 && dims > 1) transpose(0, dims - 1);
        if (how == 2 && dims > 0 && host->size[dims - 1] > 2) narrow(dims - 1, 1, host->size[dims - 1] - 2);
    }

    std::vector<T> of_host() const {
        std::vector<T> values(size_t(Host<T>::nElement(host)));
        auto *dense = Host<T>::newContiguous(host);
        void *to = values.data();
        if (to) memcpy(to, Host<T>::data(dense), values.size() * sizeof(T));
        Host<T>::free(dense);
        return values;
    }
    std::vector<T> of_cuda() const {
        auto *arrived = Host<T>::make();
        Host<T>::resizeNd(arrived, cuda->nDimension, cuda->size, nullptr);
        Cuda<T>::to_host(state, arrived, cuda);
        std::vector<T> values(size_t(Host<T>::nElement(arrived)));
        void *to = values.data();
        if (to) memcpy(to, Host<T>::data(arrived), values.size() * sizeof(T));
        Host<T>::free(arrived);
        return values;
    }
    bool same_geometry() const {
        const int dims = host->nDimension;
        return dims == cuda->nDimension && host->storageOffset == cuda->storageOffset &&
               std::equal(host->size, host->size + dims, cuda->size) &&
               std::equal(host->stride, host->stride + dims, cuda->stride);
    }
    bool same() const { return same_geometry() && same_bits(of_host(), of_cuda()); }
};
