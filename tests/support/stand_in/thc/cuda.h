// tests/support/stand_in/thc/cuda.h: everything of the stand-in is in one file.
#include "cuda_runtime.h"
