/* check.h: the arrays of a call, compared with what an annotated header says about them. Needs no Python. */
#pragma once

#include "bridge/bridge.h"
#include "failure.h"

#include <cstdint>

namespace bridge {

enum {
    MAX_CHECKED = 64, /* parameters of an annotated function, which thaw_parameter.aliases has a bit for each of */
    CHECKED_FLAGS = THAW_CHECKED | THAW_SCRATCH /* either: the array is compared with the others */
};

/* Whether an array is written, and what it held before does not matter. */
inline bool is_output(const thaw_parameter &parameter) {
    return (parameter.flags & (THAW_WRITTEN | THAW_READ_TOO | THAW_SCRATCH)) == THAW_WRITTEN;
}

/* An array as far as it is known. It has no elements where it begins and ends at NULL. */
struct Array {
    /* Values of `dimensions` that are no number of sizes: only `count` is known; nothing but where it begins; NULL. */
    enum { COUNTED = -1, UNKNOWN = -2, NOTHING = -3 };

    int parameter; /* its index */
    int dimensions;
    const int64_t *size;
    int64_t count;
    const char *begin, *end; /* in memory */
};

/* Whether shapes, element counts, NULL and overlap of a call's arrays are what the function's header says, by the
 * integers in the frame. The workspace is compared with the others, but not with its size. */
bool check_arrays(const thaw_callable *function, const void *frame, const Array *arrays, int count, Failure *failure);

/* Whether the workspace (NULL: none is known) has as many bytes as the frame says, and these are the `needed` ones. */
bool check_workspace(const thaw_callable *function, const void *frame, const Array *workspace, size_t needed,
                     Failure *failure);

}  // namespace bridge
