/* numpy/arrayobject.h: NumPy 2's own, with the names of NumPy 1 that it lacks. */
#include_next <numpy/arrayobject.h>
#include "../names_of_numpy_1.h"
