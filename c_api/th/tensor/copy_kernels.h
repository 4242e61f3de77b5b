// c_api/th/tensor/copy_kernels.h: rows that copy, convert and fill.
#pragma once

#include "th/runtime/isa.h"
#include "th/runtime/loop.h"

namespace th {
BASE_EVERY_ISA(template <typename To, typename From> Row copy_row(); template <typename T> Row fill_row();)
}
