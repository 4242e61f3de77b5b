/* load.h: extensions as they are loaded: from the records that they hold to the bridge's own. */
#pragma once

#include "bridge.h"

namespace bridge {

/* lib -> module of every extension that was imported; made by prepare_loading(). */
extern PyObject *extensions;

/* False with an exception set. */
bool prepare_loading();

/* See thaw_bridge::load. */
PyObject *load(const thaw_module *module);

}  // namespace bridge
