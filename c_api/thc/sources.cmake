# c_api/thc/sources.cmake: the sources of libthc, by family.
set(folder ${CMAKE_CURRENT_LIST_DIR})
set(thc_sources
    math/blas.cpp math/elementwise.cu math/linear.cpp math/math.cpp math/random.cpp math/reduce.cu math/scatter.cu
    memory/device_memory.cpp memory/host_memory.cpp memory/memory.cpp memory/scratch.cpp memory/transfer.cpp
    runtime/device.cpp runtime/errors.cpp runtime/handles.cpp
    streams/sleep.cu streams/streams.cpp
    tensor/copy.cpp tensor/half.cpp tensor/storage.cpp tensor/tensor.cpp)
list(TRANSFORM thc_sources PREPEND ${folder}/)
