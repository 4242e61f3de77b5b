// c_api/th/runtime/compat.cpp: reads TH_COMPAT and TH_INDEX_BASE.
#include "th/runtime/compat.h"

#include "th/runtime/errors.h"

#include <cstdlib>

namespace th {

bool read_torch7() {
    const char *value = getenv("TH_COMPAT");
    return value && !strcmp(value, "7");
}

static int read_index_base() {
    const char *value = getenv("TH_INDEX_BASE");
    if (!value || !*value || !strcmp(value, "0")) return 0;
    return strcmp(value, "1") ? -1 : 1;
}

int index_base() {
    static base::Once<int> chosen;
    const int base = chosen.get(read_index_base);
    TH_CHECK(base >= 0, "TH_INDEX_BASE: expected 0 or 1, got '%s'", getenv("TH_INDEX_BASE"));
    return base;
}

}  // namespace th
