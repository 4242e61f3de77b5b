/* THC/THCStorage.h: storages on the GPU; one type for each kind of element. THCudaStorage has floats. */
#ifndef THC_STORAGE_INC
#define THC_STORAGE_INC

#include "THCAllocator.h"
#include "THCGeneral.h"
#include "THCHalf.h"

#define THCStorage TH_CONCAT_3(TH, CReal, Storage)
#define THCStorage_(NAME) TH_CONCAT_4(TH, CReal, Storage_, NAME)

#include "generic/THCStorage.h"
#include "THCGenerateAllTypes.h"

#include "generic/THCStorageCopy.h"
#include "THCGenerateAllTypes.h"

#endif
