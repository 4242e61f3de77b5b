// c_api/th/math/conv.cpp: convolution and cross-correlation in two and three dimensions.
#include "th/math/pointwise.h"
#include "th/runtime/export.h"
#include "th/runtime/loop.h"
#include "th/runtime/threads.h"
#include "th/tensor/aliasing.h"

#include <algorithm>
#include <cassert>

namespace th {

// Correlation lays the kernel as it is, convolution flips it. Valid: the kernel lies wholly inside the input, steps
// apart. Full: each element of the input, steps apart in the result, spreads a kernel. Reversed: valid, but with the
// elements of the kernel steps apart.
enum Mode { ValidCorrelation, ValidConvolution, FullCorrelation, FullConvolution, ReversedCorrelation };

// A size or a step along depth, rows and columns; a plane has a depth of one.
struct Volume {
    int64_t along[3];
    int64_t elements() const { return along[0] * along[1] * along[2]; }
};

namespace {

constexpr bool is_full(Mode mode) { return mode == FullCorrelation || mode == FullConvolution; }
constexpr bool is_flipped(Mode mode) { return mode == ValidConvolution || mode == FullCorrelation; }

// The size of the result along one dimension; 0 or less where the kernel does not fit.
int64_t result_size(Mode mode, int64_t input, int64_t kernel, int64_t step) {
    if (step < 1) return 0;
    if (is_full(mode)) {
        int64_t size;
        const bool fits =
            !__builtin_mul_overflow(input - 1, step, &size) && !__builtin_add_overflow(size, kernel, &size);
        TH_CHECK(fits, "convolution: the result is too large");
        return size;
    }
    if (input < kernel) return 0;
    if (mode == ReversedCorrelation) return kernel - 1 <= (input - 1) / step ? input - (kernel - 1) * step : 0;
    return (input - kernel) / step + 1;
}

Volume result_size(Mode mode, const Volume &input, const Volume &kernel, const Volume &step) {
    Volume size;
    for (int d = 0; d < 3; d++) size.along[d] = result_size(mode, input.along[d], kernel.along[d], step.along[d]);
    return size;
}

template <typename T> void add_row(T *r, T factor, const T *t, int64_t n, int64_t r_step, int64_t t_step) {
    if (r_step == 1 && t_step == 1)
        for (int64_t i = 0; i < n; i++) r[i] = T(r[i] + factor * t[i]);
    else
        for (int64_t i = 0; i < n; i++) r[i * r_step] = T(r[i * r_step] + factor * t[i * t_step]);
}

// r += alpha * (t op k), for one volume of each. Every mode pairs a walk over the result or the input with a walk over
// the kernel: position p and kernel element q meet at p * out + q * out_shift and p * in + q * in_shift.
template <Mode mode, typename T>
void planes(T *r, T alpha, const T *t, const Volume &input, const T *k, const Volume &kernel, const Volume &step) {
    const Volume result = result_size(mode, input, kernel, step), &walk = is_full(mode) ? input : result;
    for (int d = 0; d < 3; d++)
        if (result.along[d] < 1) return;
    const Volume unit{{1, 1, 1}}, none{{0, 0, 0}};
    const Volume &out = is_full(mode) ? step : unit, &out_shift = is_full(mode) ? unit : none;
    const Volume &in = mode == ReversedCorrelation || is_full(mode) ? unit : step;
    const Volume &in_shift = mode == ReversedCorrelation ? step : is_full(mode) ? none : unit;
    auto meets = [](const Volume &steps, const Volume &shifts, int d, int64_t p, int64_t q) {
        return p * steps.along[d] + q * shifts.along[d];
    };
    const int64_t weights = kernel.elements();
    for (int64_t z = 0; z < walk.along[0]; z++)
        for (int64_t kz = 0; kz < kernel.along[0]; kz++)
            for (int64_t y = 0; y < walk.along[1]; y++)
                for (int64_t ky = 0; ky < kernel.along[1]; ky++) {
                    T *const row = r + (meets(out, out_shift, 0, z, kz) * result.along[1] +
                                        meets(out, out_shift, 1, y, ky)) * result.along[2];
                    const T *const source = t + (meets(in, in_shift, 0, z, kz) * input.along[1] +
                                                 meets(in, in_shift, 1, y, ky)) * input.along[2];
                    const int64_t first = (kz * kernel.along[1] + ky) * kernel.along[2];
                    for (int64_t kx = 0; kx < kernel.along[2]; kx++)
                        add_row<T>(row + kx * out_shift.along[2],
                                   T(alpha * k[is_flipped(mode) ? weights - 1 - first - kx : first + kx]),
                                   source + kx * in_shift.along[2], walk.along[2], out.along[2], in.along[2]);
                }
}

template <typename T>
using Planes = void (*)(T *, T, const T *, const Volume &, const T *, const Volume &, const Volume &);

template <typename T> Planes<T> planes_of(Mode mode) {
    static constexpr Planes<T> all[] = {planes<ValidCorrelation, T>, planes<ValidConvolution, T>,
                                        planes<FullCorrelation, T>, planes<FullConvolution, T>,
                                        planes<ReversedCorrelation, T>};
    assert(mode >= 0 && mode < int(sizeof all / sizeof *all));
    return all[mode];
}

}  // namespace

template <Mode mode, typename T>
void planes2d(T *r, T alpha, T *t, int64_t ir, int64_t ic, T *k, int64_t kr, int64_t kc, int64_t sr, int64_t sc) {
    planes<mode, T>(r, alpha, t, {{1, ir, ic}}, k, {{1, kr, kc}}, {{1, sr, sc}});
}
template <Mode mode, typename T>
void planes3d(T *r, T alpha, T *t, int64_t it, int64_t ir, int64_t ic, T *k, int64_t kt, int64_t kr, int64_t kc,
              int64_t st, int64_t sr, int64_t sc) {
    planes<mode, T>(r, alpha, t, {{it, ir, ic}}, k, {{kt, kr, kc}}, {{st, sr, sc}});
}

namespace {

// Which inputs meet which kernels.
enum Pairing {
    Single,      // one with one
    Planewise,   // input plane p with kernel plane p
    Summed,      // result plane o: the sum over input planes i with kernels (o, i)
    Batched,     // the same for each element of a batch
    Outer,       // result plane (k, i): input plane i with kernel k
    OuterSummed  // the same, summed over the elements of a batch of inputs and kernels
};
constexpr int input_leading[] = {0, 1, 1, 2, 1, 2}, kernel_leading[] = {0, 1, 2, 2, 1, 2};

struct Form {
    const char *name;  // as the errors give it
    Pairing pairing;
    int dims;  // 2 or 3
};

Volume last_sizes(const AnyTensor *t, int dims) {
    const int64_t *end = t->size + t->nDimension;
    return {{dims == 3 ? end[-3] : 1, end[-2], end[-1]}};
}

void check_arguments(const Form &form, const AnyTensor *t, const AnyTensor *k, const Volume &step) {
    const int input_dims = form.dims + input_leading[form.pairing];
    const int kernel_dims = form.dims + kernel_leading[form.pairing];
    TH_ARGUMENT(t->nDimension == input_dims, 3, "input: %dD Tensor expected", input_dims);
    TH_ARGUMENT(k->nDimension == kernel_dims, 4, "kernel: %dD Tensor expected", kernel_dims);
    for (int d = 0; d < form.dims; d++)
        TH_ARGUMENT(step.along[3 - form.dims + d] >= 1, 5 + d, "Stride should be a positive integer");
}

// How many planes lead, and which of them meet.
struct Plan {
    int64_t leading[2];  // of the result
    int leading_dims;
    int64_t terms;  // summed for each plane of the result
};

Plan plan(Pairing pairing, const AnyTensor *t, const AnyTensor *k) {
    switch (pairing) {
    case Single: return {{1, 1}, 0, 1};
    case Planewise:
        TH_ARGUMENT(t->size[0] == k->size[0], 2, "invalid number of input/kernel planes");
        return {{t->size[0], 1}, 1, 1};
    case Summed:
        TH_ARGUMENT(k->size[1] == t->size[0], 2, "invalid number of input planes");
        return {{k->size[0], 1}, 1, t->size[0]};
    case Batched:
        TH_ARGUMENT(k->size[1] == t->size[1], 2, "invalid number of input planes");
        return {{t->size[0], k->size[0]}, 2, t->size[1]};
    case Outer: return {{k->size[0], t->size[0]}, 2, 1};
    case OuterSummed: return {{k->size[1], t->size[1]}, 2, t->size[0]};
    }
    assert(false);  // each pairing has its case
    return {};
}

template <typename T>
void convolve(const Form &form, Mode mode, Tensor<T> *r, T beta, T alpha, Tensor<T> *t, Tensor<T> *k,
              const Volume &step) {
    const Pairing pairing = form.pairing;
    const Plan planned = plan(pairing, t, k);
    const Volume input = last_sizes(t, form.dims), kernel = last_sizes(k, form.dims);
    const Volume result = result_size(mode, input, kernel, step);
    for (int d = 0; d < 3; d++)
        TH_ARGUMENT(result.along[d] >= 1, 2, "%s : Input image is smaller than kernel", form.name);
    if (pairing == OuterSummed)
        TH_ARGUMENT(t->size[0] == k->size[0], 2, "%s : Input batch and kernel batch is not same size", form.name);

    int64_t sizes[5];
    assert(planned.leading_dims + form.dims <= 5);
    std::copy_n(planned.leading, planned.leading_dims, sizes);
    std::copy_n(result.along + 3 - form.dims, form.dims, sizes + planned.leading_dims);
    const Owned<T> t_ = contiguous<T>(Owned<T>(apart(t, r)).get()), k_ = contiguous<T>(Owned<T>(apart(k, r)).get());
    const int64_t elements = elements_of(r);
    resize<T>(r, Shape{planned.leading_dims + form.dims, sizes});
    if (beta == 0 || elements != elements_of(r))
        fill<T>(r, 0);
    else if (beta != 1)
        mul<T>(r, r, beta);

    Owned<T> out = contiguous(r);
    T *const to = out->data();
    const T *const from = t_->data(), *const weights = k_->data();
    const int64_t second = planned.leading[1], terms = planned.terms, first = planned.leading[0];
    const int64_t work = result.elements() * kernel.elements() * terms;
    const Planes<T> add = planes_of<T>(mode);
    const int64_t smallest = std::max<int64_t>(1, grain / std::max<int64_t>(1, work));
    parallel_for(first * second, smallest, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; p++)
            for (int64_t term = 0; term < terms; term++) {
                int64_t i = p, j = p;  // the planes of the input and of the kernel
                if (pairing == Summed) i = term, j = p * terms + term;
                if (pairing == Batched) i = p / second * terms + term, j = p % second * terms + term;
                if (pairing == Outer) i = p % second, j = p / second;
                if (pairing == OuterSummed) i = term * second + p % second, j = term * first + p / second;
                assert((p + 1) * result.elements() <= elements_of(out.get()));
                assert((i + 1) * input.elements() <= elements_of(t_.get()));
                assert((j + 1) * kernel.elements() <= elements_of(k_.get()));
                add(to + p * result.elements(), alpha, from + i * input.elements(), input,
                    weights + j * kernel.elements(), kernel, step);
            }
    });
    free_copy_to(std::move(out), r);
}

