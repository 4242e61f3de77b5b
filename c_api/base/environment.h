// c_api/base/environment.h: environment variables whose value is one of a few words. Empty is the same as not set.
#pragma once

#include <cstddef>

namespace base {

// What find_word() returns for a value that is none of the words.
constexpr int no_word = -1, unknown_word = -2;

// The index of the word that the variable has as its value; no_word where it has none.
int find_word(const char *variable, const char *const *words, int count);

// "<variable>: expected a, b or c<of_which>, got 'd'" in `text`, of `size` bytes.
void explain_words(char *text, size_t size, const char *variable, const char *const *words, int count,
                   const char *of_which);

}  // namespace base
