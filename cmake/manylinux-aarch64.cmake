# cmake/manylinux-aarch64.cmake: toolchain file of `make wheel` for aarch64, on any machine with the cross compiler.
include(${CMAKE_CURRENT_LIST_DIR}/aarch64.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/manylinux.cmake)
