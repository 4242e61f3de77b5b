// portable/runtime/python/streams.cpp: C++ streams that write to Python's files, and paths of the file system.
#include "portable/python/stl/filesystem.h"
#include "portable/python/stl/iostream.h"

#include <algorithm>
#include <cstring>

namespace pybind11 {
namespace detail {

pythonbuf::pythonbuf(const object &file, size_t size)
    : m_size(size), m_buffer(new char[size]), m_write(file.attr("write")), m_flush(file.attr("flush")) {
    setp(m_buffer.get(), m_buffer.get() + m_size - 1);
}
pythonbuf::pythonbuf(pythonbuf &&other)
    : m_size(other.m_size), m_buffer(std::move(other.m_buffer)), m_write(std::move(other.m_write)),
      m_flush(std::move(other.m_flush)) {
    setp(m_buffer.get(), m_buffer.get() + m_size - 1);
    pbump(static_cast<int>(other.pptr() - other.pbase()));
    other.setp(nullptr, nullptr);
}
int pythonbuf::overflow(int character) {
    if (!traits_type::eq_int_type(character, traits_type::eof())) {
        *pptr() = traits_type::to_char_type(character);
        pbump(1);
    }
    return sync() == 0 ? traits_type::not_eof(character) : traits_type::eof();
}
int pythonbuf::sync() {
    if (pbase() != pptr()) {
        gil_scoped_acquire gil;
        write_out();
    }
    return 0;
}

namespace {

/// How many bytes at the end belong to a character whose other bytes are not there yet.
size_t unfinished_bytes(const char *begin, const char *end) {
    for (size_t count = 1; count <= 3 && end - begin >= static_cast<ptrdiff_t>(count); ++count) {
        auto byte = static_cast<unsigned char>(end[-static_cast<ptrdiff_t>(count)]);
        if ((byte & 0xc0) == 0x80) continue;
        size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        return length > count ? count : 0;
    }
    return 0;
}

}  // namespace

void pythonbuf::write_out() {
    size_t rest = unfinished_bytes(pbase(), pptr());
    size_t size = static_cast<size_t>(pptr() - pbase()) - rest;
    if (size > 0) {
        m_write(str(pbase(), size));
        m_flush();
    }
    if (rest > 0 && size > 0) std::memmove(pbase(), pbase() + size, rest);
    setp(pbase(), epptr());
    pbump(static_cast<int>(rest));
}

bool load_path(PyObject *source, std::string &value) {
    object path = maybe_owned(PyOS_FSPath(source));
    PyObject *encoded = nullptr;
    if (!path || !PyUnicode_FSConverter(path.ptr(), &encoded)) return PyErr_Clear(), false;
    value = std::string(bytes(encoded, object::stolen_t{}));
    return true;
}
PyObject *make_path(const std::string &value) {
    object text = owned(PyUnicode_DecodeFSDefaultAndSize(value.data(), static_cast<ssize_t>(value.size())));
    return module_::import("pathlib").attr("Path")(text).release().ptr();
}

}  // namespace detail
}  // namespace pybind11
