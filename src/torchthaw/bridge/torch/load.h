/* load.h: extensions as they are loaded: from the records that they hold to the bridge's own. */
#pragma once

#include "bridge/bridge.h"

#include <vector>

namespace bridge {

/* lib -> module of every extension that was imported; made by prepare_loading(). */
extern PyObject *extensions;

/* False with an exception set. */
bool prepare_loading();

/* The functions of an extension's module, as load() returned it; NULL with a TypeError for any other object. They stay
 * where they are. */
std::vector<thaw_callable> *functions_of(PyObject *module);

/* See thaw_bridge::load. */
PyObject *load(const thaw_module *module);

}  // namespace bridge
