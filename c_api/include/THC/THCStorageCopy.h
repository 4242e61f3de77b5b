/* THC/THCStorageCopy.h: copies of storages; THCStorage.h has them. */
#ifndef THC_STORAGE_COPY_INC
#define THC_STORAGE_COPY_INC

#include "THCStorage.h"

#endif
