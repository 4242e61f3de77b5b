// portable/checks.h: checkSameType and its kin, which name an argument and the function that checks it.
#pragma once
#include "tensor.h"

/// THC's state, of which nothing is left.
struct THCState;

namespace at {

using CheckedFrom = const char *;

/// A tensor, its name, and its number among the arguments.
struct TensorArg {
    const Tensor &tensor;
    const char *name;
    int pos;
    TensorArg(const Tensor &tensor, const char *name, int pos) : tensor(tensor), name(name), pos(pos) {}
    TensorArg(Tensor &&, const char *, int) = delete;
    const Tensor *operator->() const { return &tensor; }
    const Tensor &operator*() const { return tensor; }
};
using TensorGeometryArg = TensorArg;
inline std::ostream &operator<<(std::ostream &out, const TensorArg &argument) {
    return argument.pos ? out << "argument #" << argument.pos << " '" << argument.name << "'"
                        : out << "'" << argument.name << "'";
}

enum class Backend { CPU, CUDA, HIP, SparseCPU, SparseCUDA, Undefined };

// Each throws c10::Error with what was expected, and what the argument is.
void checkDefined(CheckedFrom from, const TensorArg &argument);
void checkAllDefined(CheckedFrom from, ArrayRef<TensorArg> arguments);
void checkDim(CheckedFrom from, const TensorArg &argument, int64_t dim);
void checkDimRange(CheckedFrom from, const TensorArg &argument, int64_t first, int64_t end);
void checkContiguous(CheckedFrom from, const TensorArg &argument);
void checkAllContiguous(CheckedFrom from, ArrayRef<TensorArg> arguments);
void checkSize(CheckedFrom from, const TensorArg &argument, IntArrayRef sizes);
void checkSize(CheckedFrom from, const TensorArg &argument, int64_t dimension, int64_t size);
void checkNumel(CheckedFrom from, const TensorArg &argument, int64_t numel);
void checkScalarType(CheckedFrom from, const TensorArg &argument, ScalarType type);
void checkScalarTypes(CheckedFrom from, const TensorArg &argument, ArrayRef<ScalarType> types);
void checkSameType(CheckedFrom from, const TensorArg &a, const TensorArg &b);
void checkSameSize(CheckedFrom from, const TensorArg &a, const TensorArg &b);
void checkSameDim(CheckedFrom from, const TensorArg &a, const TensorArg &b);
void checkSameNumel(CheckedFrom from, const TensorArg &a, const TensorArg &b);
void checkSameGPU(CheckedFrom from, const TensorArg &a, const TensorArg &b);
void checkBackend(CheckedFrom from, const Tensor &tensor, Backend backend);
void checkBackend(CheckedFrom from, ArrayRef<Tensor> tensors, Backend backend);
void checkDeviceType(CheckedFrom from, ArrayRef<Tensor> tensors, DeviceType type);
void checkAllSameType(CheckedFrom from, ArrayRef<TensorArg> arguments);
void checkAllSameSize(CheckedFrom from, ArrayRef<TensorArg> arguments);
void checkAllSameNumel(CheckedFrom from, ArrayRef<TensorArg> arguments);
void checkAllSameGPU(CheckedFrom from, ArrayRef<TensorArg> arguments);

/// The type that sums of T are kept in.
template <class T, bool is_cuda>
struct AccumulateType {
    using type = std::conditional_t<
        std::is_same_v<T, float> && !is_cuda, double,
        std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float,
                           std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int64_t, T>>>;
};
template <class T, bool is_cuda>
using acc_type = typename AccumulateType<T, is_cuda>::type;

/// The type that T is computed in.
template <class T>
struct OpMathType {
    using type = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;
};
template <class T>
using opmath_type = typename OpMathType<T>::type;
inline ScalarType toOpMathType(ScalarType type) {
    const bool is_small = type == kHalf || type == kBFloat16 || type == kFloat8_e5m2 || type == kFloat8_e4m3fn ||
                          type == kFloat8_e5m2fnuz || type == kFloat8_e4m3fnuz;
    return type == kComplexHalf ? kComplexFloat : is_small ? kFloat : type;
}

/// A dimension from -n to n - 1 as one from 0; n is taken for 1 where it is 0.
int64_t maybe_wrap_dim(int64_t dimension, int64_t n);

/// What extensions ask PyTorch's context for.
struct Context {
    bool deterministicAlgorithms() const;
    bool hasCUDA() const;
    THCState *lazyInitCUDA() const { return nullptr; }
};
inline Context &globalContext() {
    static Context context;
    return context;
}
inline bool hasCUDA() { return globalContext().hasCUDA(); }

}  // namespace at

// As torch.cuda of Python has them.
namespace torch {
namespace cuda {
bool is_available();
size_t device_count();
/// Waits for the device, the current one for -1. c10::Error where there is no CUDA.
void synchronize(int64_t device = -1);
}  // namespace cuda
}  // namespace torch
