// tests/thc/test_tensor.cpp: tensors on the GPU have the shapes, views and elements of TH's after the same calls.
#include "api.h"

#if defined(CUDA_RECORDER)
#include <cuda_on_cpu/textures.h>
#endif

// One random call on both sides.
template <typename T> void step(Pair<T> &pair) {
    auto *host = pair.host;
    auto *cuda = pair.cuda;
    const int dims = host->nDimension;
    int64_t sizes[] = {below(4) + 1, below(4), below(3) + 1, below(3) + 1};
    switch (below(9)) {
    case 0:
        Host<T>::resizeNd(host, 3, sizes, nullptr);
        Cuda<T>::resizeNd(state, cuda, 3, sizes, nullptr);
        break;
    case 1:
        Host<T>::resize4d(host, sizes[0], sizes[1] + 1, sizes[2], sizes[3]);
        Cuda<T>::resize4d(state, cuda, sizes[0], sizes[1] + 1, sizes[2], sizes[3]);
        break;
    case 2:
        if (dims > 1) pair.transpose(below(dims), below(dims));
        break;
    case 3:
        if (dims) {
            const int d = below(dims), first = below(int(host->size[d]));
            pair.narrow(d, first, below(int(host->size[d]) - first) + 1);
        }
        break;
    case 4:
        if (dims > 1) {
            const int d = below(dims), index = below(int(host->size[d]));
            Host<T>::select(host, nullptr, d, index);
            Cuda<T>::select(state, cuda, nullptr, d, index);
        }
        break;
    case 5:
        Host<T>::squeeze(host, nullptr);
        Cuda<T>::squeeze(state, cuda, nullptr);
        break;
    case 6:
        if (dims && dims < 5) {
            const int d = below(dims + 1);
            Host<T>::unsqueeze1d(host, nullptr, d);
            Cuda<T>::unsqueeze1d(state, cuda, nullptr, d);
        }
        break;
    case 7:
        if (dims && dims < 5) {
            const int d = below(dims), size = below(int(host->size[d])) + 1, by = below(2) + 1;
            Host<T>::unfold(host, nullptr, d, size, by);
            Cuda<T>::unfold(state, cuda, nullptr, d, size, by);
        }
        break;
    default:
        auto *dense_host = Host<T>::newContiguous(host);
        auto *dense_cuda = Cuda<T>::newContiguous(state, cuda);
        CHECK((dense_host == host) == (dense_cuda == cuda));
        Host<T>::free(host);
        Cuda<T>::free(state, cuda);
        pair.host = dense_host;
        pair.cuda = dense_cuda;
    }
}

template <typename T> void test_random_calls() {
    for (int run = 0; run < 20; run++) {
        Pair<T> pair({below(4) + 1, below(4) + 1, below(4) + 1}, run);
        for (int i = 0; i < 8; i++) {
            step(pair);
            CHECK(pair.same_geometry());
            CHECK(Host<T>::isContiguous(pair.host) == Cuda<T>::isContiguous(state, pair.cuda));
            CHECK(!strcmp(Host<T>::sizeDesc(pair.host).str, Cuda<T>::sizeDesc(state, pair.cuda).str));
            // New elements of a grown storage are TH's zeros and nothing in particular here: give both the same.
            Cuda<T>::from_host(state, pair.cuda, pair.host);
            CHECK(pair.same());
        }
    }
}

template <typename T> void test_elements() {
    Pair<T> pair({3, 4}, 5);
    pair.transpose(0, 1);
    Cuda<T>::set2d(state, pair.cuda, 3, 1, T(float(9)));
    Host<T>::set2d(pair.host, 3, 1, [&] {
        T nine = T(float(9));
        typename std::remove_pointer<decltype(Host<T>::data(pair.host))>::type value;
        memcpy(&value, &nine, sizeof value);
        return value;
    }());
    CHECK(pair.same());
    auto *row = Cuda<T>::newSelect(state, pair.cuda, 0, 3);
    CHECK(float(Cuda<T>::get1d(state, row, 1)) == 9);
    Cuda<T>::free(state, row);
    CHECK(Cuda<T>::getDevice(state, pair.cuda) == 0);
}

