// portable/python/stl/filesystem.h: pybind11/stl/filesystem.h: std::filesystem::path as pathlib.Path.
#pragma once
#include "portable/python/module.h"

#include <filesystem>

namespace pybind11 {
namespace detail {

/// The path of a text, of bytes or of what has __fspath__, in the file system's encoding. False for other objects.
bool load_path(PyObject *source, std::string &value);
PyObject *make_path(const std::string &value);

template <> struct caster<std::filesystem::path> {
    static bool load(PyObject *source, std::filesystem::path &value, bool) {
        std::string text;
        if (!load_path(source, text)) return false;
        value = text;
        return true;
    }
    static PyObject *make(const std::filesystem::path &value, return_value_policy, handle) {
        return make_path(value.native());
    }
    static constexpr auto name = io_name("os.PathLike | str | bytes", "pathlib.Path");
};

}  // namespace detail
}  // namespace pybind11
