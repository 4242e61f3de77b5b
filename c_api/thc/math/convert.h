// c_api/thc/math/convert.h: one element of a type as another, as th/convert.h has it for the host.
#pragma once

#include "thc/math/elements.h"

#include <cuda_fp16.h>

#include <type_traits>

namespace th {

template <typename T> constexpr bool is_float = std::is_floating_point<T>::value;
template <typename T> constexpr bool is_cuda_half = std::is_same<T, half>::value;

// What a type is calculated in.
template <typename T> using Number = typename std::conditional<is_cuda_half<T>, float, T>::type;

template <typename To, typename From> THC_BOTH To element_as(From value) {
    if constexpr (std::is_same<To, From>::value) {
        return value;
    } else if constexpr (is_cuda_half<From>) {
        return element_as<To>(__half2float(value));
    } else if constexpr (is_cuda_half<To>) {
        return __float2half(float(value));
    } else if constexpr (is_float<From> && !is_float<To> && sizeof(To) == 8) {
        return value >= From(-0x1p63) && value < From(0x1p63) ? To(value) : To(INT64_MIN);
    } else if constexpr (is_float<From> && !is_float<To>) {
        return To(value > From(-0x1p31) - 1 && value < From(0x1p31) ? int32_t(value) : INT32_MIN);
    } else {
        return To(value);
    }
}

}  // namespace th
