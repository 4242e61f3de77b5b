/* THC/THCUNN.h: for `#include "THCUNN.h"`. THCUNN's own folder is not searched by compilers: its common.h would hide a
 * project's file of that name. */
#include <THCUNN/THCUNN.h>
