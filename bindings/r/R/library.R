# bindings/r/R/library.R: the library: version, threads. The manual is man/library.Rd.

version <- function() .Call(C_version)

build_info <- function() .Call(C_build_info)

set_num_threads <- function(count) invisible(.Call(C_set_num_threads, count))

num_threads <- function() .Call(C_num_threads)
