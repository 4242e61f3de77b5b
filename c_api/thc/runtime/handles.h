// c_api/thc/runtime/handles.h: cuBLAS and cuSPARSE, loaded when first needed, and their handles.
#pragma once

namespace th {

// The calling thread's current handle for the current device, on its current stream. An Error where the library is
// missing.
void *blas_handle();

// A function of cuBLAS by its name. An Error where there is none.
void *cublas_function(const char *name);

// An Error "cublas runtime error : <text>" unless status is 0.
void check_cublas(int status, const char *file, int line);

// What a status means.
const char *cublas_text(int status);
const char *cusparse_text(int status);

}  // namespace th

#define CUBLAS_CHECK(call) ::th::check_cublas(call, __FILE__, __LINE__)
