// c_api/th/runtime/loop.cpp: merges and orders dimensions, cuts the work into tiles, and spreads them over threads.
#include "th/runtime/loop.h"

#include "th/runtime/threads.h"
#include "th/tensor/aliasing.h"

#include <algorithm>
#include <cassert>

namespace th {
namespace {

// More than one element in each: their product fits an int64_t.
constexpr int most_dims = 63;

struct Dimension {
    int64_t size, stride[most_operands];
};

struct Dimensions {
    int count = 0;
    Dimension list[most_dims];
};

char *first(const Operand &o) {
    assert(o.tensor->storage && o.tensor->storageOffset >= 0);
    return static_cast<char *>(o.tensor->storage->data) + o.tensor->storageOffset * ptrdiff_t(o.element);
}

bool same_view(const Operand &a, const Operand &b) {
    if (first(a) != first(b) || a.element != b.element || !same_size(a.tensor, b.tensor)) return false;
    for (int d = 0; d < a.tensor->nDimension; d++)
        if (a.tensor->size[d] > 1 && a.tensor->stride[d] != b.tensor->stride[d]) return false;
    return true;
}

// Nothing written is written twice, or read by another operand at another index.
bool any_order(int operands, const Operand *o) {
    if (!elements_are_distinct(o[0].tensor)) return false;
    for (int k = 1; k < operands; k++)
        if (may_overlap(o[0], o[k]) && !same_view(o[0], o[k])) return false;
    return true;
}

void append(Dimensions &dims, const Dimension &d, int operands) {
    if (dims.count) {
        Dimension &outer = dims.list[dims.count - 1];
        bool merge = true;
        for (int k = 0; k < operands; k++) merge &= outer.stride[k] == d.size * d.stride[k];
        if (merge) {
            const int64_t size = outer.size * d.size;
            outer = d;
            outer.size = size;
            return;
        }
    }
    assert(dims.count < most_dims);
    dims.list[dims.count++] = d;
}

// The dimensions of `operands` tensors of one shape that have more than one element; merged where possible.
Dimensions merged(int operands, const Operand *o, bool reorder) {
    Dimensions all, result;
    for (int d = 0; d < o[0].tensor->nDimension; d++) {
        Dimension dimension{o[0].tensor->size[d], {}};
        if (dimension.size == 1) continue;
        for (int k = 0; k < operands; k++) dimension.stride[k] = o[k].tensor->stride[d];
        assert(all.count < most_dims);
        all.list[all.count++] = dimension;
    }
    // The largest strides outside; by insertion, for there are few.
    auto outside = [&](const Dimension &a, const Dimension &b) {
        for (int k = 0; k < operands; k++)
            if (a.stride[k] != b.stride[k]) return a.stride[k] > b.stride[k];
        return false;
    };
    for (int d = 1; reorder && d < all.count; d++)
        for (int i = d; i > 0 && outside(all.list[i], all.list[i - 1]); i--) std::swap(all.list[i], all.list[i - 1]);
    for (int d = 0; d < all.count; d++) append(result, all.list[d], operands);
    if (!result.count) result.list[result.count++] = {1, {1, 1, 1, 1}};
    return result;
}

constexpr int64_t tile_rows = 32, tile_columns = 128, longest_row = 4096;

// Tensors of one shape: rows along the innermost dimension, in tiles with a second dimension where some operand runs
// along that one, so that its cache lines are used up before they are gone.
class Tiles {
public:
    Tiles(int operands, const Operand *o, Row row, const void *context, bool reorder, int64_t chunk)
        : operands_(operands), dims_(merged(operands, o, reorder)), row_(row), context_(context) {
        assert(operands > 0 && operands <= most_operands);
        for (int k = 0; k < operands; k++) {
            assert(same_size(o[0].tensor, o[k].tensor));
            data_[k] = first(o[k]), element_[k] = ptrdiff_t(o[k].element);
        }
        if (reorder) choose_inner();
        const int inner = dims_.count - 1;
        if (reorder) choose_across(inner);
        for (int d = 0; d < dims_.count; d++)
            step_[d] = d == inner ? (across_ >= 0 ? tile_columns : chunk) : d == across_ ? tile_rows : 1;
        if (across_ < 0 && !reorder) step_[inner] = dims_.list[inner].size;
        for (int d = 0; d < dims_.count; d++) units_ *= (dims_.list[d].size + step_[d] - 1) / step_[d];
    }

