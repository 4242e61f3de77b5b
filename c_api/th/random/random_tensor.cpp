// c_api/th/random/random_tensor.cpp: tensors filled from a generator, one draw after another in row-major order.
#include "th/math/special.h"
#include "th/random/random.h"
#include "th/runtime/compat.h"
#include "th/runtime/export.h"
#include "th/runtime/loop.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace th {

// ---- Every type -----------------------------------------------------------------------------------------------------

template <typename T> void random(Tensor<T> *self, THGenerator *generator) {
    constexpr uint64_t range = is_floating<T> ? (uint64_t(1) << std::numeric_limits<T>::digits) + 1
                                              : uint64_t(std::numeric_limits<T>::max()) + 1;
    const bool wide = sizeof(T) == 8 && !torch7();
    each([&](T &r) { r = T((wide ? random64(generator) : random32(generator)) % range); }, self);
}

template <typename T> void clampedRandom(Tensor<T> *self, THGenerator *generator, int64_t min, int64_t max) {
    TH_ARGUMENT(max > min, 2, "max must be greater than min, but got: min = %lld, max = %lld", (long long)min,
                (long long)max);
    const uint64_t range = uint64_t(max) - uint64_t(min);
    const bool wide = (is_floating<T> || sizeof(T) == 8) && range >> 32 && !torch7();
    // Unsigned to the end: in a float tensor numbers below zero come out as 2^64 more.
    each([&](T &r) { r = T((wide ? random64(generator) : random32(generator)) % range + uint64_t(min)); }, self);
}

template <typename T> void cappedRandom(Tensor<T> *self, THGenerator *generator, int64_t max) {
    TH_ARGUMENT(max > 0, 1, "max must be positive, but got: max = %lld", (long long)max);
    clampedRandom(self, generator, 0, max);
}

template <typename T> void fill_geometric(Tensor<T> *self, THGenerator *generator, double p) {
    each([&](T &r) { r = T(geometric(generator, p)); }, self);
}

template <typename T> void fill_bernoulli(Tensor<T> *self, THGenerator *generator, double p) {
    each([&](T &r) { r = T(bernoulli(generator, p)); }, self);
}

template <typename T, typename P> void bernoulli_tensor(Tensor<T> *self, THGenerator *generator, Tensor<P> *p) {
    check_same_elements({{"self", self}, {"p", p}});
    each([](P probability) { check_probability(double(probability)); }, p);
    each([&](T &r, P &probability) { r = T(bernoulli(generator, double(probability))); }, self, p);
}

template <typename T> void randperm(Tensor<T> *r, THGenerator *generator, int64_t n) {
    TH_ARGUMENT(n > 0, 1, "must be strictly positive");
    resize<T>(r, {n});
    T *const data = r->data();
    const int64_t stride = r->stride[0];
    for (int64_t i = 0; i < n; i++) data[i * stride] = T(i);
    for (int64_t i = 0; i < n - 1; i++)
        std::swap(data[i * stride], data[(i + int64_t(random32(generator) % uint64_t(n - i))) * stride]);
}

// ---- Floats and doubles ---------------------------------------------------------------------------------------------

template <typename T> T draw_uniform(THGenerator *generator, double a, double b) {
    if constexpr (std::is_same<T, float>::value)
        return uniform_float(generator, float(a), float(b));
    else
        return uniform(generator, a, b);
}

template <typename T> void fill_uniform(Tensor<T> *self, THGenerator *generator, double a, double b) {
    each([&](T &r) { r = draw_uniform<T>(generator, a, b); }, self);
}

template <typename T> void fill_normal(Tensor<T> *self, THGenerator *generator, double mean, double stdv) {
    each([&](T &r) { r = T(normal(generator, mean, stdv)); }, self);
}

template <typename T> void fill_exponential(Tensor<T> *self, THGenerator *generator, double lambda) {
    each([&](T &r) { r = T(exponential(generator, lambda)); }, self);
}

template <typename T> void fill_cauchy(Tensor<T> *self, THGenerator *generator, double median, double sigma) {
    each([&](T &r) { r = T(cauchy(generator, median, sigma)); }, self);
}

