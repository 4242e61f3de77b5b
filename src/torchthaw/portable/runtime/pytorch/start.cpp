// portable/runtime/pytorch/start.cpp: what a binary does when it is loaded: finds PyTorch, and chooses how operators are called.
#include <cxxabi.h>

#include <portable/python/module.h>
#include <portable/python/tensors.h>

#include "start.h"

// The newest PyTorch with which operators may be called by their C++ names: `make compat` has loaded binaries there.
#ifndef TORCHTHAW_NEWEST_PYTORCH
#define TORCHTHAW_NEWEST_PYTORCH 2, 15
#endif
#define TORCHTHAW_OLDEST_PYTORCH 2, 4

namespace torchthaw {

bool mangled_names = false;

namespace {

using Version = std::array<int, 2>;

/// "2.13.0+cpu" as {2, 13}.
Version version_of(const std::string &text) {
    Version version{};
    std::sscanf(text.c_str(), "%d.%d", &version[0], &version[1]);
    return version;
}

bool refuse(const std::string &message) {
    PyErr_SetString(PyExc_ImportError, ("a portable extension " + message).c_str());
    return false;
}

bool prepare() {
    pybind11::object torch = pybind11::detail::owned(PyImport_ImportModule("torch"));
    const std::string text = pybind11::getattr(torch, "__version__").str();
    const Version version = version_of(text);
    if (version < Version{TORCHTHAW_OLDEST_PYTORCH}) return refuse("needs PyTorch 2.4 or later, found " + text);
    if (const char *symbol = missing()) return refuse(std::string("needs ") + symbol + ", which PyTorch " + text + " lacks");
    prepare_tensors(torch);
    const char *given = std::getenv("TORCHTHAW_NO_MANGLED_NAMES");
    const bool refused = given && *given && std::strcmp(given, "0") != 0;
    if (!refused && version <= Version{TORCHTHAW_NEWEST_PYTORCH}) {
        mangled_names = true;
        mangled_names = trial();
    }
    return true;
}

}  // namespace

bool start() {
    static bool done = false;  // or under way: the trial calls operators
    if (done) return true;
    done = true;
    try {
        done = prepare();
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        done = false;
        pybind11::detail::translate(std::current_exception());
    }
    return done;
}

}  // namespace torchthaw

bool pybind11::detail::prepare_module() { return torchthaw::start() && torchthaw::registered_all(); }
