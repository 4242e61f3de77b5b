/* THCUNN/THCUNN.h: includes what projects include it for; the library of that name is none of this one. */
#ifndef THCUNN_H
#define THCUNN_H

#include "common.h"

#endif
