// c_api/thc/math/math.cpp: mathematics on the GPU.
#include "thc/math/random.h"
#include "thc/runtime/export.h"
#include "thc/runtime/launch.h"
#include "thc/tensor/tensor.h"

#include <algorithm>
#include <cmath>

namespace th {

template <typename T> void fill(Tensor<T> *self, T value) {
    OnDevice guard(device_of(self));
    launch_fill(elements(self), elements_of(self), value);
}

template <typename T> void zero(Tensor<T> *self) {
    OnDevice guard(device_of(self));
    if (!self->nDimension) return;
    if (is_contiguous(self))
        CUDA_CHECK(cudaMemsetAsync(self->data(), 0, size_t(elements_of(self)) * sizeof(T), current_stream()));
    else
        launch_fill(elements(self), elements_of(self), element_as<T>(0));
}

namespace {

template <typename T> void add_scaled(Tensor<T> *self, Tensor<T> *a, Number<T> value, Tensor<T> *b) {
    TH_ARGUMENT(elements_of(a) == elements_of(b), 3, "sizes do not match");
    OnDevice guard(device_of(a));
    resizeAs(self, a);
    launch_add_scaled(AddScaled<T>{elements(self), elements(a), elements(b), value}, elements_of(self));
}

}  // namespace

template <typename T> void cadd(Tensor<T> *self, Tensor<T> *a, T value, Tensor<T> *b) {
    add_scaled(self, a, element_as<Number<T>>(value), b);
}

template <typename T> void csub(Tensor<T> *self, Tensor<T> *a, T value, Tensor<T> *b) {
    add_scaled(self, a, Number<T>(-element_as<Number<T>>(value)), b);
}

template <typename T> CudaAccumulate<T> sumall(Tensor<T> *self) {
    OnDevice guard(device_of(self));
    return launch_sum(elements(self), elements_of(self));
}

template <typename T> CudaAccumulate<T> normall(Tensor<T> *self, T value) {
    using Sum = CudaAccumulate<T>;
    OnDevice guard(device_of(self));
    const Sum p = element_as<Sum>(value), sum = launch_power_sum(elements(self), elements_of(self), p);
    return p == 0 || p == 1 ? sum : p == 2 ? std::sqrt(sum) : std::pow(sum, 1 / p);
}

template <typename T>
void scatterAdd(Tensor<T> *self, int dim, Tensor<int64_t> *index, Tensor<T> *source) {
    TH_ARGUMENT(dim >= 0 && dim < self->nDimension, 2, "Index dimension is out of bounds");
    TH_ARGUMENT(index->nDimension == source->nDimension, 3, "Index tensor must have same dimensions as input tensor");
    TH_ARGUMENT(source->nDimension == self->nDimension, 4, "Input tensor must have same dimensions as output tensor");
    for (int d = 0; d < self->nDimension; d++) {
        TH_ARGUMENT(index->size[d] <= source->size[d], 3, "Index tensor must not be larger than the source, but is %s",
                    describe(index).str);
        TH_ARGUMENT(d == dim || index->size[d] <= self->size[d], 3,
                    "Index tensor must not be larger than the output apart from dimension %d, but is %s", dim,
                    describe(index).str);
    }
    TH_CHECK(self->nDimension <= most_dimensions, "expected at most %d dimensions", most_dimensions);
    OnDevice guard(device_of(self));
    ScatterPlace<T> place{self->data(), self->nDimension, dim, {}, {}, self->size[dim]};
    std::copy(index->size, index->size + index->nDimension, place.size);
    std::copy(self->stride, self->stride + self->nDimension, place.stride);
    // Source is read where index is: its strides by index's sizes.
    const Elements<T> values(source->data(), index->nDimension, index->size, source->stride);
    launch_scatter_add(place, elements(index), values, elements_of(index));
}

template <typename T> void bernoulli(Tensor<T> *self, double p) {
    TH_ARGUMENT(p >= 0 && p <= 1, 3, "must be >= 0 and <= 1");
    OnDevice guard(device_of(self));
    const int64_t n = elements_of(self);
    launch_bernoulli(Bernoulli<T>{elements(self), p, draw(n)}, n);
}

}  // namespace th

extern "C" {
#define THC_GENERIC_FILE "thc/math/math_exports.h"
#include <THC/THCGenerateAllTypes.h>
}
