# cmake/manylinux.cmake: toolchain file of `make wheel`: libraries that load with an older glibc than the compiler's.
#
# TORCHTHAW_GLIBC_STUBS in the environment names the folder with the stand-ins of that glibc's libraries, which
# .ci/glibc_stubs.py makes. libstdc++ is linked in, because older systems have an older one. libgcc_s is not: one
# process must have one unwinder, or exceptions do not pass from one library to another.
if(NOT EXISTS "$ENV{TORCHTHAW_GLIBC_STUBS}/libc.so")
    message(FATAL_ERROR "TORCHTHAW_GLIBC_STUBS: expected a folder with libc.so, got '$ENV{TORCHTHAW_GLIBC_STUBS}'; "
                        "make wheel sets it.")
endif()
foreach(kind SHARED MODULE)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT "-L$ENV{TORCHTHAW_GLIBC_STUBS} -static-libstdc++ -shared-libgcc")
endforeach()
