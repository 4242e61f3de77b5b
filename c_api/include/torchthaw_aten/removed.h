/* removed.h: names of the C++ interface of PyTorch 0.4 to 1.10 that PyTorch no longer has, by what replaced them.
 *
 * Builds of torch.utils.cpp_extension include it before a source. Of PyTorch it includes its version alone, and it
 * defines nothing that the linker sees: a source that uses none of these names compiles to the same object code.
 */
#ifndef TORCHTHAW_ATEN_REMOVED_H
#define TORCHTHAW_ATEN_REMOVED_H

#ifdef __cplusplus
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <stdexcept>

/* Until 1.2, renamed. */
#ifndef AT_CHECK
#define AT_CHECK TORCH_CHECK
#endif
#ifndef AT_WARN
#define AT_WARN TORCH_WARN
#endif

#if !defined(TORCH_STABLE_ONLY) && !defined(TORCH_TARGET_VERSION) && __has_include(<torch/version.h>)
#include <torch/version.h>
#endif

/* Until 2.5; today it takes the additional type as an argument. */
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR > 5
#define AT_DISPATCH_ALL_TYPES_AND_HALF(TYPE, NAME, ...)                                                                \
    AT_DISPATCH_ALL_TYPES_AND(at::ScalarType::Half, TYPE, NAME, __VA_ARGS__)
#endif

/* Visibility of symbols, until 1.8. */
#ifndef CAFFE2_API
#define CAFFE2_API TORCH_API
#endif

namespace c10 {
enum class ScalarType : std::int8_t;
}  // namespace c10
namespace at {
class DeprecatedTypeProperties;
}  // namespace at

/* AT_DISPATCH_...(tensor.type(), ...) until 1.7. A template, as some 2.x have a function of this signature, which the
 * compiler prefers; its body is compiled where it is used, when the class is complete. */
namespace detail {
template <typename T> struct thaw_if_type;
template <> struct thaw_if_type<at::DeprecatedTypeProperties> {
    using type = c10::ScalarType;
};
template <typename T> typename thaw_if_type<T>::type scalar_type(const T &type) { return type.scalarType(); }
}  // namespace detail

/* A case of a macro like AT_DISPATCH_..., until 1.9; from 1.10 to 1.12 a name came first. */
#ifndef AT_PRIVATE_CASE_TYPE
#define AT_PRIVATE_CASE_TYPE(TYPE, CPP_TYPE, ...)                                                                      \
    case TYPE: {                                                                                                       \
        using scalar_t = CPP_TYPE;                                                                                     \
        return __VA_ARGS__();                                                                                          \
    }
#endif

/* CHECK_EQ(a, b) << "why" and the like, until 1.12 in c10/util/Logging.h. They are functions: a macro of the project or
 * of glog takes their place, and `#ifndef CHECK_EQ` is as true as without this header. A failed one is a RuntimeError in
 * Python. Stream: complete where PyTorch's headers are included. */
namespace torchthaw_removed {
template <typename Stream> class Check {
public:
    template <typename A, typename B>
    Check(bool holds, const char *file, int line, const char *name, const A &a, const B &b) {
        if (holds) return;
        message = new Stream;
        *message << file << ":" << line << ": " << name << ": " << a << " vs. " << b << ". ";
    }
    Check(const Check &) = delete;
    ~Check() noexcept(false) {
        if (message == nullptr) return;
        const std::runtime_error error(message->str());
        delete message;
        throw error;
    }
    template <typename T> Check &operator<<(const T &value) {
        if (message != nullptr) *message << value;
        return *this;
    }
    Check &operator<<(std::ostream &(*)(std::ostream &)) { return *this; } /* std::endl */

private:
    Stream *message = nullptr;
};

#ifdef NDEBUG
constexpr bool debug = false;
#else
constexpr bool debug = true;
#endif

#define TORCHTHAW_CHECK(NAME, OPERATOR, CHECKED)                                                                       \
    template <typename A, typename B, typename Stream = std::ostringstream>                                            \
    Check<Stream> NAME(const A &a, const B &b, const char *file = __builtin_FILE(), int line = __builtin_LINE()) {     \
        return {!(CHECKED) || a OPERATOR b, file, line, #NAME, a, b};                                                  \
    }
#define TORCHTHAW_CHECKS(SUFFIX, OPERATOR)                                                                             \
    TORCHTHAW_CHECK(CHECK_##SUFFIX, OPERATOR, true)                                                                    \
    TORCHTHAW_CHECK(DCHECK_##SUFFIX, OPERATOR, debug)
TORCHTHAW_CHECKS(EQ, ==)
TORCHTHAW_CHECKS(NE, !=)
TORCHTHAW_CHECKS(LE, <=)
TORCHTHAW_CHECKS(LT, <)
TORCHTHAW_CHECKS(GE, >=)
TORCHTHAW_CHECKS(GT, >)
#undef TORCHTHAW_CHECKS
#undef TORCHTHAW_CHECK

template <typename Pointer> Pointer &&CHECK_NOTNULL(Pointer &&pointer) {
    if (pointer == nullptr) throw std::runtime_error("CHECK_NOTNULL: expected a pointer, got nullptr");
    return static_cast<Pointer &&>(pointer);
}
}  // namespace torchthaw_removed
using namespace torchthaw_removed;

#endif /* __cplusplus */
#endif
