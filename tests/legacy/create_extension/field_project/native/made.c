/* tests/legacy/create_extension/field_project/native/made.c: compiled by make and by CMake. */
#include "TH/TH.h"

double made_total(THFloatTensor *tensor) { return THFloatTensor_sumall(tensor); }
