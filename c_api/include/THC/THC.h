/* THC/THC.h: the THC library: storages and tensors on the GPU, copies, mathematics; streams, memory and handles. */
#ifndef THC_INC
#define THC_INC

#include "THCGeneral.h"
#include "THCHalf.h"
#include "THCAllocator.h"
#include "THCStream.h"
#include "THCBlas.h"
#include "THCCachingAllocator.h"
#include "THCCachingHostAllocator.h"
#include "THCSleep.h"

#include "THCStorage.h"
#include "THCTensor.h"
#include "THCTensorRandom.h"

#endif