bool is_kind(const char *vf) { return *vf == 'V' || *vf == 'F'; }
bool is_order(const char *xc) { return *xc == 'X' || *xc == 'C'; }

template <typename T>
void convolve(const Form &form, Tensor<T> *r, T beta, T alpha, Tensor<T> *t, Tensor<T> *k, const Volume &step,
              const char *vf, const char *xc) {
    check_arguments(form, t, k, step);
    const bool late = form.dims == 2 && (form.pairing == Single || form.pairing == Planewise);
    if (late) {  // these two look at vf and xc last
        plan(form.pairing, t, k);
        const Volume input = last_sizes(t, form.dims), kernel = last_sizes(k, form.dims);
        if (*vf != 'F')
            for (int d = 0; d < 3; d++)
                TH_ARGUMENT(input.along[d] >= kernel.along[d], 2, "%s : Input image is smaller than kernel", form.name);
        TH_ARGUMENT(is_kind(vf), 1, "type of convolution can be 'V' or 'F'");
        TH_ARGUMENT(is_order(xc), 7, "type of convolution can be 'X' or 'C'");
    }
    TH_ARGUMENT(is_kind(vf), 5 + form.dims, "type of convolution can 'V' or 'F'");
    TH_ARGUMENT(is_order(xc), 5 + form.dims, "type of convolution can 'X' or 'C'");
    const Mode mode = *vf == 'V' ? (*xc == 'X' ? ValidCorrelation : ValidConvolution)
                                 : (*xc == 'X' ? FullCorrelation : FullConvolution);
    convolve(form, mode, r, beta, alpha, t, k, step);
}

