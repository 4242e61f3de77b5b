/* torchthaw/annotate.h, for include paths that have no other name of torchthaw. */
#include "../../torchthaw/annotate.h"
