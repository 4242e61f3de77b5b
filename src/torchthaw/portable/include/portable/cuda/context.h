// portable/cuda/context.h: all that extensions use of PyTorch's context: devices, streams, memory, handles, launches.
#pragma once
#include "blas.h"
#include "index.h"
#include "memory.h"
