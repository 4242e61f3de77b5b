# c_api/th/sources.cmake: the sources of libth, by family.
set(folder ${CMAKE_CURRENT_LIST_DIR})
set(th_sources
    index/elements index/lines index/masks index/slices index/sort
    io/disk_file io/file io/memory_file
    linear_algebra/blas linear_algebra/blas_library linear_algebra/helpers linear_algebra/lapack linear_algebra/linear
    linear_algebra/linear_algebra
    math/conv math/histogram math/math math/pointwise math/reduce math/scalars math/special
    random/random random/random_tensor
    runtime/atomic runtime/compat runtime/errors runtime/isa runtime/loop runtime/memory runtime/threads
    tensor/aliasing tensor/allocators tensor/apply tensor/copy tensor/create tensor/half tensor/sizes
    tensor/storage tensor/tensor)
# Compiled once per instruction set.
set(th_kernels math/math_kernels math/pointwise_kernels math/reduce_kernels tensor/copy_kernels)
# Compiled once and part of libth and libthc: geometry touches no element. Storages are each library's own.
set(th_geometry_sources runtime/raise tensor/geometry tensor/shapes)
foreach(list IN ITEMS th_sources th_kernels th_geometry_sources)
    list(TRANSFORM ${list} REPLACE "(.+)" "${folder}/\\1.cpp")
endforeach()
