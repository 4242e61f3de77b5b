// portable/runtime/pytorch/errors.cpp: errors and warnings that are too rare to be in the headers.
#include <portable/dispatch.h>
#include <portable/python/annotations.h>

namespace torchthaw {

std::string joined(std::initializer_list<Piece> pieces) {
    std::ostringstream text;
    text.exceptions(std::ios::badbit);  // std::bad_alloc comes out
    for (const Piece &piece : pieces) piece.print(text);
    return text.str();
}

std::string check_text(const char *condition, std::initializer_list<Piece> pieces) {
    const std::string text = joined(pieces);
    return text.empty() ? std::string("Expected ") + condition + " to be true, but got false." : text;
}

void fail(const std::string &message) { throw c10::Error(message); }

void fail_dispatch(const char *name, at::ScalarType type) {
    throw c10::NotImplementedError(c10::str('"', name, "\" not implemented for '", type, "'"));
}

void warn(const std::string &message, const char *category) {
    pybind11::gil_scoped_acquire gil;
    pybind11::object builtins = pybind11::detail::owned(PyImport_ImportModule("builtins"));
    if (PyErr_WarnEx(pybind11::getattr(builtins, category).ptr(), message.c_str(), 1) != 0) throw pybind11::error_already_set();
}

}  // namespace torchthaw
