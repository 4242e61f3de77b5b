# c_api/my_lib/sources.cmake: the sources of libmy_lib and libmy_lib_cuda. An operator is a folder and, in it, a kernel
# of the same name for the CPU (.cpp) and one for the GPU (.cu).
set(folder ${CMAKE_CURRENT_LIST_DIR})
set(elementwise_operators add scale_add mul_constant cube)
set(low_precision_operators linear lltm lltm_sequence)
set(operators ${elementwise_operators} batch_norm2d ${low_precision_operators})

list(TRANSFORM operators REPLACE "(.+)" "${folder}/\\1/\\1.cpp" OUTPUT_VARIABLE my_lib_kernels)
list(TRANSFORM elementwise_operators REPLACE "(.+)" "${folder}/\\1/\\1.cpp" OUTPUT_VARIABLE my_lib_elementwise_kernels)
list(TRANSFORM low_precision_operators REPLACE "(.+)" "${folder}/\\1/\\1.cpp"
    OUTPUT_VARIABLE my_lib_low_precision_kernels)
list(TRANSFORM operators REPLACE "(.+)" "${folder}/\\1/\\1.cu" OUTPUT_VARIABLE my_lib_cuda_kernels)
list(TRANSFORM elementwise_operators REPLACE "(.+)" "${folder}/\\1/\\1.cu"
    OUTPUT_VARIABLE my_lib_cuda_elementwise_kernels)

set(missing)
foreach(kernel ${my_lib_kernels} ${my_lib_cuda_kernels})
    if(NOT EXISTS ${kernel})
        list(APPEND missing ${kernel})
    endif()
endforeach()
if(missing)
    string(REPLACE ";" "\n  " missing "${missing}")
    message(FATAL_ERROR "operators: expected a kernel for the CPU and one for the GPU of each, without these files:\n"
        "  ${missing}\ndocs/write-an-operator.md lists the files of an operator.")
endif()

set(my_lib_runtime
    ${folder}/runtime/arguments.cpp ${folder}/runtime/errors.cpp ${folder}/runtime/isa.cpp
    ${folder}/runtime/threads.cpp ${folder}/runtime/version.cpp)
set(my_lib_cuda_runtime
    ${folder}/runtime/arguments.cpp ${folder}/runtime/device.cu ${folder}/runtime/errors.cu
    ${folder}/gemm/cublas.cu ${folder}/gemm/products.cu)
