// tests/thc/on_host/cuda_runtime_api.h: everything of the stand-in is in one file.
#include "cuda_runtime.h"