    int64_t units() const { return units_; }
    int64_t elements_per_unit() const {
        const Dimension &inner = dims_.list[dims_.count - 1];
        int64_t n = std::min(inner.size, step_[dims_.count - 1]);
        return across_ < 0 ? n : n * std::min(dims_.list[across_].size, tile_rows);
    }

    void run(int64_t begin, int64_t end) const {
        assert(begin >= 0 && begin < end && end <= units_);
        int64_t position[most_dims];
        char *data[most_operands];
        std::copy(data_, data_ + operands_, data);
        int64_t rest = begin;
        for (int d = dims_.count - 1; d >= 0; d--) {
            const int64_t tiles = (dims_.list[d].size + step_[d] - 1) / step_[d];
            position[d] = rest % tiles * step_[d];
            rest /= tiles;
            move(data, d, position[d]);
        }
        for (int64_t unit = begin;;) {
            run_unit(position, data);
            if (++unit == end) return;
            for (int d = dims_.count - 1; d >= 0; d--) {
                position[d] += step_[d];
                if (position[d] < dims_.list[d].size) {
                    move(data, d, step_[d]);
                    break;
                }
                move(data, d, step_[d] - position[d]);
                position[d] = 0;
            }
        }
    }

private:
    // A longer dimension makes better rows than one of a few elements.
    void choose_inner() {
        Dimension *last = dims_.list + dims_.count - 1;
        Dimension *longest = last;
        for (Dimension *d = dims_.list; d < last; d++)
            if (d->size > longest->size) longest = d;
        if (last->size < 8 && longest->size >= 4 * last->size) std::swap(*last, *longest);
    }

    void choose_across(int inner) {
        for (int k = 0; k < operands_ && across_ < 0; k++) {
            if (dims_.list[inner].stride[k] <= 1) continue;
            for (int d = 0; d < inner; d++)
                if (dims_.list[d].stride[k] == 1 && dims_.list[d].size >= 4) across_ = d;
        }
    }

    void move(char **data, int d, int64_t by) const {
        for (int k = 0; k < operands_; k++) data[k] += by * dims_.list[d].stride[k] * element_[k];
    }

    void run_unit(const int64_t *position, char *const *start) const {
        const int inner = dims_.count - 1;
        assert(across_ != inner);
        const int64_t n = std::min(step_[inner], dims_.list[inner].size - position[inner]);
        const int64_t *stride = dims_.list[inner].stride;
        if (across_ < 0) {
            row_(n, start, stride, context_);
            return;
        }
        char *data[most_operands];
        std::copy(start, start + operands_, data);
        const int64_t rows = std::min(tile_rows, dims_.list[across_].size - position[across_]);
        for (int64_t i = 0; i < rows; i++) {
            row_(n, data, stride, context_);
            move(data, across_, 1);
        }
    }

    int operands_, across_ = -1;
    Dimensions dims_;
    Row row_;
    const void *context_;
    char *data_[most_operands];
    ptrdiff_t element_[most_operands];
    int64_t step_[most_dims], units_ = 1;
};

// One tensor of several that differ in shape: where it stands, and how far its current run goes.
class Walker {
public:
    explicit Walker(const Operand &o, bool reorder = false)
        : dims_(merged(1, &o, reorder)), element_(ptrdiff_t(o.element)), data_(first(o)) {}

