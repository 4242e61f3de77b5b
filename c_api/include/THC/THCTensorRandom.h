/* THC/THCTensorRandom.h: the generators of random numbers: one for each device.
 *
 * A generator is a seed and the count of numbers drawn with it: the same seed gives the same numbers, on every card.
 * They are not the original's, nor PyTorch's. Until one is seeded, its seed is random.
 */
#ifndef THC_TENSOR_RANDOM_INC
#define THC_TENSOR_RANDOM_INC

#include "THCGeneral.h"

/* All generators begin anew with random seeds. `num_devices` and `current_device` do not matter. */
THC_API void THCRandom_init(struct THCState *state, int num_devices, int current_device);
THC_API void THCRandom_shutdown(struct THCState *state); /* nothing */

/* A random seed for the current device, or one for all; returned. */
THC_API uint64_t THCRandom_seed(struct THCState *state);
THC_API uint64_t THCRandom_seedAll(struct THCState *state);
THC_API void THCRandom_manualSeed(struct THCState *state, uint64_t the_seed_);
THC_API void THCRandom_manualSeedAll(struct THCState *state, uint64_t the_seed_);

/* Of the current device. */
THC_API uint64_t THCRandom_initialSeed(struct THCState *state);

/* The current device's generator as 16 bytes. Errors of set: another number of elements, "RNG state is wrong size"; not
 * contiguous. */
THC_API void THCRandom_getRNGState(struct THCState *state, THByteTensor *rng_state);
THC_API void THCRandom_setRNGState(struct THCState *state, THByteTensor *rng_state);

/* Always an error: there are no MTGP32 generators. */
THC_API struct curandStateMtgp32 *THCRandom_generatorStates(struct THCState *state);

#endif
