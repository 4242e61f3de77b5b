// cub/config.cuh: macros that sources ask.
#pragma once

#include <cub/util_macro.cuh>
#include <cub/version.cuh>

#define CUB_STATIC_ASSERT(condition, message) static_assert(condition, #message)
#define CUB_IS_DEVICE_CODE 0
#define CUB_IS_HOST_CODE 1
#define CUB_RUNTIME_FUNCTION
