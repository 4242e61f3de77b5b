/* tests/contract/notes/native/made.c: compiled by make and by CMake. */
#include "TH/TH.h"

double made_total(THFloatTensor *tensor) { return THFloatTensor_sumall(tensor); }
