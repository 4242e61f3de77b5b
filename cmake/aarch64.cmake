# cmake/aarch64.cmake: toolchain file that cross-compiles with Debian's g++-aarch64-linux-gnu and tests with qemu-user,
# whose program is called qemu-aarch64-static in the package qemu-user-static.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
find_program(torchthaw_qemu_aarch64 NAMES qemu-aarch64 qemu-aarch64-static)
if(NOT torchthaw_qemu_aarch64)
    set(torchthaw_qemu_aarch64 qemu-aarch64)
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR ${torchthaw_qemu_aarch64} -L /usr/aarch64-linux-gnu)
