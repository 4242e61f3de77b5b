/* THC/THCSleep.h: a stream that is busy, for tests. */
#ifndef THC_SLEEP_INC
#define THC_SLEEP_INC

#include "THCGeneral.h"

/* Keeps the current stream busy for so many cycles of the device's clock; at once where there are none. */
THC_API void THC_sleep(THCState *state, int64_t cycles);

#endif