void test_errors() {
    THCudaTensor *t = THCudaTensor_newWithSize2d(state, 2, 3), *empty = THCudaTensor_new(state);
    CHECK_FAILS("invalid argument 2: out of range", THCudaTensor_size(state, t, 2));
    CHECK_FAILS("invalid argument 2: out of range", THCudaTensor_stride(state, t, -1));
    CHECK_FAILS("invalid argument 3: out of range", THCudaTensor_narrow(state, t, nullptr, 2, 0, 1));
    CHECK_FAILS("invalid argument 4: out of range", THCudaTensor_narrow(state, t, nullptr, 0, 2, 1));
    CHECK_FAILS("invalid argument 5: out of range", THCudaTensor_narrow(state, t, nullptr, 0, 0, 3));
    CHECK_FAILS("invalid argument 4: out of range", THCudaTensor_select(state, t, nullptr, 0, 2));
    CHECK_FAILS("invalid argument 3: dimension out of range", THCudaTensor_squeeze1d(state, t, nullptr, 2));
    CHECK_FAILS("invalid argument 3: cannot unsqueeze empty tensor",
                THCudaTensor_unsqueeze1d(state, empty, nullptr, 0));
    CHECK_FAILS("invalid argument 1: out of range", THCudaTensor_transpose(state, t, nullptr, 2, 0));
    CHECK_FAILS("invalid argument 1: tensor must have one dimension", THCudaTensor_get1d(state, t, 0));
    CHECK_FAILS("invalid argument 2: out of range", THCudaTensor_get2d(state, t, 0, 3));
    CHECK_FAILS("Tensor: invalid storage offset",
                THCudaTensor_setStorageNd(state, t, t->storage, -1, 0, nullptr, nullptr));
    CHECK(t->nDimension == 2 && t->size[1] == 3);
    THCudaTensor *row = THCudaTensor_newSelect(state, t, 0, 0);
    CHECK_FAILS("invalid argument 2: cannot select on a vector", THCudaTensor_select(state, row, nullptr, 0, 0));
    THCudaTensor_free(state, row);
    THCudaTensor_free(state, t);
    THCudaTensor_free(state, empty);
}

void test_places() {
    THCudaTensor *one = THCudaTensor_newWithSize1d(state, 3), *three = THCudaTensor_newWithSize3d(state, 2, 3, 4);
    THCudaTensor *four = THCudaTensor_newWithSize4d(state, 2, 1, 3, 2);
    CHECK(THCudaTensor_numel(state, one) == 3 && THCudaTensor_numel(state, three) == 24 && THCudaTensor_numel(state, four) == 12);
    THCudaTensor_set1d(state, one, 2, 5);
    THCudaTensor_set3d(state, three, 1, 2, 3, 6);
    THCudaTensor_set4d(state, four, 1, 0, 2, 1, 7);
    CHECK(THCudaStorage_get(state, one->storage, 2) == 5 && THCudaTensor_get1d(state, one, 2) == 5);
    CHECK(THCudaStorage_get(state, three->storage, 23) == 6 && THCudaTensor_get3d(state, three, 1, 2, 3) == 6);
    CHECK(THCudaStorage_get(state, four->storage, 11) == 7 && THCudaTensor_get4d(state, four, 1, 0, 2, 1) == 7);
    CHECK_FAILS("invalid argument 2: out of range", THCudaTensor_set3d(state, three, 2, 0, 0, 1));
    for (THCudaTensor *each : {one, three, four}) THCudaTensor_free(state, each);
}

void test_texture() {
    THCudaTensor *t = THCudaTensor_newWithSize2d(state, 2, 3);
    THCudaTensor_set2d(state, t, 1, 2, 6);
    const cudaTextureObject_t texture = THCudaTensor_getTextureObject(state, t);
#if defined(CUDA_RECORDER)
    CHECK(tex1Dfetch<float>(texture, 5) == 6 && tex1Dfetch<float>(texture, 6) == 0);  // zero behind its end
#endif
    require(cudaDestroyTextureObject(texture));  // the caller's
    THCudaTensor_transpose(state, t, nullptr, 0, 1);
    CHECK_FAILS("getTextureObject: expected a contiguous tensor", THCudaTensor_getTextureObject(state, t));
    THCudaTensor_free(state, t);
    THCudaDoubleTensor *d = THCudaDoubleTensor_new(state);
    CHECK_FAILS("getTextureObject: expected elements of at most 4 bytes, got 8",
                THCudaDoubleTensor_getTextureObject(state, d));
    THCudaDoubleTensor_free(state, d);
}

int main() {
    for_every_type([](auto value) {
        test_random_calls<decltype(value)>();
        test_elements<decltype(value)>();
    });
    test_errors();
    test_places();
    test_texture();
    CHECK(holds(0));
    return failures() != 0;
}
