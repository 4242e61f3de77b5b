/* device_types.h: directions of rounding. */
#ifndef CUDA_ON_CPU_DEVICE_TYPES_H
#define CUDA_ON_CPU_DEVICE_TYPES_H

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

#endif
