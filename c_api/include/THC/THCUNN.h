/* THC/THCUNN.h: for `#include "THCUNN.h"` of compilers that search THC's folder alone. Builds search THCUNN's own one
 * too, after all others: its common.h would hide a project's file of that name. */
#include <THCUNN/THCUNN.h>
