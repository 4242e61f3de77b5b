// c_api/thc/math/bodies.h: what a kernel does for element i. Plain functions of the host too, which tests run there.
#pragma once

#include "thc/math/convert.h"
#include "thc/math/random.h"

#include <cmath>
#include <cstdlib>

namespace th {

// Ends a kernel, or the test that runs its body on the host: what cannot be reported from there.
THC_BOTH inline void stop() {
#ifdef __CUDA_ARCH__
    __trap();
#else
    abort();
#endif
}

template <typename T> struct Fill {
    Elements<T> out;
    T value;
    THC_BOTH void operator()(int64_t i) const { out[i] = value; }
};

template <typename To, typename From> struct Copy {
    Elements<To> out;
    Elements<From> in;
    THC_BOTH void operator()(int64_t i) const { out[i] = element_as<To>(in[i]); }
};

// Where each of many equal pieces of memory begins.
template <typename T> struct Addresses {
    Elements<T *> out;
    T *first;
    int64_t step;
    THC_BOTH void operator()(int64_t i) const { out[i] = first + i * step; }
};

// out = a + value * b
template <typename T> struct AddScaled {
    Elements<T> out, a, b;
    Number<T> value;
    THC_BOTH void operator()(int64_t i) const {
        const Number<T> product = Number<T>(value * element_as<Number<T>>(b[i]));
        out[i] = element_as<T>(Number<T>(element_as<Number<T>>(a[i]) + product));
    }
};

// 1 with probability p: a hash of the seed and the element's number decides, so that no state is kept on the GPU.
template <typename T> struct Bernoulli {
    Elements<T> out;
    double p;
    uint64_t seed;
    THC_BOTH void operator()(int64_t i) const {
        uint64_t x = seed + uint64_t(i) * random_step;  // splitmix64
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
        x = (x ^ x >> 27) * 0x94D049BB133111EBu;
        const double uniform = double((x ^ x >> 31) >> 11) * 0x1p-53;
        out[i] = element_as<T>(float(uniform < p));
    }
};

// The element of `target` that element i of `index` and `source` names: where along `dim`, elsewhere its own place.
template <typename T> struct ScatterPlace {
    T *data;
    int dims, dim;
    int64_t size[most_dimensions];    // of index and source
    int64_t stride[most_dimensions];  // of target
    int64_t limit;                    // target's size along dim

    THC_BOTH T *operator()(int64_t i, int64_t index) const {
        if (index < 0 || index >= limit) stop();
        int64_t offset = index * stride[dim];
        for (int d = dims - 1; d >= 0; d--) {
            const int64_t rest = i / size[d];
            if (d != dim) offset += (i - rest * size[d]) * stride[d];
            i = rest;
        }
        return data + offset;
    }
};

// ---- What is summed up for each element ----------------------------------------------------------------------------

template <typename T, typename Sum> struct Value {
    THC_BOTH Sum operator()(T x) const { return element_as<Sum>(x); }
};

template <typename T, typename Sum> struct Power {
    Sum p;  // 0: whether the element is not 0
    THC_BOTH Sum operator()(T x) const {
        const Sum value = element_as<Sum>(x), magnitude = value < 0 ? -value : value;
        return p == 0 ? Sum(value != 0) : p == 1 ? magnitude : p == 2 ? value * value : std::pow(magnitude, p);
    }
};

}  // namespace th
