/* extension_point.h: what a layer above adds to the module _bridge, which does not know it. */
#pragma once

#include "bridge/bridge.h"

namespace bridge {

struct Part {
    PyMethodDef *methods;
    decltype(thaw_bridge::call_th) call_th;
};

/* Set by the one part that is linked with the bridge, before the module is made. */
inline const Part *part = nullptr;

}  // namespace bridge
