// c_api/th/blas_library.h: the BLAS and LAPACK library, loaded when a function of it is first needed.
#pragma once

namespace th {

// The Fortran routine of this name ("sgemm"), or NULL where no library has it.
void *blas_routine(const char *name);

// Lets the library use as many threads as this one may use now. Call it before work worth more than one.
void share_threads_with_blas();

}  // namespace th
