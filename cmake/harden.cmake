# cmake/harden.cmake: libraries whose memory errors are hard to misuse, in every build but the sanitizers'.
#
# Of each library the loader fills in all addresses when it loads it, then protects them (RELRO, BIND_NOW); no stack is
# executable, and code stays as it is on disk. The checks of buffers are for what is not called every few nanoseconds:
# torchthaw_fortified has those of the C library's functions, torchthaw_hardened also the compiler's of the stack.
add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack LINKER:-z,text)

set(torchthaw_fortified "")
set(torchthaw_hardened "")
if(NOT TORCHTHAW_SANITIZE)
    # Without optimization, glibc warns.
    set(torchthaw_fortified
        "$<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
    # The same for the host's code in CUDA sources.
    set(cuda_fortified
        "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-Xcompiler=-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=2,-fstack-protector-strong>")
    set(torchthaw_hardened ${torchthaw_fortified} $<$<COMPILE_LANGUAGE:C,CXX>:-fstack-protector-strong> ${cuda_fortified})
endif()
