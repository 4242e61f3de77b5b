// portable/core/error.h: exceptions, and the macros that check conditions.
#pragma once
#include "base.h"

namespace torchthaw {

/// A value to print, borrowed: one function makes the texts of all calls.
class Piece {
  public:
    Piece(const char *text) : value_(text), print_([](std::ostream &to, const void *text) { to << static_cast<const char *>(text); }) {}
    template <class T>
    Piece(const T &value) : value_(std::addressof(value)), print_([](std::ostream &to, const void *value) { to << *static_cast<const T *>(value); }) {}
    void print(std::ostream &to) const { print_(to, value_); }

  private:
    const void *value_;
    void (*print_)(std::ostream &, const void *);
};

std::string joined(std::initializer_list<Piece> pieces);

}  // namespace torchthaw

namespace c10 {

/// The arguments as one text, each as operator<< writes it.
template <class... Arguments>
std::string str(const Arguments &...arguments) {
    return torchthaw::joined({arguments...});
}

struct SourceLocation {
    const char *function;
    const char *file;
    uint32_t line;
};

// PyTorch's c10::Error is another type: a handler in PyTorch would match one of the same name, and read its layout wrongly.
inline namespace torchthaw_1 {

/// RuntimeError in Python; the types below become the exceptions of their names.
class Error : public std::exception {
  public:
    explicit Error(std::string message) : message_(std::move(message)) {}
    Error(SourceLocation, std::string message) : message_(std::move(message)) {}
    const char *what() const noexcept override { return message_.c_str(); }
    const char *what_without_backtrace() const noexcept { return message_.c_str(); }
    const std::string &msg() const { return message_; }

  private:
    std::string message_;
};

class IndexError : public Error {
    using Error::Error;
};
class ValueError : public Error {
    using Error::Error;
};
class TypeError : public Error {
    using Error::Error;
};
class NotImplementedError : public Error {
    using Error::Error;
};
class LinAlgError : public Error {
    using Error::Error;
};

}  // namespace torchthaw_1
}  // namespace c10

namespace torchthaw {

/// Throws c10::Error. Not inline, so that checks cost their callers little.
[[noreturn]] void fail(const std::string &message);

/// Python's warnings.warn(message), by way of PyTorch where that is possible; category: of Python's builtins.
void warn(const std::string &message, const char *category = "UserWarning");

/// "Expected CONDITION to be true, but got false." where there is nothing to say.
std::string check_text(const char *condition, std::initializer_list<Piece> pieces);

template <class Error>
[[noreturn]] C10_NOINLINE void fail_check(const char *condition, std::initializer_list<Piece> pieces) {
    throw Error(check_text(condition, pieces));
}

}  // namespace torchthaw

// As PyTorch's, a statement that is whole without a semicolon: projects forget it.
#define TORCHTHAW_CHECK(type, condition, ...)                                                                          \
    if (C10_UNLIKELY(!(condition))) {                                                                                  \
        ::torchthaw::fail_check<type>(#condition, {__VA_ARGS__});                                                      \
    }

#define TORCH_CHECK(condition, ...) TORCHTHAW_CHECK(::c10::Error, condition, ##__VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) TORCHTHAW_CHECK(::c10::IndexError, condition, ##__VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) TORCHTHAW_CHECK(::c10::ValueError, condition, ##__VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) TORCHTHAW_CHECK(::c10::TypeError, condition, ##__VA_ARGS__)
#define TORCH_CHECK_LINALG(condition, ...) TORCHTHAW_CHECK(::c10::LinAlgError, condition, ##__VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...)                                                                    \
    TORCHTHAW_CHECK(::c10::NotImplementedError, condition, ##__VA_ARGS__)
#define TORCH_CHECK_WITH(error, condition, ...) TORCHTHAW_CHECK(::c10::error, condition, ##__VA_ARGS__)
#define TORCH_CHECK_ARG(condition, number, ...)                                                                        \
    TORCH_CHECK(condition, "invalid argument ", number, ": ", ##__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(condition, ...)                                                                          \
    TORCH_CHECK(condition, #condition " INTERNAL ASSERT FAILED at \"", __FILE__, "\":", __LINE__, ". ", ##__VA_ARGS__)
#ifdef NDEBUG
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) static_cast<void>(0)
#define TORCH_DCHECK(...) static_cast<void>(0)
#else
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#define TORCH_DCHECK(...) TORCH_CHECK(__VA_ARGS__)
#endif

// Of other years.
#define AT_CHECK(...) TORCH_CHECK(__VA_ARGS__)
#define AT_ASSERT(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition, ##__VA_ARGS__)
#define AT_INDEX_ERROR(...) throw ::c10::IndexError(::c10::str(__VA_ARGS__))
#define AT_ERROR(...) ::torchthaw::fail(::c10::str(__VA_ARGS__))

#define TORCH_WARN(...) ::torchthaw::warn(::c10::str(__VA_ARGS__))
#define TORCH_WARN_DEPRECATION(...) ::torchthaw::warn(::c10::str(__VA_ARGS__), "DeprecationWarning")
#define TORCH_WARN_ONCE(...)                                                                                           \
    do {                                                                                                               \
        static std::once_flag once_;                                                                                   \
        std::call_once(once_, [&] { TORCH_WARN(__VA_ARGS__); });                                                       \
    } while (false)
#define AT_WARN(...) TORCH_WARN(__VA_ARGS__)
