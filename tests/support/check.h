// tests/support/check.h: what the C++ tests share: checks that count failures, guarded arrays, numbers to compute on.
#pragma once

#include "my_lib.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

inline int &failures() {
    static int count = 0;
    return count;
}

// Reports a condition that does not hold and goes on; main() ends with `return failures() != 0`.
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) report_failure(__FILE__, __LINE__, #condition, "");                                          \
    } while (0)

// The call failed with this code, and the message has each of these words.
#define CHECK_ERROR(call, code, ...)                                                                                   \
    do {                                                                                                               \
        const bool failed = (call) == 0;                                                                               \
        if (!failed || my_lib_last_error_code() != (code) || !has_words(my_lib_last_error_message(), {__VA_ARGS__}))   \
            report_failure(__FILE__, __LINE__, #call, failed ? my_lib_last_error_message() : "success");               \
    } while (0)

inline void report_failure(const char *file, int line, const char *condition, const char *got) {
    if (++failures() <= 20) std::fprintf(stderr, "%s:%d: failed: %s %s\n", file, line, condition, got);
}

// Each word is in the message, in any order and not as a part of a longer one: names, expected and given values.
inline bool has_words(const std::string &message, std::initializer_list<std::string> words) {
    const auto is_inside = [](char c) { return c == '_' || c == '-' || std::isalnum(static_cast<unsigned char>(c)); };
    const auto has = [&](const std::string &word) {
        for (size_t at = message.find(word); at != std::string::npos; at = message.find(word, at + 1)) {
            const size_t end = at + word.size();
            if ((at == 0 || !is_inside(word.front()) || !is_inside(message[at - 1])) &&
                (end == message.size() || !is_inside(word.back()) || !is_inside(message[end])))
                return true;
        }
        return false;
    };
    for (const std::string &word : words)
        if (word.empty() || !has(word)) return false;
    return words.size() != 0;
}

// FOR_TYPE(T, my_lib_add_forward): the function of that name for element type T.
template <typename T, typename Single, typename Double> auto for_type(Single *single, Double *twice) {
    if constexpr (std::is_same_v<T, float>) {
        return single;
    } else {
        return twice;
    }
}
#define FOR_TYPE(T, name) (for_type<T>(name, name##_f64))

// An array that ends where an unreadable page begins, and begins in a page that follows one: an access before or
// behind it crashes, or is found by intact(), which looks at the bytes between that first page and the array.
template <typename T> class guarded {
public:
    explicit guarded(size_t count) : count_(count) {
        const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        const size_t inner = (count * sizeof(T) + page - 1) / page * page;
        mapped_ = inner + 2 * page;
        base_ = static_cast<unsigned char *>(
            mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        std::memset(base_, fill, mapped_);
        mprotect(base_, page, PROT_NONE);
        mprotect(base_ + page + inner, page, PROT_NONE);
        first_ = base_ + page;
        data_ = reinterpret_cast<T *>(base_ + page + inner - count * sizeof(T));
    }
    explicit guarded(const std::vector<T> &values) : guarded(values.size()) {
        if (count_) std::memcpy(data_, values.data(), count_ * sizeof(T));
    }
    guarded(const guarded &) = delete;
    guarded &operator=(const guarded &) = delete;
    ~guarded() { munmap(base_, mapped_); }

    T *data() { return data_; }
    operator T *() { return data_; }
    size_t size() const { return count_; }
    std::vector<T> values() const { return std::vector<T>(data_, data_ + count_); }
    bool intact() const {
        for (const unsigned char *byte = first_; byte < reinterpret_cast<const unsigned char *>(data_); ++byte)
            if (*byte != fill) return false;
        return true;
    }

private:
    static constexpr unsigned char fill = 0xa5;
    size_t count_, mapped_;
    unsigned char *base_, *first_;
    T *data_;
};

// A page that may be neither read nor written: what is passed where nothing may be touched.
template <typename T> T *untouchable() {
    static void *const page = mmap(nullptr, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_NONE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return static_cast<T *>(page);
}

// Reproducible numbers in [-1, 1), times `scale`, plus `offset`.
template <typename T>
std::vector<T> random_values(size_t count, unsigned seed, double scale = 1, double offset = 0) {
    unsigned long long state = 6364136223846793005ULL * (seed + 1);
    std::vector<T> values(count);
    for (T &value : values) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        value = static_cast<T>((static_cast<double>(state >> 11) / 4503599627370496.0 - 1) * scale + offset);
    }
    return values;
}

template <typename T> bool same_bits(const std::vector<T> &a, const std::vector<T> &b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// |got - expected| <= tolerance, where NaN equals NaN and an infinity itself.
inline bool is_near(long double got, long double expected, long double tolerance) {
    if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
    if (std::isinf(got) || std::isinf(expected)) return got == expected;
    return std::fabs(got - expected) <= tolerance;
}
