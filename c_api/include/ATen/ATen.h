/* ATen/ATen.h: stands in for PyTorch's own where an old source includes it and uses nothing of it. */
#ifndef ATEN_ATEN_H
#define ATEN_ATEN_H

#ifdef __cplusplus
namespace at {}
#endif

#endif
