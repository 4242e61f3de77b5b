// c_api/th/kernels/copy.h: rows that copy, convert and fill.
#pragma once

#include "../isa.h"
#include "../loop.h"

namespace th {
TH_EVERY_ISA(template <typename To, typename From> Row copy_row(); template <typename T> Row fill_row();)
}
