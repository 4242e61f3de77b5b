// tests/abi/test_header_cpp.cpp: the public headers, and nothing before them, in strict C++11.
#include "my_lib_cuda.h"
#include "my_lib.h"
#include "my_lib_cuda.h"

int main() {
    const int64_t shape[] = {2};
    double input[] = {1, 2}, output[2];
    if (my_lib_abi_version() != MY_LIB_VERSION_MAJOR) return 1;
    if (!my_lib_add_forward_f64(input, shape, 1, input, shape, 1, output)) return 2;
    return output[1] == 4 ? 0 : 3;
}
