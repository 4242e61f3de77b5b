/* TH/THTensor.h: tensors, strided views of a storage; one type for each kind of element.
 *
 * A tensor without dimensions is the empty one; there are neither dimensions of size 0 nor scalars. A list of sizes
 * ends before its first entry <= 0. Strides and offsets count elements. Every function named new... returns a
 * reference that the caller frees. Where a function takes `self, src`, a NULL src means self.
 */
#ifndef TH_TENSOR_INC
#define TH_TENSOR_INC

#include "THRandom.h"
#include "THStorage.h"
#include "THTensorApply.h"

#define THTensor TH_CONCAT_3(TH, Real, Tensor)
#define THTensor_(NAME) TH_CONCAT_4(TH, Real, Tensor_, NAME)

#define TH_TENSOR_REFCOUNTED 1 /* tensor->flag: retain and free count; otherwise they do nothing */

#include "generic/THTensor.h"
#include "THGenerateAllTypes.h"

#include "generic/THTensor.h"
#include "THGenerateHalfType.h"

#include "generic/THTensorCopy.h"
#include "THGenerateAllTypes.h"

#include "generic/THTensorCopy.h"
#include "THGenerateHalfType.h"

#include "THTensorMacros.h"

#include "generic/THTensorRandom.h"
#include "THGenerateAllTypes.h"

#include "generic/THTensorMath.h"
#include "THGenerateAllTypes.h"

#include "generic/THTensorConv.h"
#include "THGenerateAllTypes.h"

#include "generic/THTensorLapack.h"
#include "THGenerateFloatTypes.h"

#endif