template <typename T>
void reversed(const Form &form, Tensor<T> *r, T beta, T alpha, Tensor<T> *t, Tensor<T> *k, const Volume &step) {
    check_arguments(form, t, k, step);
    convolve(form, ReversedCorrelation, r, beta, alpha, t, k, step);
}

}  // namespace

#define TH_CONVOLUTION_2D(suffix, pairing)                                                                             \
    template <typename T>                                                                                              \
    void conv2D##suffix(Tensor<T> *r, T beta, T alpha, Tensor<T> *t, Tensor<T> *k, int64_t srow, int64_t scol,         \
                        const char *vf, const char *xc) {                                                              \
        convolve<T>({"conv2D" #suffix, pairing, 2}, r, beta, alpha, t, k, {{1, srow, scol}}, vf, xc);                  \
    }
#define TH_CONVOLUTION_3D(suffix, pairing)                                                                             \
    template <typename T>                                                                                              \
    void conv3D##suffix(Tensor<T> *r, T beta, T alpha, Tensor<T> *t, Tensor<T> *k, int64_t sdepth, int64_t srow,       \
                        int64_t scol, const char *vf, const char *xc) {                                                \
        convolve<T>({"conv3D" #suffix, pairing, 3}, r, beta, alpha, t, k, {{sdepth, srow, scol}}, vf, xc);             \
    }
TH_CONVOLUTION_2D(mul, Single)
TH_CONVOLUTION_2D(cmul, Planewise)
TH_CONVOLUTION_2D(mv, Summed)
TH_CONVOLUTION_2D(mm, Batched)
TH_CONVOLUTION_2D(ger, Outer)
TH_CONVOLUTION_3D(mul, Single)
TH_CONVOLUTION_3D(cmul, Planewise)
TH_CONVOLUTION_3D(mv, Summed)
TH_CONVOLUTION_3D(ger, Outer)
#undef TH_CONVOLUTION_2D
#undef TH_CONVOLUTION_3D

template <typename T>
void conv2DRevger(Tensor<T> *r, T beta, T alpha, Tensor<T> *t, Tensor<T> *k, int64_t srow, int64_t scol) {
    reversed<T>({"covn2DRevger", Outer, 2}, r, beta, alpha, t, k, {{1, srow, scol}});
}
template <typename T>
void conv2DRevgerm(Tensor<T> *r, T beta, T alpha, Tensor<T> *t, Tensor<T> *k, int64_t srow, int64_t scol) {
    reversed<T>({"conv2DRevger", OuterSummed, 2}, r, beta, alpha, t, k, {{1, srow, scol}});
}
template <typename T>
void conv3DRevger(Tensor<T> *r, T beta, T alpha, Tensor<T> *t, Tensor<T> *k, int64_t sdepth, int64_t srow,
                  int64_t scol) {
    reversed<T>({"conv3DRevger", Outer, 3}, r, beta, alpha, t, k, {{sdepth, srow, scol}});
}

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/math/conv_exports.h"
#include <TH/THGenerateAllTypes.h>
}
