// tests/thc/test_storage.cpp: storages on the GPU: memory, references, sizes, devices; what goes wrong leaves nothing.
#include "api.h"

void test_life() {
    THCudaIntStorage *s = THCudaIntStorage_newWithSize3(state, 1, 2, 3);
    CHECK(s->size == 3 && s->refcount == 1 && s->flag == 7 && s->device == 0);
    CHECK(THCudaIntStorage_elementSize(state) == 4 && THCudaIntStorage_getDevice(state, s) == 0);
    CHECK(THCudaIntStorage_get(state, s, 2) == 3);
    THCudaIntStorage_set(state, s, 2, 5);
    CHECK(THCudaIntStorage_get(state, s, 2) == 5);
    CHECK_FAILS("invalid argument 2: index out of bounds", THCudaIntStorage_get(state, s, 3));
    CHECK_FAILS("invalid argument 2: index out of bounds", THCudaIntStorage_set(state, s, -1, 0));
    THCudaIntStorage_retain(state, s);
    THCudaIntStorage_free(state, s);
    CHECK(holds(12) && s->refcount == 1);

    THCudaIntStorage_resize(state, s, 5);  // keeps what fits
    CHECK(s->size == 5 && THCudaIntStorage_get(state, s, 1) == 2 && holds(20));
    THCudaIntStorage_resize(state, s, 1);
    CHECK(holds(4) && THCudaIntStorage_get(state, s, 0) == 1);
    THCudaIntStorage_resize(state, s, 0);
    CHECK(holds(0) && s->data == nullptr);

    THCudaIntStorage_resize(state, s, 300);
    THCudaIntStorage_fill(state, s, 7);
    CHECK(THCudaIntStorage_get(state, s, 0) == 7 && THCudaIntStorage_get(state, s, 299) == 7);
    THCudaIntStorage_clearFlag(state, s, TH_STORAGE_RESIZABLE);
    CHECK_FAILS("Trying to resize storage that is not resizable", THCudaIntStorage_resize(state, s, 301));
    CHECK(s->size == 300);
    THCudaIntStorage_free(state, s);
    THCudaIntStorage_retain(state, nullptr);
    THCudaIntStorage_free(state, nullptr);
    CHECK_FAILS("not available yet for THCStorage", THCudaIntStorage_newWithMapping(state, "file", 3, 0));
}

void test_values() {
    THCudaStorage *one = THCudaStorage_newWithSize1(state, 1), *four = THCudaStorage_newWithSize4(state, 1, 2, 3, 4);
    THCudaStorage *none = THCudaStorage_new(state);
    CHECK(THCudaStorage_size(state, one) == 1 && THCudaStorage_size(state, four) == 4 && THCudaStorage_size(state, none) == 0);
    CHECK(THCudaStorage_data(state, four) == four->data && THCudaStorage_get(state, four, 3) == 4);
    THCudaStorage_clearFlag(state, one, TH_STORAGE_RESIZABLE);
    CHECK_FAILS("Trying to resize storage that is not resizable", THCudaStorage_resize(state, one, 4));
    THCudaStorage_setFlag(state, one, TH_STORAGE_RESIZABLE);
    THCudaStorage_resize(state, one, 4);
    THCudaStorage_copy(state, one, four);
    CHECK(THCudaStorage_get(state, one, 2) == 3);
    THCudaStorage_fill(state, four, 7);
    THCudaStorage_copyCuda(state, one, four);
    CHECK(THCudaStorage_get(state, one, 0) == 7);
    THFloatStorage *host = THFloatStorage_newWithSize(4);
    for (int i = 0; i < 4; i++) host->data[i] = float(10 + i);
    THCudaStorage_copyCPU(state, one, host);
    CHECK(THCudaStorage_get(state, one, 3) == 13);
    THCudaStorage_set(state, one, 3, 21);
    THFloatStorage_copyCuda(state, host, one);
    CHECK(host->data[3] == 21 && host->data[0] == 10);
    THFloatStorage_free(host);
    for (THCudaStorage *each : {one, four, none}) THCudaStorage_free(state, each);
}

