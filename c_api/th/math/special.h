// c_api/th/math/special.h: special functions of one number.
#pragma once

namespace th {

template <typename T> T digamma(T x);
template <typename T> T trigamma(T x);
template <typename T> T erfinv(T y);

}  // namespace th
