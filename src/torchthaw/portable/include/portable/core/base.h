// portable/core/base.h: what every header of this folder needs: PyTorch's types that have no library, and the namespaces.
//
// torch/headeronly is PyTorch's own and needs no library: element types, layouts, accessors, macros of compilers. A build
// takes it from the PyTorch at hand, which is 2.10 or later; the binary then runs with 2.4 and later.
#pragma once

#ifdef __CUDACC__
#include <cuda_bf16.h>  // first: some sources open a namespace before they include these
#include <cuda_fp16.h>
#endif

#include <torch/headeronly/core/DeviceType.h>
#include <torch/headeronly/core/Layout.h>
#include <torch/headeronly/core/MemoryFormat.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/core/TensorAccessor.h>
#include <torch/headeronly/macros/Macros.h>
#include <torch/headeronly/util/HeaderOnlyArrayRef.h>
#if __has_include(<torch/headeronly/version.h>)
#include <torch/headeronly/version.h>  // TORCH_VERSION_MAJOR and its kin: the PyTorch that the build uses
#endif

// Extensions use these without including them, since PyTorch's headers bring them.
#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cassert>
#include <chrono>
#include <climits>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <forward_list>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <sstream>
#include <stack>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
#include <version>

// Names that stand for PyTorch's: they must be the same for the linker, although all else of a binary is hidden.
#define TORCHTHAW_PUBLIC __attribute__((visibility("default")))
#define TORCHTHAW_WEAK __attribute__((weak, visibility("default")))

namespace c10 {
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;
using std::string_view;

// The types' names as numbers of bits or as C++ has them: kInt and kInt32 are one.
#define TORCHTHAW_DTYPES(_)                                                                                            \
    _(kByte, Byte) _(kChar, Char) _(kShort, Short) _(kInt, Int) _(kLong, Long) _(kHalf, Half) _(kFloat, Float)         \
    _(kDouble, Double) _(kComplexHalf, ComplexHalf) _(kComplexFloat, ComplexFloat) _(kComplexDouble, ComplexDouble)    \
    _(kBool, Bool) _(kBFloat16, BFloat16) _(kQInt8, QInt8) _(kQUInt8, QUInt8) _(kQInt32, QInt32)                       \
    _(kFloat8_e5m2, Float8_e5m2) _(kFloat8_e4m3fn, Float8_e4m3fn) _(kFloat8_e5m2fnuz, Float8_e5m2fnuz)                 \
    _(kFloat8_e4m3fnuz, Float8_e4m3fnuz) _(kUInt16, UInt16) _(kUInt32, UInt32) _(kUInt64, UInt64)
#define TORCHTHAW_CONSTANT(name, type) constexpr ScalarType name = ScalarType::type;
TORCHTHAW_DTYPES(TORCHTHAW_CONSTANT)
#undef TORCHTHAW_CONSTANT
}  // namespace c10

namespace at {
using namespace c10;
class TORCHTHAW_PUBLIC Tensor;
using TensorBase = Tensor;
namespace Reduction {
enum Reduction { None, Mean, Sum, END };
}
}  // namespace at

namespace torch {
using namespace at;
constexpr ScalarType kUInt8 = kByte, kInt8 = kChar, kInt16 = kShort, kInt32 = kInt, kInt64 = kLong;
constexpr ScalarType kU8 = kByte, kI8 = kChar, kI16 = kShort, kI32 = kInt, kI64 = kLong;
constexpr ScalarType kFloat16 = kHalf, kFloat32 = kFloat, kFloat64 = kDouble;
constexpr ScalarType kF16 = kHalf, kF32 = kFloat, kF64 = kDouble;
constexpr ScalarType kComplex32 = kComplexHalf, kComplex64 = kComplexFloat, kComplex128 = kComplexDouble;
using Dtype = ScalarType;
}  // namespace torch
