// c_api/my_lib/gemm/panels.h: how the packed rows of X are cut into panels, and panels into units of work.
#pragma once

#include "gemm/pairs.h"

#include <cassert>

namespace my_lib {
namespace MY_LIB_ISA {

// Rows [row, row + rows) of a chunk: `vectors` vectors wide, or row-major when that is 0.
struct Panel {
    int64_t row, rows;
    int vectors;
};

// How a chunk's rows are cut. Whether a row is part of a vector depends on `rows` alone, so that its sums have the same
// order however wide the panels are; how many vectors share a panel depends on the threads.
template <typename T> class Panels {
public:
    Panels(int64_t rows, int widest) : rows_(rows), widest_(widest) {
        assert(rows > 0 && (widest == 2 || widest == wide) && widest <= 4);  // the rest is of 1 and 2 vectors
        const int64_t rest = rows % lanes<T>;
        const int64_t vectors = rows / lanes<T> + (rest > few_rows);
        full_ = vectors / widest;
        left_ = vectors % widest;
        count_ = full_ + (left_ + 1) / 2 + (rest > 0 && rest <= few_rows);
    }

    int64_t count() const { return count_; }

    Panel operator[](int64_t i) const {
        assert(i >= 0 && i < count_);
        if (i < full_) return panel(i * widest_ * lanes<T>, widest_);
        int64_t row = full_ * widest_ * lanes<T>;
        i -= full_;
        for (int vectors = 2; vectors > 0; --vectors)
            if (left_ & vectors) {
                if (i == 0) return panel(row, vectors);
                row += vectors * lanes<T>;
                --i;
            }
        assert(i == 0 && row < rows_ && rows_ - row <= few_rows);
        return {row, rows_ - row, 0};
    }

private:
    static constexpr int few_rows = lanes<T> / 2;

    Panel panel(int64_t row, int vectors) const {
        const int64_t width = vectors * lanes<T>;
        assert(row < rows_);
        return {row, rows_ - row < width ? rows_ - row : width, vectors};
    }

    int64_t rows_, full_, left_, count_;
    int widest_;
};

// How many panels share a conversion of W: the more rows, the less a conversion costs each of them.
template <typename S, typename T = Arithmetic<S>>
constexpr int64_t bundled_panels = is_arithmetic<S> || in_pairs<S> || panel_width<T> > 64 ? 1 : 64 / panel_width<T>;

// Panels [first, first + count).
struct Bundle {
    int64_t first, count;
};

// The panels of full width, which come first, in bundles; each of the others alone.
template <typename S, typename T = Arithmetic<S>> class Bundles {
public:
    explicit Bundles(const Panels<T> &panels) : panels_(panels.count()) {
        while (bundled_panels<S> > 1 && wide_ < panels_ && panels[wide_].vectors == wide) ++wide_;
        full_ = (wide_ + bundled_panels<S> - 1) / bundled_panels<S>;
    }

    int64_t count() const { return full_ + panels_ - wide_; }

    Bundle operator[](int64_t i) const {
        assert(i >= 0 && i < count());
        if (i >= full_) return {wide_ + i - full_, 1};
        const int64_t first = i * bundled_panels<S>, left = wide_ - first;
        return {first, left < bundled_panels<S> ? left : bundled_panels<S>};
    }

private:
    int64_t panels_, wide_ = 0, full_;
};

}  // namespace MY_LIB_ISA
}  // namespace my_lib
