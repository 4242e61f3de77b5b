# cmake/clang.cmake: toolchain file that takes clang, which has libFuzzer: the one without a number, else the newest.
set(numbers "")
foreach(number RANGE 30 14 -1)
    list(APPEND numbers clang++-${number})
endforeach()
find_program(torchthaw_clang NAMES clang++ ${numbers} NAMES_PER_DIR)
if(NOT torchthaw_clang)
    message(FATAL_ERROR "expected clang++, or clang++-14 to clang++-30, on PATH for libFuzzer, found none. "
                        "On Debian: apt-get install clang libclang-rt-dev (clang-14 and libclang-rt-14-dev on bookworm)")
endif()
set(CMAKE_CXX_COMPILER ${torchthaw_clang})
string(REPLACE clang++ clang CMAKE_C_COMPILER ${torchthaw_clang})
