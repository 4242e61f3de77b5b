// portable/python/numpy.h: pybind11/numpy.h: arrays, element types, records and vectorize.
#pragma once
#include "portable/python/array.h"
#include "portable/python/records.h"
#include "portable/python/vectorize.h"
