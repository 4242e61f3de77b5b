/* TH/THStorage.h: storages, the flat blocks of memory that tensors look at; one type for each kind of element. */
#ifndef TH_STORAGE_INC
#define TH_STORAGE_INC

#include "THAllocator.h"
#include "THGeneral.h"
#include "THHalf.h"

#define THStorage TH_CONCAT_3(TH, Real, Storage)
#define THStorage_(NAME) TH_CONCAT_4(TH, Real, Storage_, NAME)

/* storage->flag */
#define TH_STORAGE_REFCOUNTED 1 /* retain and free count; otherwise they do nothing */
#define TH_STORAGE_RESIZABLE 2
#define TH_STORAGE_FREEMEM 4 /* the last free releases the data through the allocator */
#define TH_STORAGE_VIEW 8    /* the last free also frees the storage in `view` */

/* Unchecked access by position. */
#define TH_STORAGE_GET(storage, idx) ((storage)->data[(idx)])
#define TH_STORAGE_SET(storage, idx, value) ((storage)->data[(idx)] = (value))

#include "generic/THStorage.h"
#include "THGenerateAllTypes.h"

#include "generic/THStorage.h"
#include "THGenerateHalfType.h"

#include "generic/THStorageCopy.h"
#include "THGenerateAllTypes.h"

#include "generic/THStorageCopy.h"
#include "THGenerateHalfType.h"

/* ---- THLongStorage as a list of sizes ---------------------------------------------------------------------------- */

TH_API THDescBuff THLongStorage_sizeDesc(const THLongStorage *size);

/* A new list with its one -1 replaced so that the product is nElement. Errors: argument 1, several -1; argument 2, no
 * such size. */
TH_API THLongStorage *THLongStorage_newInferSize(THLongStorage *size, ptrdiff_t nElement);

/* The shape that two, or n, shapes broadcast to. 0, or -1 with a message in error_buffer. */
TH_API int THLongStorage_inferSize2(THLongStorage *output, int64_t *sizesA, int64_t dimsA, int64_t *sizesB,
                                    int64_t dimsB, char *error_buffer, int buffer_len);
TH_API int THLongStorage_inferSizeN(THLongStorage *output, int n, int64_t **sizes, int64_t *dims, char *error_buffer,
                                    int buffer_len);

/* Sizes and strides (stride 0 where a dimension is repeated) of a tensor expanded to `sizes`, in two new arrays that
 * the caller gives to THFree. 0, or -1 with a message and no arrays. */
TH_API int THLongStorage_inferExpandGeometry(int64_t *tensorSizes, int64_t *tensorStrides, int64_t tensorDim,
                                             THLongStorage *sizes, int64_t **expandedSizes, int64_t **expandedStrides,
                                             char *error_buffer, int buffer_len);

#endif