void test_devices() {
    if (!several_devices("storages on another device")) return;
    THCudaStorage *s = THCudaStorage_newWithSize2(state, 1, 2);
    use_device(1);
    THCudaStorage_resize(state, s, 3);  // to the current device
    CHECK(s->device == 1 && THCudaStorage_get(state, s, 1) == 2);
    THCudaStorage *grown = THCudaStorage_newWithSize(state, 4);
    CHECK(grown->device == 1);
    use_device(0);
    THCudaStorage_free(state, s);
    THCudaStorage_free(state, grown);
    CHECK(device_in_use() == 0);
}

void test_own_allocator() {
    struct Count {
        int held = 0;
        static cudaError_t take(void *self, void **result, size_t bytes, cudaStream_t) {
            static_cast<Count *>(self)->held++;
            return cudaMallocAsync(result, bytes, nullptr);
        }
        static cudaError_t give(void *self, void *block) {
            static_cast<Count *>(self)->held--;
            return cudaFreeAsync(block, nullptr);
        }
    } count;
    THCDeviceAllocator allocator = {Count::take, nullptr, Count::give, nullptr, nullptr, nullptr};
    THCudaStorage *s = THCudaStorage_newWithAllocator(state, 3, &allocator, &count);
    CHECK(count.held == 1 && s->allocatorContext == &count);
    THCudaStorage_resize(state, s, 9);
    CHECK(count.held == 1);
    THCudaStorage_free(state, s);
    CHECK(count.held == 0);

    void *own;
    CHECK(Count::take(&count, &own, 8, nullptr) == cudaSuccess);
    s = THCudaStorage_newWithDataAndAllocator(state, static_cast<float *>(own), 2, &allocator, &count);
    CHECK(s->data == own && s->allocatorContext == &count);
    THCudaStorage_free(state, s);
    CHECK(count.held == 0);

    void *block;
    CHECK(THCudaMalloc(state, &block, 8) == cudaSuccess);
    s = THCudaStorage_newWithData(state, static_cast<float *>(block), 2);
    CHECK(s->data == block);
    THCudaStorage_free(state, s);
}

void test_failures() {
    THCudaByteStorage *s = THCudaByteStorage_newWithSize(state, 4);
    const std::string no_memory = cuda_error(cudaErrorMemoryAllocation);
    CHECK_FAILS(no_memory, THCudaByteStorage_newWithSize(state, ptrdiff_t(1) << 40));
    CHECK_FAILS(no_memory, THCudaByteStorage_resize(state, s, ptrdiff_t(1) << 40));
    CHECK(s->size == 4 && s->data);
    CHECK_FAILS("invalid argument 2: invalid size", THCudaByteStorage_newWithSize(state, -1));
    CHECK_FAILS("$ Torch: invalid memory size -- maybe an overflow?",
                THCudaDoubleStorage_newWithSize(state, PTRDIFF_MAX / 4));
    THCudaByteStorage_free(state, s);
#if defined(CUDA_RECORDER)
    recorder::machine.devices = 0;
    const std::string no_card =
        "cuda runtime error (35) : CUDA driver version is insufficient for CUDA runtime version; "
        "this machine has no NVIDIA card, or no driver for it that is new enough";
    CHECK_FAILS(no_card, THCudaByteStorage_newWithSize(state, 4));
    CHECK_FAILS(no_card, THCudaTensor_newWithSize2d(state, 2, 2));
    CHECK_FAILS(no_card, THCudaInit(state));
    recorder::machine.devices = 3;
#endif
    CHECK(holds(0));
}

int main() {
    test_life();
    test_values();
    test_devices();
    test_own_allocator();
    test_failures();
    CHECK(holds(0));
    return failures() != 0;
}
