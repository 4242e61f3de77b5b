/* TH/TH.h: the whole of TH that C++ extensions of PyTorch 0.4 to 1.10 used. */
#ifndef TORCHTHAW_ATEN_TH_H
#define TORCHTHAW_ATEN_TH_H

#include "THGeneral.h"

#endif