template <typename T> void fill_log_normal(Tensor<T> *self, THGenerator *generator, double mean, double stdv) {
    each([&](T &r) { r = T(log_normal(generator, mean, stdv)); }, self);
}

template <typename T> void normal_means(Tensor<T> *self, THGenerator *generator, Tensor<T> *means, double stddev) {
    resizeAs(self, means);
    each([&](T &r, T &mean) { r = T(normal(generator, 0, stddev)) + mean; }, self, means);
}

template <typename T> void normal_stddevs(Tensor<T> *self, THGenerator *generator, double mean, Tensor<T> *stddevs) {
    resizeAs(self, stddevs);
    each([&](T &r, T &stddev) { r = T(normal(generator, 0, 1)) * stddev + T(mean); }, self, stddevs);
}

template <typename T>
void normal_means_stddevs(Tensor<T> *self, THGenerator *generator, Tensor<T> *means, Tensor<T> *stddevs) {
    check_same_elements({{"r_", means}, {"t", means}, {"src", stddevs}});
    resizeAs(self, means);
    each([&](T &r, T &mean, T &stddev) { r = T(normal(generator, 0, 1)) * stddev + mean; }, self, means, stddevs);
}

template <typename T> void fill_standard_gamma(Tensor<T> *self, THGenerator *generator, Tensor<T> *alpha) {
    resizeAs(self, alpha);
    each([&](T &r, T &shape) { r = T(standard_gamma(generator, double(shape))); }, self, alpha);
}

template <typename T> void rand(Tensor<T> *r, THGenerator *generator, Storage<int64_t> *size) {
    resize<T>(r, Shape{int(size->size), size->elements()});
    fill_uniform(r, generator, 0, 1);
}

template <typename T> void randn(Tensor<T> *r, THGenerator *generator, Storage<int64_t> *size) {
    resize<T>(r, Shape{int(size->size), size->elements()});
    fill_normal(r, generator, 0, 1);
}

// Box-Muller on uniforms that are already in place: eight pairs, i with i + 8.
template <typename T> void normal_block(T *data, T mean, T stddev) {
    for (int i = 0; i < 8; i++) {
        const T radius = std::sqrt(-2 * std::log(1 - data[i])), angle = T(2 * M_PI) * data[i + 8];
        data[i] = radius * std::cos(angle) * stddev + mean;
        data[i + 8] = radius * std::sin(angle) * stddev + mean;
    }
}

template <typename T> void normal_fill(T *data, int64_t size, THGenerator *generator, T mean, T stddev) {
    if (size < 16) {
        for (int64_t i = 0; i < size; i++) data[i] = T(normal(generator, mean, stddev));
        return;
    }
    for (int64_t i = 0; i < size; i++) data[i] = draw_uniform<T>(generator, 0, 1);
    for (int64_t i = 0; i + 16 <= size; i += 16) normal_block(data + i, mean, stddev);
    if (size % 16) {  // the last block is drawn again, whole
        T *const last = data + size - 16;
        for (int i = 0; i < 16; i++) last[i] = draw_uniform<T>(generator, 0, 1);
        normal_block(last, mean, stddev);
    }
}

// ---- Multinomial ----------------------------------------------------------------------------------------------------

namespace {

// The first position whose cumulative mass reaches u; the last one holds all of it.
int64_t position(const double *cumulative, int64_t n, double u) {
    int64_t left = 0, right = n - 1;
    while (left < right) {
        const int64_t middle = left + (right - left) / 2;
        if (cumulative[middle] < u)
            left = middle + 1;
        else
            right = middle;
    }
    return left;
}

// Takes what was drawn out of the distribution and brings the rest back to a sum of one.
void remove(double *cumulative, int64_t n, int64_t drawn) {
    const double mass = cumulative[drawn] - (drawn ? cumulative[drawn - 1] : 0), rest = 1 - mass;
    for (int64_t i = 0; i < n; i++) cumulative[i] = (i < drawn ? cumulative[i] : cumulative[i] - mass) / rest;
}

}  // namespace

