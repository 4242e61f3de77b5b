/* device_properties.h: the members that cudaDeviceProp had until CUDA 12; CUDA 13 gives most of the values as attributes.
 *
 * Builds include it before a C++ or CUDA source that reads one. There, cudaDeviceProp is a class that derives from CUDA's
 * and has these members too: cudaGetDeviceProperties, at::cuda::getCurrentDeviceProperties and at::cuda::getDeviceProperties
 * fill them. cooperativeMultiDeviceLaunch is 0, since CUDA 13 launches no kernel on several devices.
 */
#ifndef TORCHTHAW_ATEN_DEVICE_PROPERTIES_H
#define TORCHTHAW_ATEN_DEVICE_PROPERTIES_H

#ifdef __cplusplus
#include <cuda_runtime_api.h>

#if CUDART_VERSION >= 13000
#include <map>
#include <mutex>

/* What PyTorch's headers declare keeps CUDA's class. */
#if defined(TORCH_EXTENSION_NAME) && defined(__has_include)
#if __has_include(<ATen/cuda/CUDAContextLight.h>)
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDAFunctions.h>
#define TORCHTHAW_HAS_PYTORCH_CUDA
#endif
#endif

struct torchthaw_device_properties : cudaDeviceProp {
  int clockRate, memoryClockRate, computeMode, deviceOverlap, kernelExecTimeoutEnabled, maxTexture1DLinear;
  int singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
};

namespace torchthaw_cuda_12 {

/* Asks for the members of before; those of CUDA's class are there. */
inline cudaError_t fill(torchthaw_device_properties *properties, int device) {
  const struct {
    int torchthaw_device_properties::*member;
    cudaDeviceAttr attribute;
  } asked[] = {
      {&torchthaw_device_properties::clockRate, cudaDevAttrClockRate},
      {&torchthaw_device_properties::memoryClockRate, cudaDevAttrMemoryClockRate},
      {&torchthaw_device_properties::computeMode, cudaDevAttrComputeMode},
      {&torchthaw_device_properties::deviceOverlap, cudaDevAttrGpuOverlap},
      {&torchthaw_device_properties::kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout},
      {&torchthaw_device_properties::maxTexture1DLinear, cudaDevAttrMaxTexture1DLinearWidth},
      {&torchthaw_device_properties::singleToDoublePrecisionPerfRatio, cudaDevAttrSingleToDoublePrecisionPerfRatio},
  };
  properties->cooperativeMultiDeviceLaunch = 0;
  for (const auto &each : asked) {
    const cudaError_t error = cudaDeviceGetAttribute(&(properties->*each.member), each.attribute, device);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

/* The same for properties that PyTorch keeps; they live as long as the process. */
inline torchthaw_device_properties *of_pytorch(const cudaDeviceProp &given, int device) {
  static std::mutex mutex;
  static std::map<int, torchthaw_device_properties> kept;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = kept.try_emplace(device);
  torchthaw_device_properties &properties = found.first->second;
  if (found.second) {
    static_cast<cudaDeviceProp &>(properties) = given;
    fill(&properties, device);
  }
  return &properties;
}

}  // namespace torchthaw_cuda_12

static inline cudaError_t cudaGetDeviceProperties(torchthaw_device_properties *properties, int device) {
  const cudaError_t error = cudaGetDeviceProperties(static_cast<cudaDeviceProp *>(properties), device);
  return error == cudaSuccess ? torchthaw_cuda_12::fill(properties, device) : error;
}

#ifdef TORCHTHAW_HAS_PYTORCH_CUDA
namespace at {
namespace cuda {
inline torchthaw_device_properties *torchthaw_current_device_properties() {
  return torchthaw_cuda_12::of_pytorch(*getCurrentDeviceProperties(), c10::cuda::current_device());
}
inline torchthaw_device_properties *torchthaw_properties_of_device(int device) {
  return torchthaw_cuda_12::of_pytorch(*getDeviceProperties(static_cast<c10::DeviceIndex>(device)), device);
}
}  // namespace cuda
}  // namespace at
#define getCurrentDeviceProperties torchthaw_current_device_properties
#define getDeviceProperties torchthaw_properties_of_device
#endif

#define cudaDeviceProp torchthaw_device_properties
#endif
#endif

#endif
