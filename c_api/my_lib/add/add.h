// c_api/my_lib/add/add.h: the arithmetic of add; its arguments are those of every operator with two inputs.
#pragma once

#include "elementwise/binary.h"
#include "runtime/device_function.h"

namespace my_lib {
namespace math {

template <typename T> MY_LIB_MATH T add(T a, T b) { return a + b; }

}  // namespace math
}  // namespace my_lib
