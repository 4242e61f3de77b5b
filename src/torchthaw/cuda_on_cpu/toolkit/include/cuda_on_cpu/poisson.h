// cuda_on_cpu/poisson.h: numbers of a Poisson distribution, exactly distributed for every mean.
#pragma once

#include <cmath>

namespace cuda_on_cpu {

// Of a source of uniform numbers in (0, 1]. A mean of 0 or less, or none, gives 0.
template <typename Uniform> unsigned poisson(double mean, Uniform uniform) {
    if (!(mean > 0)) return 0;
    if (mean < 10) {  // Knuth: how many factors until the product is below exp(-mean)
        const double least = std::exp(-mean);
        unsigned count = 0;
        for (double product = uniform(); product > least; product *= uniform()) count++;
        return count;
    }
    // The transformed rejection with squeeze of W. Hoermann (1993), "PTRS".
    const double b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
    const double scale = 1.1239 + 1.1328 / (b - 3.4), surely = 0.9277 - 3.6224 / (b - 2), log_mean = std::log(mean);
    for (;;) {
        const double u = uniform() - 0.5, v = uniform(), distance = 0.5 - std::fabs(u);
        const double k = std::floor((2 * a / distance + b) * u + mean + 0.43);
        if (distance >= 0.07 && v <= surely) return unsigned(k);
        if (k < 0 || k > 4294967295. || (distance < 0.013 && v > distance)) continue;
        if (std::log(v * scale / (a / (distance * distance) + b)) <= k * log_mean - mean - std::lgamma(k + 1)) return unsigned(k);
    }
}

}  // namespace cuda_on_cpu
