/* TH/generic/THStorageCopy.h: storage to storage, with conversion. */
#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THStorageCopy.h"
#else

/* storage->size elements from `src`, which holds at least as many. */
TH_API void THStorage_(rawCopy)(THStorage *storage, real *src);

/* Error: argument 2, different sizes. */
TH_API void THStorage_(copy)(THStorage *storage, THStorage *src);

/* Converted as THTensor_(copy<Type>) does. Error: argument 2, different sizes. */
TH_API void THStorage_(copyByte)(THStorage *storage, struct THByteStorage *src);
TH_API void THStorage_(copyChar)(THStorage *storage, struct THCharStorage *src);
TH_API void THStorage_(copyShort)(THStorage *storage, struct THShortStorage *src);
TH_API void THStorage_(copyInt)(THStorage *storage, struct THIntStorage *src);
TH_API void THStorage_(copyLong)(THStorage *storage, struct THLongStorage *src);
TH_API void THStorage_(copyFloat)(THStorage *storage, struct THFloatStorage *src);
TH_API void THStorage_(copyDouble)(THStorage *storage, struct THDoubleStorage *src);
TH_API void THStorage_(copyHalf)(THStorage *storage, struct THHalfStorage *src);

#endif
