// c_api/th/tensor/convert.h: one element of a type as another type.
#pragma once

#include "th/tensor/half.h"
#include "th/tensor/types.h"

namespace th {

// As a C cast, defined for every value: integers wrap; a float is cut off and taken as an int64_t (for an int64_t), or
// as an int32_t whose low bits are kept; INT64_MIN and INT32_MIN stand for what does not fit those.
template <typename To, typename From> static inline To convert(From value) {
    if constexpr (std::is_same<To, From>::value) {
        return value;
    } else if constexpr (is_half<From>) {
        return convert<To>(to_float(value));
    } else if constexpr (is_half<To>) {
        return to_half(static_cast<float>(value));
    } else if constexpr (is_floating<From> && !is_floating<To>) {
        if constexpr (sizeof(To) == 8) {
            return value >= From(-0x1p63) && value < From(0x1p63) ? static_cast<To>(value) : INT64_MIN;
        } else {
            return static_cast<To>(value > From(-0x1p31) - 1 && value < From(0x1p31) ? static_cast<int32_t>(value)
                                                                                     : INT32_MIN);
        }
    } else {
        return static_cast<To>(value);
    }
}

}  // namespace th
