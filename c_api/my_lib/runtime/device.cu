// c_api/my_lib/runtime/device.cu: reads devices, and words the errors of the CUDA runtime.
#include "runtime/device.cuh"

namespace my_lib {
namespace {

// 0 is unknown. Threads that race write the same.
std::atomic<int> known_processors[known_devices];

// After these every call of the process fails, in every library.
bool is_final(cudaError_t status) {
    switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorECCUncorrectable: return true;
    default: return false;
    }
}

}  // namespace

bool succeeded(cudaError_t status, const char *what) {
    if (__builtin_expect(status == cudaSuccess, true)) return true;
    cudaGetLastError();  // takes it out of this library's own copy of the runtime
    if (status == cudaErrorInsufficientDriver || status == cudaErrorNoDevice)
        return set_error(MY_LIB_ERROR_NO_GPU, "CUDA: expected an NVIDIA GPU and its driver, got error %d (%s)",
                         static_cast<int>(status), cudaGetErrorString(status));
    return set_error(MY_LIB_ERROR_CUDA, "CUDA: expected to %s, got error %d (%s)%s", what, static_cast<int>(status),
                     cudaGetErrorString(status),
                     is_final(status) ? "; a kernel broke, perhaps an earlier one, and the process must restart" : "");
}

bool current_device(Device *device) {
    if (!succeeded(cudaGetDevice(&device->index), "ask for the current device")) return false;
    const bool keeps = device->index < known_devices;
    device->processors = keeps ? known_processors[device->index].load(std::memory_order_relaxed) : 0;
    if (device->processors) return true;
    if (!succeeded(cudaDeviceGetAttribute(&device->processors, cudaDevAttrMultiProcessorCount, device->index),
                   "ask for a device's attributes"))
        return false;
    if (keeps) known_processors[device->index].store(device->processors, std::memory_order_relaxed);
    return true;
}

bool is_capturing(cudaStream_t stream, bool *capturing) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (!succeeded(cudaStreamIsCapturing(stream, &status), "ask whether the stream is being captured")) return false;
    *capturing = status != cudaStreamCaptureStatusNone;
    return true;
}

}  // namespace my_lib
