/* TH/THGeneral.h: what C++ extensions of PyTorch 0.4 to 1.10 took from TH: errors, memory, and macros of names.
 *
 * There is no THTensor here: tensors are ATen's (extensions built by torch.utils.ffi get TH's, from other headers).
 */
#ifndef TORCHTHAW_ATEN_TH_GENERAL_H
#define TORCHTHAW_ATEN_TH_GENERAL_H

#include <c10/util/Exception.h>

#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#define TH_EXTERNC extern "C"
#define TH_API TH_EXTERNC
#define TH_INLINE inline
#define TH_INDEX_BASE 0

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

#define TH_CONCAT_STRING_2(x, y) TH_CONCAT_STRING_2_EXPAND(x, y)
#define TH_CONCAT_STRING_2_EXPAND(x, y) #x #y
#define TH_CONCAT_2_EXPAND(x, y) x##y
#define TH_CONCAT_2(x, y) TH_CONCAT_2_EXPAND(x, y)
#define TH_CONCAT_3_EXPAND(x, y, z) x##y##z
#define TH_CONCAT_3(x, y, z) TH_CONCAT_3_EXPAND(x, y, z)
#define TH_CONCAT_4_EXPAND(x, y, z, w) x##y##z##w
#define TH_CONCAT_4(x, y, z, w) TH_CONCAT_4_EXPAND(x, y, z, w)

#define THMin(x, y) ((x) < (y) ? (x) : (y))
#define THMax(x, y) ((x) > (y) ? (x) : (y))

namespace torchthaw_aten {

/* The text that printf would print. */
__attribute__((format(printf, 1, 2))) inline std::string formatted(const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, format, arguments);
    va_end(arguments);
    std::string text(length < 0 ? 0 : length + 1, '\0');
    if (length >= 0) std::vsnprintf(&text[0], text.size(), format, again);
    va_end(again);
    if (!text.empty()) text.pop_back();
    return text;
}
inline std::string formatted() { return "invalid argument"; }

inline void *checked(void *memory, std::ptrdiff_t bytes) {
    TORCH_CHECK(memory != nullptr || bytes == 0, "$ Torch: not enough memory: you tried to allocate ", bytes, " bytes");
    return memory;
}

}  // namespace torchthaw_aten

/* c10::Error, which Python sees as RuntimeError. */
#define THError(...) TORCH_CHECK(false, torchthaw_aten::formatted(__VA_ARGS__))
#define THArgCheck(condition, argument, ...)                                                                           \
    TORCH_CHECK(condition, "invalid argument ", argument, ": ", torchthaw_aten::formatted(__VA_ARGS__))
#define THAssert(expression) TORCH_CHECK(expression, "Assertion `" #expression "' failed.")
#define THAssertMsg(expression, ...) TORCH_CHECK(expression, torchthaw_aten::formatted(__VA_ARGS__))

inline void *THAlloc(std::ptrdiff_t bytes) {
    TORCH_CHECK(bytes >= 0, "$ Torch: invalid memory size -- maybe an overflow?");
    return torchthaw_aten::checked(bytes == 0 ? nullptr : std::malloc(bytes), bytes);
}
inline void THFree(void *memory) { std::free(memory); }
inline void *THRealloc(void *memory, std::ptrdiff_t bytes) {
    TORCH_CHECK(bytes >= 0, "$ Torch: invalid memory size -- maybe an overflow?");
    if (bytes == 0) {
        THFree(memory);
        return nullptr;
    }
    return torchthaw_aten::checked(std::realloc(memory, bytes), bytes);
}

#endif
