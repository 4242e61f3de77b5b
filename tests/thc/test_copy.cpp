// tests/thc/test_copy.cpp: copies between all pairs of types and layouts, between devices, and between GPU and host.
#include "api.h"

// Numbers at which conversions part: signs, fractions, what does not fit.
template <typename T> void put_edges(THDoubleTensor *values, typename Host<T>::Tensor *host);
#define PUT(CReal, Real, real, accreal)                                                                                \
    template <> void put_edges<real>(THDoubleTensor * values, TH##Real##Tensor * host) {                               \
        TH##Real##Tensor_copyDouble(host, values);                                                                     \
    }
THC_EVERY_TYPE(PUT)

template <typename To, typename From>
void check_pair(void (*on_cuda)(THCState *, typename Cuda<To>::Tensor *, typename Cuda<From>::Tensor *),
                void (*on_host)(typename Host<To>::Tensor *, typename Host<From>::Tensor *)) {
    const double edges[] = {0, 1, -1, 2.75, -2.75, 127, 128, 255, 256, -129, 32768, 65504, 65536, 2147483648.0,
                            -2147483649.0, 9.3e18, -9.3e18, 1e30};
    for (int how = 0; how < 9; how++) {
        Pair<To> to({3, 6});
        Pair<From> from({3, 6}, how);
        if (how == 0) {
            THDoubleTensor *values = THDoubleTensor_newWithSize2d(3, 6);
            memcpy(THDoubleTensor_data(values), edges, sizeof edges);
            put_edges<From>(values, from.host);
            THDoubleTensor_free(values);
            Cuda<From>::from_host(state, from.cuda, from.host);
        }
        to.lay_out(how % 3);
        from.lay_out(how / 3);
        const bool same_count = Host<To>::nElement(to.host) == Host<From>::nElement(from.host);
        if (!same_count) {
            const std::vector<To> before = to.of_cuda();
            CHECK_FAILS("invalid argument 2: sizes do not match", on_cuda(state, to.cuda, from.cuda));
            CHECK(same_bits(before, to.of_cuda()));
            continue;
        }
        const int before = waits();
        on_cuda(state, to.cuda, from.cuda);
        CHECK(waits() == before);
        on_host(to.host, from.host);
        CHECK(to.same());
    }
}

template <typename To, typename From>
void check_host_pair(void (*up)(THCState *, typename Cuda<To>::Tensor *, typename Host<From>::Tensor *),
                     void (*down)(THCState *, typename Host<From>::Tensor *, typename Cuda<To>::Tensor *),
                     void (*on_host)(typename Host<To>::Tensor *, typename Host<From>::Tensor *),
                     void (*back)(typename Host<From>::Tensor *, typename Host<To>::Tensor *)) {
    for (int how = 0; how < 9; how++) {
        Pair<To> to({3, 6});
        Pair<From> from({3, 6}, how);
        to.lay_out(how % 3);
        from.lay_out(how / 3);
        if (Host<To>::nElement(to.host) != Host<From>::nElement(from.host)) {
            CHECK_FAILS("invalid argument 2: sizes do not match", up(state, to.cuda, from.host));
            CHECK_FAILS("invalid argument 2: sizes do not match", down(state, from.host, to.cuda));
            continue;
        }
        up(state, to.cuda, from.host);
        on_host(to.host, from.host);
        CHECK(to.same());
        down(state, from.host, to.cuda);
        back(reinterpret_cast<typename Host<From>::Tensor *>(from.host), to.host);
        const std::vector<From> expected = from.of_host();
        down(state, from.host, to.cuda);
        CHECK(same_bits(expected, from.of_host()));
    }
}

