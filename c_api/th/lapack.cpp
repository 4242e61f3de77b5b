// c_api/th/lapack.cpp: the LAPACK functions.
#include "lapack.h"

#include "export.h"

extern "C" {
#define TH_GENERIC_FILE "lists/lapack.h"
#include <TH/THGenerateFloatTypes.h>
}
