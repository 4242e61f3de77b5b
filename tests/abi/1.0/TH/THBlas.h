/* TH/THBlas.h: the BLAS, for every type; float and double by a BLAS library where one is found. */
#ifndef TH_BLAS_INC
#define TH_BLAS_INC

#include "THGeneral.h"

#define THBlas_(NAME) TH_CONCAT_4(TH, Real, Blas_, NAME)

#include "generic/THBlas.h"
#include "THGenerateAllTypes.h"

/* Names the BLAS and LAPACK library to load when one is first needed. Returns 1; 0 when that has happened already. */
TH_API int thaw_set_blas(const char *path);

#endif
