// c_api/th/linear_algebra/lapack.cpp: the LAPACK functions.
#include "th/linear_algebra/lapack.h"

#include "th/runtime/export.h"

extern "C" {
#define TH_GENERIC_FILE "th/linear_algebra/lapack_exports.h"
#include <TH/THGenerateFloatTypes.h>
}
