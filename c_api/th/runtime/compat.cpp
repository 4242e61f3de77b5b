// c_api/th/runtime/compat.cpp: reads TH_COMPAT and TH_INDEX_BASE.
#include "th/runtime/compat.h"

#include "base/environment.h"
#include "th/runtime/errors.h"

namespace th {

// As base::find_word(). Error: a value that is none of the words.
template <int count> static int word_of(const char *variable, const char *const (&words)[count]) {
    const int found = base::find_word(variable, words, count);
    if (found != base::unknown_word) return found;
    char text[256];
    base::explain_words(text, sizeof text, variable, words, count, "");
    TH_ERROR("%s", text);
}

bool read_torch7() { return word_of("TH_COMPAT", {"0.3", "7"}) == 1; }

static int read_index_base() { return word_of("TH_INDEX_BASE", {"0", "1"}) == 1; }

int index_base() {
    static base::Once<int> chosen;
    return chosen.get(read_index_base);
}

}  // namespace th
