/* cuda_on_cpu/errors.h: the errors of CUDA's runtime: name, number, text. */
#define CUDA_ON_CPU_ERRORS(ROW)                                                                                        \
  ROW(cudaSuccess, 0, "no error")                                                                                      \
  ROW(cudaErrorInvalidValue, 1, "invalid argument")                                                                    \
  ROW(cudaErrorMemoryAllocation, 2, "out of memory")                                                                   \
  ROW(cudaErrorInitializationError, 3, "initialization error")                                                         \
  ROW(cudaErrorCudartUnloading, 4, "driver shutting down")                                                             \
  ROW(cudaErrorProfilerDisabled, 5, "profiler disabled while using external profiling tool")                           \
  ROW(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                                              \
  ROW(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                                        \
  ROW(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                                             \
  ROW(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                                                         \
  ROW(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                                     \
  ROW(cudaErrorInvalidTexture, 18, "invalid texture reference")                                                        \
  ROW(cudaErrorInvalidTextureBinding, 19, "texture is not bound to a pointer")                                         \
  ROW(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")                                             \
  ROW(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                                        \
  ROW(cudaErrorInvalidFilterSetting, 26, "linear filtering not supported for non-float type")                          \
  ROW(cudaErrorInvalidNormSetting, 27, "read as normalized float not supported for data type")                         \
  ROW(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version")                 \
  ROW(cudaErrorInvalidSurface, 37, "invalid surface reference")                                                        \
  ROW(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured")                                 \
  ROW(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                                   \
  ROW(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                                    \
  ROW(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                                           \
  ROW(cudaErrorStartupFailure, 127, "startup failure in cuda runtime")                                                 \
  ROW(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")                                              \
  ROW(cudaErrorDeviceUninitialized, 201, "invalid device context")                                                     \
  ROW(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device")                \
  ROW(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered")                                           \
  ROW(cudaErrorUnsupportedPtxVersion, 222, "the provided PTX was compiled with an unsupported toolchain.")             \
  ROW(cudaErrorInvalidSource, 300, "device kernel image is invalid")                                                   \
  ROW(cudaErrorFileNotFound, 301, "file not found")                                                                    \
  ROW(cudaErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS")                           \
  ROW(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                                  \
  ROW(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state")                            \
  ROW(cudaErrorSymbolNotFound, 500, "named symbol not found")                                                          \
  ROW(cudaErrorNotReady, 600, "device not ready")                                                                      \
  ROW(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                                        \
  ROW(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                                   \
  ROW(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                                          \
  ROW(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                                        \
  ROW(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")                                          \
  ROW(cudaErrorContextIsDestroyed, 709, "context is destroyed")                                                        \
  ROW(cudaErrorAssert, 710, "device-side assert triggered")                                                            \
  ROW(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped")        \
  ROW(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region")              \
  ROW(cudaErrorHardwareStackError, 714, "hardware stack error")                                                        \
  ROW(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")                                      \
  ROW(cudaErrorMisalignedAddress, 716, "misaligned address")                                                           \
  ROW(cudaErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space")                     \
  ROW(cudaErrorInvalidPc, 718, "invalid program counter")                                                              \
  ROW(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                                       \
  ROW(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                                \
  ROW(cudaErrorNotPermitted, 800, "operation not permitted")                                                           \
  ROW(cudaErrorNotSupported, 801, "operation not supported")                                                           \
  ROW(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")                      \
  ROW(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture")               \
  ROW(cudaErrorUnknown, 999, "unknown error")
