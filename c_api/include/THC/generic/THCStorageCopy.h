/* THC/generic/THCStorageCopy.h: storage to storage, with conversion. Error everywhere: argument 2, sizes differ. */
#ifndef THC_GENERIC_FILE
#define THC_GENERIC_FILE "generic/THCStorageCopy.h"
#else

/* storage->size elements on the GPU. */
THC_API void THCStorage_(rawCopy)(THCState *state, THCStorage *storage, real *src);

/* ---- On the GPU, by the current stream --------------------------------------------------------------------------- */

THC_API void THCStorage_(copy)(THCState *state, THCStorage *storage, THCStorage *src);
THC_API void THCStorage_(copyCuda)(THCState *state, THCStorage *self, THCStorage *src);
THC_API void THCStorage_(copyCudaByte)(THCState *state, THCStorage *storage, struct THCudaByteStorage *src);
THC_API void THCStorage_(copyCudaChar)(THCState *state, THCStorage *storage, struct THCudaCharStorage *src);
THC_API void THCStorage_(copyCudaShort)(THCState *state, THCStorage *storage, struct THCudaShortStorage *src);
THC_API void THCStorage_(copyCudaInt)(THCState *state, THCStorage *storage, struct THCudaIntStorage *src);
THC_API void THCStorage_(copyCudaLong)(THCState *state, THCStorage *storage, struct THCudaLongStorage *src);
THC_API void THCStorage_(copyCudaFloat)(THCState *state, THCStorage *storage, struct THCudaStorage *src);
THC_API void THCStorage_(copyCudaDouble)(THCState *state, THCStorage *storage, struct THCudaDoubleStorage *src);
THC_API void THCStorage_(copyCudaHalf)(THCState *state, THCStorage *storage, struct THCudaHalfStorage *src);

/* ---- From the host: converted there, and waited for -------------------------------------------------------------- */

THC_API void THCStorage_(copyCPU)(THCState *state, THCStorage *self, struct THStorage *src);
THC_API void THCStorage_(copyByte)(THCState *state, THCStorage *storage, struct THByteStorage *src);
THC_API void THCStorage_(copyChar)(THCState *state, THCStorage *storage, struct THCharStorage *src);
THC_API void THCStorage_(copyShort)(THCState *state, THCStorage *storage, struct THShortStorage *src);
THC_API void THCStorage_(copyInt)(THCState *state, THCStorage *storage, struct THIntStorage *src);
THC_API void THCStorage_(copyLong)(THCState *state, THCStorage *storage, struct THLongStorage *src);
THC_API void THCStorage_(copyFloat)(THCState *state, THCStorage *storage, struct THFloatStorage *src);
THC_API void THCStorage_(copyDouble)(THCState *state, THCStorage *storage, struct THDoubleStorage *src);
THC_API void THCStorage_(copyHalf)(THCState *state, THCStorage *storage, struct THHalfStorage *src);

/* ---- To the host: converted there, and waited for ---------------------------------------------------------------- */

THC_API void THStorage_(copyCuda)(THCState *state, struct THStorage *self, THCStorage *src);
THC_API void TH_CONCAT_2(THByteStorage_copyCuda, Real)(THCState *state, struct THByteStorage *self, THCStorage *src);
THC_API void TH_CONCAT_2(THCharStorage_copyCuda, Real)(THCState *state, struct THCharStorage *self, THCStorage *src);
THC_API void TH_CONCAT_2(THShortStorage_copyCuda, Real)(THCState *state, struct THShortStorage *self, THCStorage *src);
THC_API void TH_CONCAT_2(THIntStorage_copyCuda, Real)(THCState *state, struct THIntStorage *self, THCStorage *src);
THC_API void TH_CONCAT_2(THLongStorage_copyCuda, Real)(THCState *state, struct THLongStorage *self, THCStorage *src);
THC_API void TH_CONCAT_2(THFloatStorage_copyCuda, Real)(THCState *state, struct THFloatStorage *self, THCStorage *src);
THC_API void TH_CONCAT_2(THDoubleStorage_copyCuda, Real)(THCState *state, struct THDoubleStorage *self,
                                                         THCStorage *src);
THC_API void TH_CONCAT_2(THHalfStorage_copyCuda, Real)(THCState *state, struct THHalfStorage *self, THCStorage *src);

#endif
