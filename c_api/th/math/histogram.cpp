// c_api/th/math/histogram.cpp: counts of elements in bins of equal width.
#include "th/math/pointwise.h"
#include "th/runtime/compat.h"
#include "th/runtime/export.h"
#include "th/tensor/aliasing.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace th {

template <typename T> struct Bins {
    T low, high;
    int64_t count;

    // Without a range, that of the data, which may contain NaN: then nothing is counted.
    Bins(Tensor<T> *t, int64_t bins, T minimum, T maximum) : low(minimum), high(maximum), count(bins) {
        TH_ARGUMENT(bins > 0, 3, "bins must be > 0, got %" PRId64, bins);
        if (low == high) {
            TH_ARGUMENT(t->nDimension > 0, 1, "tensor must have one dimension");
            low = high = *t->data();
            bool nan = false;
            each(
                [&](T x) {
                    nan |= x != x;
                    low = std::min(low, x);
                    high = std::max(high, x);
                },
                t);
            if (nan) low = high = T(NAN);
        }
        if (low == high) low -= 1, high += 1;
    }

    bool contains(T x) const { return x >= low && x <= high; }
    // Of an x that is contained. Positions that are no number (in an infinite range) are in the first bin.
    int64_t operator()(T x) const {
        assert(contains(x));
        const T position = (x - low) / (high - low) * count;
        return position >= T(count) ? count - 1 : position > 0 ? int64_t(position) : 0;
    }
};

template <typename T> void histc(Tensor<T> *r, Tensor<T> *t, int64_t bins, T minimum, T maximum) {
    const Bins<T> bin(t, bins, minimum, maximum);
    Owned<T> source = apart(t, r);
    resize<T>(r, {bins});
    fill(r, T(0));
    T *const counts = r->data();
    const int64_t stride = r->stride[0];
    each([&](T x) { if (bin.contains(x)) counts[bin(x) * stride] += 1; }, source.get());
}

template <typename T> void bhistc(Tensor<T> *r, Tensor<T> *t, int64_t bins, T minimum, T maximum) {
    TH_ARGUMENT(t->nDimension < 3, 2, "invalid dimension %d, the input must be a 2d tensor", t->nDimension);
    TH_ARGUMENT(t->nDimension == 2, 2, "invalid dimension %d", 1 + index_base());
    const Bins<T> bin(t, bins, minimum, maximum);
    Owned<T> source = apart(t, r);
    resize<T>(r, {t->size[0], bins});
    fill(r, T(0));
    each_line(
        1, line_work(r, source->size[1]),
        [&](Line<T> line, Line<T> counts) {
            for (int64_t i = 0; i < line.size; i++)
                if (bin.contains(line[i])) counts[bin(line[i])] += 1;
        },
        source.get(), r);
}

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/math/histogram_exports.h"
#include <TH/THGenerateFloatTypes.h>
}