template <typename T>
void multinomial(Tensor<int64_t> *self, THGenerator *generator, Tensor<T> *prob_dist, int n_sample,
                 int with_replacement) {
    const int dims = prob_dist->nDimension;
    TH_ARGUMENT(dims > 0, 2, "dimension %d out of range of 0D tensor", index_base());
    TH_ARGUMENT(dims <= 2, 1, "tensor must have two dimensions");
    const int64_t rows = dims == 1 ? 1 : prob_dist->size[0], categories = prob_dist->size[dims - 1];
    TH_ARGUMENT(n_sample > 0, 2, "cannot sample n_sample < 0 samples");
    TH_ARGUMENT(with_replacement || n_sample <= categories, 2,
                "cannot sample n_sample > prob_dist:size(1) samples without replacement");
    Buffer<double> cumulative(categories);
    const auto accumulate = [&](int64_t i) {
        const T *const row = prob_dist->data() + (dims == 1 ? 0 : i * prob_dist->stride[0]);
        double sum = 0;
        for (int64_t j = 0; j < categories; j++) {
            sum += double(row[j * prob_dist->stride[dims - 1]]);
            cumulative[j] = sum;
        }
        return sum;
    };
    for (int64_t i = 0; i < rows; i++)
        TH_ARGUMENT(accumulate(i) > 0, 2, "invalid multinomial distribution (sum of probabilities <= 0)");
    resize<int64_t>(self, {rows, n_sample});
    for (int64_t i = 0; i < rows; i++) {
        const double sum = accumulate(i);
        for (int64_t j = 0; j < categories; j++) cumulative[j] /= sum;
        for (int j = 0; j < n_sample; j++) {
            const int64_t drawn = position(cumulative.get(), categories, uniform(generator, 0, 1));
            self->data()[i * self->stride[0] + j * self->stride[1]] = drawn;
            cumulative[categories - 1] = 1;
            if (!with_replacement && j < n_sample - 1) remove(cumulative.get(), categories, drawn);
        }
    }
    if (dims == 1) resize<int64_t>(self, {n_sample});
}

// Walker, "An efficient method for generating discrete random variables with general distributions", 1977: position i
// stands for itself with probability q[i], otherwise for J[i]. The setup counts J from 0, a draw counts it from 1:
// draws from these tables give J[i] - 1, as they always have.
template <typename T> void multinomialAliasSetup(Tensor<T> *prob_dist, Tensor<int64_t> *J, Tensor<T> *q) {
    const int64_t n = elements_of(prob_dist);
    TH_ARGUMENT(n > 0, 1, "prob_dist must not be empty");
    const Owned<T> probabilities = contiguous(prob_dist);
    Buffer<T> keep(n);
    Buffer<int64_t> alias(n), small(n), large(n);
    int64_t smalls = 0, larges = 0;
    for (int64_t i = 0; i < n; i++) {
        keep[i] = T(n) * probabilities->data()[i];
        alias[i] = 0;
        if (keep[i] < 1)
            small[smalls++] = i;
        else
            large[larges++] = i;
    }
    while (smalls && larges) {
        const int64_t giver = large[larges - 1], taker = small[smalls - 1];
        alias[taker] = giver;
        keep[giver] = T(keep[giver] - (1.0 - keep[taker]));
        if (keep[giver] < 1) {
            small[smalls - 1] = giver;
            larges--;
        } else {
            smalls--;
        }
    }
    T least = keep[n - 1], most = keep[n - 1];
    for (int64_t i = 0; i < n; i++) {
        if (keep[i] < least) least = keep[i];
        if (keep[i] > most) most = keep[i];
    }
    TH_ARGUMENT(least > 0, 2, "q_min is less than 0");
    for (int64_t i = 0; i < n; i++) {
        if (most > 1) keep[i] /= most;
        if (alias[i] <= 0) keep[i] = 1;  // 0 says that there is no alias
    }
    resize<int64_t>(J, {n});
    resize<T>(q, {n});
    for (int64_t i = 0; i < n; i++) {
        J->data()[i * J->stride[0]] = alias[i];
        q->data()[i * q->stride[0]] = keep[i];
    }
}

