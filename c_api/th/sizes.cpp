// c_api/th/sizes.cpp: inferred and broadcast shapes as functions of THLongStorage.
#include "sizes.h"

#include "export.h"
#include "storage.h"

#include <algorithm>

namespace th {

namespace {

// Runs body; 0, or -1 with the text of the error in the buffer. Memory that runs out is an error of its own.
template <typename Body> int with_message(char *buffer, int length, Body &&body) {
    try {
        body();
        return 0;
    } catch (const Error &error) {
        const char *tail = strstr(error.message, " at ");
        for (const char *next = tail; next; next = strstr(next + 1, " at ")) tail = next;
        const int text = int(tail ? tail - error.message : ptrdiff_t(strlen(error.message)));
        if (length > 0) snprintf(buffer, size_t(length), "%.*s", text, error.message);
        return -1;
    }
}

void assign(THLongStorage *output, int dims, const int64_t *sizes) {
    resize_storage(native(output), dims, sizeof(int64_t));
    std::copy(sizes, sizes + dims, output->data);
}

}  // namespace
}  // namespace th

extern "C" {

THDescBuff THLongStorage_sizeDesc(const THLongStorage *size) { return _THSizeDesc(size->data, size->size); }

THLongStorage *THLongStorage_newInferSize(THLongStorage *size, ptrdiff_t nElement) {
    return th::guarded([&] {
        const auto inferred = th::infer_size(th::native(size), nElement);
        auto *list = th::newWithSize<int64_t>(size->size);
        std::copy(inferred.get(), inferred.get() + size->size, list->elements());
        return reinterpret_cast<THLongStorage *>(list);
    });
}

int THLongStorage_inferSizeN(THLongStorage *output, int n, int64_t **sizes, int64_t *dims, char *error_buffer,
                             int buffer_len) {
    return th::with_message(error_buffer, buffer_len, [&] {
        int common_dims;
        const auto common = th::broadcast(n, sizes, dims, common_dims);
        th::assign(output, common_dims, common.get());
    });
}

int THLongStorage_inferSize2(THLongStorage *output, int64_t *sizesA, int64_t dimsA, int64_t *sizesB, int64_t dimsB,
                             char *error_buffer, int buffer_len) {
    int64_t *sizes[] = {sizesA, sizesB};
    int64_t dims[] = {dimsA, dimsB};
    return THLongStorage_inferSizeN(output, 2, sizes, dims, error_buffer, buffer_len);
}

int THLongStorage_inferExpandGeometry(int64_t *tensorSizes, int64_t *tensorStrides, int64_t tensorDim,
                                      THLongStorage *sizes, int64_t **expandedSizes, int64_t **expandedStrides,
                                      char *error_buffer, int buffer_len) {
    return th::with_message(error_buffer, buffer_len, [&] {
        th::Expanded view(tensorDim, tensorSizes, tensorStrides, sizes->size, sizes->data);
        *expandedSizes = view.size.release();
        *expandedStrides = view.stride.release();
    });
}
}
