# cmake/compile.cmake: language standards, warnings and sanitizers, the same for every target.
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# CMake leaves out folders that the compiler names itself. CPATH counts as the compiler, and is another one tomorrow.
foreach(language C CXX)
    list(REMOVE_ITEM CMAKE_${language}_IMPLICIT_INCLUDE_DIRECTORIES
        ${PROJECT_SOURCE_DIR}/c_api ${PROJECT_SOURCE_DIR}/c_api/include ${PROJECT_SOURCE_DIR}/c_api/include/torchthaw)
endforeach()

# Tests and users' programs read build/lib while it is built again.
foreach(language C CXX CUDA)
    set(CMAKE_${language}_LINKER_LAUNCHER sh ${CMAKE_CURRENT_LIST_DIR}/link_whole)
endforeach()

add_compile_options(-Wall -Wextra)
include(${CMAKE_CURRENT_LIST_DIR}/sanitize.cmake)
if(TORCHTHAW_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)  # the libraries tell libFuzzer which branches ran
endif()
