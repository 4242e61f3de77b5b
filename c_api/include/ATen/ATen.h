/* ATen/ATen.h: stands in for PyTorch's own where an old source includes it and uses nothing of it. */
#ifndef ATEN_ATEN_H
#define ATEN_ATEN_H

#ifdef __has_include_next
#if __has_include_next(<ATen/ATen.h>) /* this folder is on the path of a build that asks for PyTorch's own */
#include_next <ATen/ATen.h>
#endif
#endif

#ifdef __cplusplus
namespace at {}
#endif

#endif
