// c_api/my_lib/elementwise/arithmetic.h: the elementwise operators. No operation may be fused with another.
#pragma once

#include "runtime/device_function.h"

namespace my_lib {
namespace math {

template <typename T> MY_LIB_MATH T add(T a, T b) { return a + b; }
template <typename T> MY_LIB_MATH T scale_add(T a, T b) { return T(2) * a + b; }
template <typename T> MY_LIB_MATH T cube(T x) { return x * x * x; }
template <typename T> MY_LIB_MATH T cube_derivative(T x) { return T(3) * x * x; }
template <typename T> MY_LIB_MATH T cube_second_derivative(T x) { return T(6) * x; }

}  // namespace math
}  // namespace my_lib