#define PAIR(ToC, To, to, FromC, From, from)                                                                           \
    check_pair<to, from>(TH##ToC##Tensor_copyCuda##From, TH##To##Tensor_copy##From);                                   \
    check_host_pair<to, from>(TH##ToC##Tensor_copy##From, TH##From##Tensor_copyCuda##To, TH##To##Tensor_copy##From,    \
                              TH##From##Tensor_copy##To);
#define PAIRS(ToC, To, to, accreal)                                                                                    \
    PAIR(ToC, To, to, CudaByte, Byte, uint8_t)                                                                         \
    PAIR(ToC, To, to, CudaChar, Char, int8_t)                                                                          \
    PAIR(ToC, To, to, CudaShort, Short, int16_t)                                                                       \
    PAIR(ToC, To, to, CudaInt, Int, int32_t)                                                                           \
    PAIR(ToC, To, to, CudaLong, Long, int64_t)                                                                         \
    PAIR(ToC, To, to, CudaHalf, Half, half)                                                                            \
    PAIR(ToC, To, to, Cuda, Float, float)                                                                              \
    PAIR(ToC, To, to, CudaDouble, Double, double)

void test_between_devices() {
    if (!several_devices("copies between devices")) return;
    Pair<float> near({4, 5}, 1);
    use_device(1);
    Pair<float> far({4, 5}, 2);
    Pair<float> crooked({5, 4}, 3);
    crooked.transpose(0, 1);
    CHECK(THCudaTensor_getDevice(state, far.cuda) == 1);
    for (Pair<float> *target : {&far, &crooked}) {
        THCudaTensor_copy(state, target->cuda, near.cuda);
        THFloatTensor_copy(target->host, near.host);
        CHECK(target->same());
        CHECK(device_in_use() == 1 && THCudaTensor_getDevice(state, target->cuda) == 1);
    }
    THCudaDoubleTensor *other_type = THCudaDoubleTensor_newWithSize2d(state, 4, 5);
    THCudaDoubleTensor_copyCudaFloat(state, other_type, near.cuda);
    CHECK(THCudaDoubleTensor_get2d(state, other_type, 3, 4) == THFloatTensor_get2d(near.host, 3, 4));
    THCudaDoubleTensor_free(state, other_type);
#if defined(CUDA_RECORDER)
    // Each from device to device, not by a kernel of one of them.
    CHECK(recorder::memory.peer_copies == 3);
#endif
    use_device(0);
}

void test_storages() {
    THCudaShortStorage *to = THCudaShortStorage_newWithSize(state, 3);
    THCudaStorage *from = THCudaStorage_newWithSize3(state, 1.5f, -2, 3);
    THCudaShortStorage_copyCudaFloat(state, to, from);
    CHECK(THCudaShortStorage_get(state, to, 0) == 1 && THCudaShortStorage_get(state, to, 1) == -2);
    THLongStorage *host = THLongStorage_newWithSize2(8, 9), *three = THLongStorage_newWithSize(3);
    CHECK_FAILS("invalid argument 2: sizes do not match", THCudaShortStorage_copyLong(state, to, host));
    CHECK_FAILS("invalid argument 2: sizes do not match", THLongStorage_copyCudaShort(state, host, to));
    THLongStorage_copyCudaShort(state, three, to);
    CHECK(three->data[2] == 3);
    three->data[0] = 70000;
    THCudaShortStorage_copyLong(state, to, three);
    CHECK(THCudaShortStorage_get(state, to, 0) == int16_t(70000));
    THCudaShortStorage *raw = THCudaShortStorage_newWithSize(state, 3);
    THCudaShortStorage_rawCopy(state, raw, to->data);
    CHECK(THCudaShortStorage_get(state, raw, 2) == 3);
    THLongStorage_free(host);
    THLongStorage_free(three);
    THCudaShortStorage_free(state, raw);
    THCudaShortStorage_free(state, to);
    THCudaStorage_free(state, from);
}

void test_without_waiting() {
    Pair<float> pair({4, 5}, 1), other({4, 5}, 2);
    const int before = waits();
    THCudaTensor_copyAsyncCPU(state, pair.cuda, other.host);
    THFloatTensor_copyAsyncCuda(state, pair.host, other.cuda);
    CHECK(waits() == before);
    CHECK(same_bits(pair.of_cuda(), other.of_host()) && same_bits(pair.of_host(), other.of_cuda()));
    other.transpose(0, 1);
    const std::string crooked_source = "invalid argument 3: tensor must be contiguous";
    CHECK_FAILS(crooked_source, THCudaTensor_copyAsyncCPU(state, pair.cuda, other.host));
    CHECK_FAILS(crooked_source, THFloatTensor_copyAsyncCuda(state, pair.host, other.cuda));
    CHECK_FAILS("invalid argument 2: tensor must be contiguous",
                THCudaTensor_copyAsyncCPU(state, other.cuda, pair.host));
}

int main() {
    THC_EVERY_TYPE(PAIRS)
    test_between_devices();
    test_storages();
    test_without_waiting();
    CHECK(holds(0));
    return failures() != 0;
}
