// c_api/th/linear_algebra/blas_library.h: the BLAS and LAPACK library, loaded when a function of it is first needed.
#pragma once

namespace th {

// The Fortran routine of this name ("sgemm"), or NULL where no library has it.
void *blas_routine(const char *name);

// Threads that may call the library at a time for parts of one product: as many as num_threads() and the environment's
// OPENBLAS_NUM_THREADS allow; 1 where the library has threads of its own that cannot be switched off, which then follow
// their own settings.
int product_threads();

}  // namespace th
