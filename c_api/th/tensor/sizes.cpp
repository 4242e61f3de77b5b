// c_api/th/tensor/sizes.cpp: inferred and broadcast shapes as functions of THLongStorage.
#include "th/tensor/sizes.h"

#include "th/runtime/export.h"
#include "th/tensor/storage.h"

#include <algorithm>

namespace th {

namespace {

// Runs body; 0, or -1 with the text of a mismatch in the buffer. Other errors reach the handler, and are -1 too.
template <typename Body> int with_message(char *buffer, int length, Body &&body) {
    int result = -1;
    guarded([&] {
        try {
            body();
            result = 0;
        } catch (const Mismatch &error) {
            const char *tail = strstr(error.message, " at ");
            for (const char *next = tail; next; next = strstr(next + 1, " at ")) tail = next;
            const int text = int(tail ? tail - error.message : ptrdiff_t(strlen(error.message)));
            if (length > 0) snprintf(buffer, size_t(length), "%.*s", text, error.message);
        }
    });
    return result;
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
    return th::with_message(error_buffer, buffer_len, [&] {
        TH_ARGUMENT(sizesA, 1, "sizesA must not be null");
        TH_ARGUMENT(sizesB, 2, "sizesB must not be null");
        TH_ARGUMENT(dimsA > 0, 1, "Can't expand empty tensor a");
        TH_ARGUMENT(dimsB > 0, 1, "Can't expand empty tensor b");
        const int64_t dims = std::max(dimsA, dimsB);
        const th::Buffer<int64_t> common(dims);
        for (int64_t d = dims - 1; d >= 0; d--) {
            const int64_t in_a = d - dims + dimsA, in_b = d - dims + dimsB;
            const int64_t a = in_a < 0 ? 1 : sizesA[in_a], b = in_b < 0 ? 1 : sizesB[in_b];
            if (a != b && a != 1 && b != 1)
                th::mismatch("The size of tensor a (%" PRId64 ") must match the size of tensor b (%" PRId64
                             ") at non-singleton dimension %" PRId64 ".",
                             a, b, d);
            common[d] = std::max(a, b);
        }
        th::assign(output, int(dims), common.get());
    });
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

extern "C" {

int THSize_isSameSizeAs(const int64_t *sizeA, int64_t dimsA, const int64_t *sizeB, int64_t dimsB) {
    if (dimsA != dimsB) return 0;
    for (int64_t d = 0; d < dimsA; d++)
        if (sizeA[d] != sizeB[d]) return 0;
    return 1;
}

ptrdiff_t THSize_nElement(int64_t dims, int64_t *size) {
    ptrdiff_t elements = dims > 0;
    for (int64_t d = 0; d < dims; d++) elements *= size[d];
    return elements;
}

THDescBuff _THSizeDesc(const int64_t *size, const int64_t ndim) {
    THDescBuff text;
    const int room = sizeof text.str;
    int used = snprintf(text.str, room, "[");
    for (int64_t d = 0; d < ndim && used < room; d++)
        used += snprintf(text.str + used, size_t(room - used), d + 1 < ndim ? "%" PRId64 " x " : "%" PRId64, size[d]);
    if (used < room - 1)
        snprintf(text.str + used, size_t(room - used), "]");
    else
        snprintf(text.str + room - 5, 5, "...]");
    return text;
}
}