    void seek(int64_t index) {
        for (int d = dims_.count - 1; d >= 0; d--) {
            position_[d] = index % dims_.list[d].size;
            index /= dims_.list[d].size;
            data_ += position_[d] * dims_.list[d].stride[0] * element_;
        }
    }
    int64_t run_left() const { return dims_.list[dims_.count - 1].size - position_[dims_.count - 1]; }
    int64_t stride() const { return dims_.list[dims_.count - 1].stride[0]; }
    char *data() const { return data_; }
    void advance(int64_t n) {  // at most run_left()
        assert(n > 0 && n <= run_left());
        for (int d = dims_.count - 1; d >= 0; d--, n = 1) {
            position_[d] += n;
            data_ += n * dims_.list[d].stride[0] * element_;
            if (position_[d] < dims_.list[d].size) return;
            data_ -= position_[d] * dims_.list[d].stride[0] * element_;
            position_[d] = 0;
        }
    }

private:
    Dimensions dims_;
    ptrdiff_t element_;
    char *data_;
    int64_t position_[most_dims];
};

void walk(int operands, const Operand *o, Row row, const void *context, int64_t begin, int64_t end) {
    assert(operands > 0 && operands <= most_operands);
    for (int k = 1; k < operands; k++) assert(elements_of(o[k].tensor) == elements_of(o[0].tensor));
    Walker walkers[most_operands] = {Walker(o[0]), Walker(o[operands > 1 ? 1 : 0]), Walker(o[operands > 2 ? 2 : 0]),
                                     Walker(o[operands > 3 ? 3 : 0])};
    for (int k = 0; k < operands; k++) walkers[k].seek(begin);
    while (begin < end) {
        int64_t n = end - begin, stride[most_operands] = {};
        char *data[most_operands] = {};
        for (int k = 0; k < operands; k++) {
            n = std::min(n, walkers[k].run_left());
            data[k] = walkers[k].data();
            stride[k] = walkers[k].stride();
        }
        row(n, data, stride, context);
        for (int k = 0; k < operands; k++) walkers[k].advance(n);
        begin += n;
    }
}

}  // namespace

bool may_overlap(const Operand &a, const Operand &b) {
    if (!elements_of(a.tensor) || !elements_of(b.tensor)) return false;
    auto last = [](const Operand &o) {
        ptrdiff_t reach = 1;
        for (int d = 0; d < o.tensor->nDimension; d++) reach += (o.tensor->size[d] - 1) * o.tensor->stride[d];
        return first(o) + reach * ptrdiff_t(o.element);
    };
    return first(a) < last(b) && first(b) < last(a);
}

void for_each_row(int operands, const Operand *o, Row row, const void *context) {
    const int64_t elements = elements_of(o[0].tensor);
    if (!elements) return;
    // One contiguous run: by far the most frequent case, and small tensors must not pay for the others.
    bool contiguous = true, one_shape = true;
    for (int k = 0; k < operands; k++) {
        assert(elements_of(o[k].tensor) == elements);
        contiguous &= is_contiguous(o[k].tensor);
        one_shape &= same_size(o[0].tensor, o[k].tensor);
    }
    if (contiguous && elements <= grain) {
        static const int64_t ones[most_operands] = {1, 1, 1, 1};
        char *data[most_operands];
        for (int k = 0; k < operands; k++) data[k] = first(o[k]);
        row(elements, data, ones, context);
        return;
    }
    const bool free_order = any_order(operands, o);
    if (one_shape) {
        const Tiles tiles(operands, o, row, context, free_order, longest_row);
        if (!free_order)
            tiles.run(0, tiles.units());
        else
            parallel_for(tiles.units(), (grain + tiles.elements_per_unit() - 1) / tiles.elements_per_unit(),
                         [&](int64_t begin, int64_t end) { tiles.run(begin, end); });
        return;
    }
    if (!free_order)
        walk(operands, o, row, context, 0, elements);
    else
        parallel_for(elements, grain, [&](int64_t begin, int64_t end) { walk(operands, o, row, context, begin, end); });
}

void for_each_row_in_order(int operands, const Operand *o, Row row, const void *context) {
    if (const int64_t elements = elements_of(o[0].tensor)) walk(operands, o, row, context, 0, elements);
}

void for_each_row_any_order(int operands, const Operand *o, Row row, const void *context, int64_t work) {
    const int64_t elements = elements_of(o[0].tensor);
    if (!elements) return;
    const int64_t worth = grain / std::max<int64_t>(1, work);  // elements that are worth a thread
    // Rows are long, which is fast, but some for each thread, which is fair.
    const int64_t threads = work && elements > worth ? num_threads() : 1;
    const int64_t longest = threads > 1 ? std::max(worth, elements / (4 * threads)) : longest_row;
    const Tiles tiles(operands, o, row, context, true, std::clamp<int64_t>(longest, 64, longest_row));
    if (work)
        parallel_for(tiles.units(), std::max<int64_t>(1, worth / tiles.elements_per_unit()),
                     [&](int64_t begin, int64_t end) { tiles.run(begin, end); });
    else
        tiles.run(0, tiles.units());
}

void for_each_row_in_memory(const Operand &o, int64_t begin, int64_t end, Row row, const void *context) {
    assert(begin >= 0 && end <= elements_of(o.tensor));
    Walker walker(o, true);
    walker.seek(begin);
    while (begin < end) {
        const int64_t n = std::min(end - begin, walker.run_left()), stride = walker.stride();
        char *data = walker.data();
        row(n, &data, &stride, context);
        walker.advance(n);
        begin += n;
    }
}

void for_each_line(int dimension, int operands, const Operand *o, int64_t work, LineFunction line,
                   const void *context) {
    const AnyTensor *shape = o[0].tensor;
    assert(dimension >= 0 && dimension < shape->nDimension && operands <= most_operands);
    for (int k = 1; k < operands; k++) {
        assert(o[k].tensor->nDimension == shape->nDimension);
        for (int d = 0; d < shape->nDimension; d++) assert(d == dimension || o[k].tensor->size[d] >= shape->size[d]);
    }
    const int64_t lines = elements_of(shape) / shape->size[dimension];
    auto run = [&](int64_t begin, int64_t end) {
        int64_t position[most_dims + 1];
        int order[most_dims + 1], dims = 0;  // the dimensions that are walked, the fastest one first
        for (int d = 0; d < shape->nDimension; d++)
            if (d != dimension && shape->size[d] > 1) order[dims++] = d;
        assert(dims <= most_dims);
        char *data[most_operands];
        for (int k = 0; k < operands; k++) data[k] = first(o[k]);
        auto move = [&](int d, int64_t by) {
            for (int k = 0; k < operands; k++) data[k] += by * o[k].tensor->stride[d] * ptrdiff_t(o[k].element);
        };
        int64_t rest = begin;
        for (int i = 0; i < dims; i++) {
            position[i] = rest % shape->size[order[i]];
            rest /= shape->size[order[i]];
            move(order[i], position[i]);
        }
        for (int64_t l = begin; l < end; l++) {
            line(data, context);
            for (int i = 0; i < dims; i++) {
                move(order[i], 1);
                if (++position[i] < shape->size[order[i]]) break;
                move(order[i], -position[i]);
                position[i] = 0;
            }
        }
    };
    if (work)
        parallel_for(lines, std::max<int64_t>(1, grain / work), run);
    else
        run(0, lines);
}

void check_same_elements(std::initializer_list<Named> tensors) {
    const int64_t expected = elements_of(tensors.begin()->tensor);
    bool same = true;
    for (const Named &t : tensors) same &= elements_of(t.tensor) == expected;
    if (same) return;
    // "a [..] and b [..]", "a [..], b [..] and c [..]"; the counts in the same form.
    char shapes[512] = "", counts[128] = "";
    int i = 0;
    const int n = int(tensors.size());
    for (const Named &t : tensors) {
        const char *separator = i == 0 ? "" : i == n - 1 ? " and " : ", ";
        const size_t s = strlen(shapes), c = strlen(counts);
        snprintf(shapes + s, sizeof shapes - s, "%s%s %s", separator, t.name, describe(t.tensor).str);
        snprintf(counts + c, sizeof counts - c, "%s%" PRId64, separator, elements_of(t.tensor));
        i++;
    }
    TH_ERROR("inconsistent tensor size, expected %s to have the same number of elements, but got %s elements "
             "respectively",
             shapes, counts);
}

}  // namespace th
