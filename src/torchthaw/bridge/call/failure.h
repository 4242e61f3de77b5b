/* failure.h: why a call failed, in words, before Python or PyTorch is told. */
#pragma once

#include <string>
#include <string_view>
#include <utility>

struct thaw_callable;

namespace bridge {

struct Failure {
    enum Type { TYPE_ERROR, VALUE_ERROR, RUNTIME_ERROR, OVERFLOW_ERROR, MEMORY_ERROR };
    Type type = VALUE_ERROR;
    std::string text;

    /* False, for `return failure->set(…)`. */
    bool set(Type what, std::string why) {
        type = what;
        text = std::move(why);
        return false;
    }
};

/* What a function with a status says about the failure that it has just reported in this thread. Needs no GIL. */
Failure failure_of(const thaw_callable *function);

/* Sets the Python exception; the C++ code needs no memory for it. */
void raise(Failure::Type type, std::string_view text);
inline void raise(const Failure &failure) { raise(failure.type, failure.text); }

/* Sets that of failure_of(), or MemoryError. */
void raise_failure_of(const thaw_callable *function) noexcept;

}  // namespace bridge
