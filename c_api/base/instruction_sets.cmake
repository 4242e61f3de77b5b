# c_api/base/instruction_sets.cmake: what each kernel is compiled for; base/isa.h chooses at run time.
#
# `low_precision_instruction_sets` are for kernels of 16-bit elements alone. flags_<name> are the compiler's options.
if(TORCHTHAW_FUZZ)  # arguments and files are read the same way by each; vector code takes clang minutes
    set(instruction_sets portable)
    set(low_precision_instruction_sets "")
    add_compile_definitions(BASE_PORTABLE_ALONE)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(instruction_sets portable)
    set(low_precision_instruction_sets "")
else()
    set(instruction_sets portable avx2 avx512)
    set(low_precision_instruction_sets avx512_bf16 amx_bf16)
endif()
set(flags_portable "")
set(flags_avx2 -mavx2 -mfma -mf16c)
set(flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl ${flags_avx2})
set(flags_avx512_bf16 -mavx512bf16 ${flags_avx512})
set(flags_amx_bf16 -mamx-tile -mamx-bf16 ${flags_avx512_bf16})
