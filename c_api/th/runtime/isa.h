// c_api/th/runtime/isa.h: kernels compiled once per instruction set and chosen at run time, as base/isa.h describes.
//
// <name>_kernels.cpp is compiled into the namespace TH_ISA, and <name>_kernels.h declares what it has:
//
//     BASE_EVERY_ISA(template <typename Operation> Row row();)        <name>_kernels.h
//     namespace th::TH_ISA { template <...> Row row() {...} ... }     <name>_kernels.cpp, with its instantiations
//     TH_CHOOSE(row<Operation>)()                                     anywhere else
#pragma once

#include "base/isa.h"

#define TH_CHOOSE(...) BASE_CHOOSE(::th, __VA_ARGS__)
