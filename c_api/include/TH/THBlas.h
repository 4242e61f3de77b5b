/* TH/THBlas.h: the BLAS, for every type; float and double by a BLAS library where one is found. */
#ifndef TH_BLAS_INC
#define TH_BLAS_INC

#include "THGeneral.h"

#define THBlas_(NAME) TH_CONCAT_4(TH, Real, Blas_, NAME)

#include "generic/THBlas.h"
#include "THGenerateAllTypes.h"

/* Uses this BLAS and LAPACK library. Returns 1; 0 where it cannot be loaded or one is in use already. */
TH_API int thaw_load_blas(const char *path);

#endif
