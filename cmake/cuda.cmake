# cmake/cuda.cmake: finds nvcc, which is optional: without it everything but the CUDA libraries is built.
#
# torchthaw_cuda says whether there is one. CMAKE_CUDA_ARCHITECTURES, or CUDAARCHS in the environment, chooses what is
# compiled: by default the cards of this machine, else the oldest that the toolkit builds, each with PTX that newer cards
# translate for themselves.
set(torchthaw_cuda OFF)
if(TORCHTHAW_CUDA AND NOT TORCHTHAW_SANITIZE)
    # check_language() looks at CUDACXX and PATH; toolkits often lie elsewhere.
    find_program(torchthaw_nvcc nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin
        DOC "NVIDIA's compiler; CUDACXX, PATH, CUDA_HOME and CUDA_PATH say where to look")
    if(torchthaw_nvcc AND "$ENV{CUDACXX}" STREQUAL "")
        set(ENV{CUDACXX} "${torchthaw_nvcc}")
    endif()
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND "$ENV{CUDAARCHS}" STREQUAL "")
            find_program(torchthaw_nvidia_smi nvidia-smi)
            set(cards "")
            if(torchthaw_nvidia_smi)
                execute_process(COMMAND ${torchthaw_nvidia_smi} --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE cards ERROR_QUIET)
            endif()
            string(REGEX MATCHALL "[0-9]+\\.[0-9]+" cards "${cards}")
            list(TRANSFORM cards REPLACE "\\." "")
            list(REMOVE_DUPLICATES cards)
            if(NOT cards)
                set(cards 75)
            endif()
            set(CMAKE_CUDA_ARCHITECTURES "${cards}" CACHE STRING "what the CUDA code is compiled for")
        endif()
        set(CMAKE_CUDA_STANDARD 17)
        set(CMAKE_CUDA_STANDARD_REQUIRED ON)
        set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
        enable_language(CUDA)
        find_package(CUDAToolkit REQUIRED)
        set(torchthaw_cuda ON)
    else()
        unset(CMAKE_CUDA_COMPILER CACHE)  # the next configuration looks again
        message(NOTICE "No nvcc was found: the CUDA libraries are left out.")
    endif()
endif()
