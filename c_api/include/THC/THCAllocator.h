/* THC/THCAllocator.h: where the memory of a storage on the GPU comes from; THCGeneral.h has it. */
#ifndef THC_ALLOCATOR_INC
#define THC_ALLOCATOR_INC

#include "THCGeneral.h"

#endif
