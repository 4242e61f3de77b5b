// c_api/my_lib/scale_add/scale_add.h: the arithmetic of scale_add; its arguments are those of every operator with two
// inputs. No operation may be fused with another.
#pragma once

#include "elementwise/binary.h"
#include "runtime/device_function.h"

namespace my_lib {
namespace math {

template <typename T> MY_LIB_MATH T scale_add(T a, T b) { return T(2) * a + b; }

}  // namespace math
}  // namespace my_lib
