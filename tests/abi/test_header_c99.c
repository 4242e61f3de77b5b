/* tests/abi/test_header_c99.c: the public headers, and nothing before them, in strict C99. */
#include "my_lib_cuda.h"
#include "my_lib.h"
#include "my_lib_cuda.h"

int main(void) {
    const int64_t shape[] = {2};
    float input[] = {1, 2}, output[2];
    enum my_lib_error none = MY_LIB_SUCCESS;
    if (sizeof none != sizeof(int)) return 1;
    if (my_lib_abi_version() != MY_LIB_VERSION_MAJOR) return 2;
    if (!my_lib_add_forward(input, shape, 1, input, shape, 1, output)) return 3;
    return output[1] == 4 ? 0 : 4;
}