template <typename T>
void multinomialAliasDraw(Tensor<int64_t> *self, THGenerator *generator, Tensor<int64_t> *J, Tensor<T> *q) {
    const int64_t n = elements_of(J);
    TH_ARGUMENT(n > 0, 3, "J must not be empty");
    TH_ARGUMENT(elements_of(q) == n, 4, "q must have as many elements as J, %lld, but has %lld", (long long)n,
                (long long)elements_of(q));
    const Owned<int64_t> alias = contiguous(J);
    const Owned<T> keep = contiguous(q);
    each(
        [&](int64_t &r) {
            const int64_t i = std::min(int64_t(uniform(generator, 0, double(n))), n - 1);
            r = bernoulli(generator, double(keep->data()[i])) ? i : alias->data()[i] - 1;
        },
        self);
}

// ---- Gradient of a Dirichlet sample ---------------------------------------------------------------------------------

namespace {

// The integral of f from 0 to infinity by the double exponential rule (Takahasi and Mori, 1974); f decays over `scale`.
template <typename F> double integral(double scale, const F &f) {
    constexpr double step = 1. / 32, end = 4.25;
    double sum = 0;
    for (double u = -end; u <= end; u += step) {
        const double s = scale * std::exp(M_PI / 2 * std::sinh(u)), value = f(s);
        if (value != 0) sum += value * s * std::cosh(u);
    }
    return sum * M_PI / 2 * step;
}

// x ~ Beta(a, b) depends on a through its distribution function F as dx/da = -(dF/da) / f(x), here divided by 1 - x
// (Figurnov, Mohamed, Mnih, "Implicit reparameterization gradients", 2018). dF/da is the integral over t below x, or
// the negated one above it, of f(t) (log t - digamma(a) + digamma(a + b)); t is x exp(-s), or 1 - (1 - x) exp(-s).
double beta_gradient(double x, double a, double b) {
    if (!(x >= 0 && x <= 1 && a > 0 && b > 0) || std::isinf(a + b)) return NAN;
    if (x == 0) return 0;
    const double mean_log = digamma(a) - digamma(a + b), log_x = std::log(x), odds = x / (1 - x);
    if (x < a / (a + b)) {
        const double slope = a - (b - 1) * odds, bend = std::fabs(b - 1) * odds / (1 - x);
        return -odds * integral(1 / (std::fabs(slope) + std::sqrt(bend)), [&](double s) {
            const double exponent = (b - 1) * std::log1p(-odds * std::expm1(-s)) - a * s;
            return std::exp(exponent) * (log_x - s - mean_log);
        });
    }
    const double against = (1 - x) / x, slope = b - (a - 1) * against, bend = std::fabs(a - 1) * against / x;
    return integral(1 / (std::fabs(slope) + std::sqrt(bend)), [&](double s) {
        const double growth = std::log1p(-against * std::expm1(-s));
        return std::exp((a - 1) * growth - b * s) * (log_x + growth - mean_log);
    });
}

}  // namespace

template <typename T> void dirichlet_grad(Tensor<T> *self, Tensor<T> *x, Tensor<T> *alpha, Tensor<T> *total) {
    check_same_elements({{"x", x}, {"alpha", alpha}, {"total", total}});
    resizeAs(self, x);
    each([](T &r, T &sample, T &a, T &sum) { r = T(beta_gradient(sample, a, double(sum) - a)); }, self, x, alpha,
         total);
}

// ---- State of the generator -----------------------------------------------------------------------------------------

static void getRNGState(THGenerator *generator, Tensor<uint8_t> *self) {
    constexpr int64_t size = sizeof(THGenerator);
    resize<uint8_t>(self, {size});
    TH_ARGUMENT(is_contiguous(self), 1, "RNG state needs to be contiguous");
    memcpy(self->data(), generator, size);
}

static void setRNGState(THGenerator *generator, Tensor<uint8_t> *self) {
    TH_ARGUMENT(elements_of(self) == sizeof(THGenerator), 1, "RNG state is wrong size");
    TH_ARGUMENT(is_contiguous(self), 1, "RNG state needs to be contiguous");
    THGenerator state;
    memcpy(&state, self->data(), sizeof state);
    TH_ARGUMENT(is_valid(&state), 1, "Invalid RNG state");
    *generator = state;
}

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/random/random_tensor_exports.h"
#include <TH/THGenerateAllTypes.h>
}
