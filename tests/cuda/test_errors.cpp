// tests/cuda/test_errors.cpp: what the device, its runtime and its products can refuse, with the recorder, which refuses
// on demand; and what the library may not do: touch another stream, or create anything while a graph is captured.
#include "device.h"

using recorder::machine;

static const int64_t five[] = {5};

static int add(device_array<float> &a, void *stream) {
    return my_lib_add_forward_cuda(a, five, 1, a, five, 1, a, stream);
}

static void test_no_gpu() {
    device_array<float> a(std::vector<float>(5, 1));
    const char *message = "CUDA: expected an NVIDIA GPU and its driver, got error 35 "
                          "(CUDA driver version is insufficient for CUDA runtime version)";
    machine.devices = 0;
    CHECK_ERROR(add(a, test_stream()), MY_LIB_ERROR_NO_GPU, message);
    CHECK_ERROR(my_lib_cuda_prepare(0), MY_LIB_ERROR_NO_GPU, message);
    machine.devices = 3;
    CHECK(a.values() == std::vector<float>(5, 1));
    CHECK(machine.enqueued == 0);
}

static void test_failing_launch() {
    device_array<float> a(std::vector<float>(5, 1));
    machine.next = cudaErrorInvalidValue;
    CHECK_ERROR(add(a, test_stream()), MY_LIB_ERROR_CUDA,
                "CUDA: expected to start a kernel, got error 1 (invalid argument)");
    machine.next = cudaErrorIllegalAddress;
    CHECK_ERROR(add(a, test_stream()), MY_LIB_ERROR_CUDA,
                "CUDA: expected to start a kernel, got error 700 (an illegal memory access was encountered); "
                "a kernel broke, perhaps an earlier one, and the process must restart");
    CHECK(add(a, test_stream()) && a.values() == std::vector<float>(5, 2));
}

template <typename Call> static void with_products(Call call) {
    device_array<float> x(6), y(4);
    device_array<char> work(my_lib_linear_forward_workspace_size_cuda(2, 3, 2));
    call([&](void *stream) {
        return my_lib_linear_forward_cuda(x, x, nullptr, 2, 3, 2, y, work, work.size(), stream);
    });
}

static void test_capture() {
    with_products([](auto multiply) {
        machine.capturing = true;
        CHECK_ERROR(multiply(test_stream()), MY_LIB_ERROR_NOT_PREPARED,
                    "stream: expected my_lib_cuda_prepare(0) before the capture of a graph began");
        CHECK(my_lib_cuda_prepare(0));
        CHECK(multiply(test_stream()));
        machine.current = 2; // each device has a handle of its own
        CHECK_ERROR(multiply(test_stream()), MY_LIB_ERROR_NOT_PREPARED,
                    "stream: expected my_lib_cuda_prepare(2) before the capture of a graph began");
        machine.capturing = false;
        CHECK(multiply(test_stream()));
        machine.capturing = true;
        CHECK(multiply(test_stream()));
        machine.capturing = false;
        machine.current = 0;
    });
}

static void test_prepare() {
    CHECK(my_lib_cuda_prepare(1) && machine.current == 0);
    CHECK_ERROR(my_lib_cuda_prepare(3), MY_LIB_ERROR_INVALID_VALUE, "device: expected at least 0 and below 3, got 3");
    CHECK_ERROR(my_lib_cuda_prepare(-1), MY_LIB_ERROR_INVALID_VALUE,
                "device: expected at least 0 and below 64, got -1");
}

static void test_products_follow_stream_and_switch() {
    with_products([](auto multiply) {
        machine.current = 2;
        cudaStream_t other;
        CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
        CHECK(multiply(test_stream()));
        machine.current = 1;
        CHECK(multiply(test_stream()) && machine.blas_stream == test_stream() && machine.blas_math_mode == 0);
        CHECK(multiply(other) && machine.blas_stream == other);
        CHECK(my_lib_cuda_allow_tf32(1) && multiply(test_stream()) && machine.blas_math_mode == 3);
        CHECK(my_lib_cuda_allow_tf32(0) && multiply(test_stream()) && machine.blas_math_mode == 0);
        CHECK_ERROR(my_lib_cuda_allow_tf32(2), MY_LIB_ERROR_INVALID_VALUE, "allow: expected 0 or 1, got 2");
        CHECK(cudaStreamDestroy(other) == cudaSuccess);
        machine.current = 0;
    });
}

int main() {
    test_no_gpu();
    test_failing_launch();
    test_capture();
    test_prepare();
    test_products_follow_stream_and_switch();
    return failures() != 0;
}
