// portable/python/numpy/numpy.h: pybind11/numpy.h: arrays, element types, records and vectorize.
#pragma once
#include "portable/python/numpy/array.h"
#include "portable/python/numpy/records.h"
#include "portable/python/numpy/vectorize.h"
