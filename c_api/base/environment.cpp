// c_api/base/environment.cpp: reads environment variables, and says what is wrong with their values.
#include "base/environment.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace base {

int find_word(const char *variable, const char *const *words, int count) {
    const char *value = std::getenv(variable);
    if (!value || !*value) return no_word;
    for (int i = 0; i < count; ++i)
        if (std::strcmp(value, words[i]) == 0) return i;
    return unknown_word;
}

void explain_words(char *text, size_t size, const char *variable, const char *const *words, int count,
                   const char *of_which) {
    assert(size > 0 && count > 0);
    const char *value = std::getenv(variable);
    size_t used = 0;
    const auto add = [&](const char *format, const char *between, const char *word) {
        const int more = std::snprintf(text + used, size - used, format, between, word);
        used = std::min(used + static_cast<size_t>(std::max(more, 0)), size - 1);
    };
    add("%s%s", variable, ": expected ");
    for (int i = 0; i < count; ++i) add("%s%s", i == 0 ? "" : i + 1 == count ? " or " : ", ", words[i]);
    add("%s, got '%s'", of_which, value ? value : "");
}

}  // namespace base
