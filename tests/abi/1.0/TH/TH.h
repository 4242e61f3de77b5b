/* TH/TH.h: the whole TH library: storages, tensors, copies, mathematics, random numbers, files. */
#ifndef TH_INC
#define TH_INC

#include "THGeneral.h"
#include "THHalf.h"
#include "THAtomic.h"
#include "THAllocator.h"
#include "THSize.h"
#include "THLogAdd.h"
#include "THRandom.h"

#include "THStorage.h"
#include "THTensor.h"
#include "THTensorApply.h"
#include "THTensorDimApply.h"
#include "THTensorMacros.h"

#include "THVector.h"
#include "THBlas.h"
#include "THLapack.h"

#include "THFile.h"
#include "THDiskFile.h"
#include "THMemoryFile.h"

#endif
