/* THC/THCStream.h: THCStream, a name for streams. PyTorch has them: see THCState_getCurrentStream. */
#ifndef THC_STREAM_INC
#define THC_STREAM_INC

#include "THCGeneral.h"

#endif
