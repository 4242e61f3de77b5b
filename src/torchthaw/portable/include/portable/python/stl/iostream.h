// portable/python/stl/iostream.h: pybind11/iostream.h: what C++ streams get, written to Python's files.
#pragma once
#include "portable/python/module.h"

#include <iostream>
#include <memory>
#include <streambuf>

namespace pybind11 {
namespace detail {

/// Collects what is written, and gives it to write() and flush() of a Python file.
class pythonbuf : public std::streambuf {
    size_t m_size;
    std::unique_ptr<char[]> m_buffer;
    object m_write, m_flush;

    int overflow(int character) override;
    int sync() override;
    /// Writes all whole characters of UTF-8.
    void write_out();

  public:
    explicit pythonbuf(const object &file, size_t size = 1024);
    pythonbuf(pythonbuf &&other);
    ~pythonbuf() override { sync(); }
};

}  // namespace detail

/// Until the end of the scope, a C++ stream writes to a Python file.
class scoped_ostream_redirect {
  protected:
    std::streambuf *old;
    std::ostream *costream;
    detail::pythonbuf buffer;

  public:
    explicit scoped_ostream_redirect(std::ostream &stream = std::cout,
                                     const object &file = module_::import("sys").attr("stdout"))
        : old(stream.rdbuf()), costream(&stream), buffer(file) {
        stream.rdbuf(&buffer);
    }
    scoped_ostream_redirect(scoped_ostream_redirect &&other)
        : old(other.old), costream(other.costream), buffer(std::move(other.buffer)) {
        costream->rdbuf(&buffer);
        other.costream = nullptr;
    }
    scoped_ostream_redirect(const scoped_ostream_redirect &) = delete;
    scoped_ostream_redirect &operator=(const scoped_ostream_redirect &) = delete;
    ~scoped_ostream_redirect() {
        if (costream) costream->rdbuf(old);
    }
};
class scoped_estream_redirect : public scoped_ostream_redirect {
  public:
    explicit scoped_estream_redirect(std::ostream &stream = std::cerr,
                                     const object &file = module_::import("sys").attr("stderr"))
        : scoped_ostream_redirect(stream, file) {}
};

namespace detail {

/// The Python context manager that add_ostream_redirect makes.
class OstreamRedirect {
    bool m_out, m_err;
    std::unique_ptr<scoped_ostream_redirect> m_stdout;
    std::unique_ptr<scoped_estream_redirect> m_stderr;

  public:
    explicit OstreamRedirect(bool out = true, bool err = true) : m_out(out), m_err(err) {}
    void enter() {
        if (m_out) m_stdout = std::make_unique<scoped_ostream_redirect>();
        if (m_err) m_stderr = std::make_unique<scoped_estream_redirect>();
    }
    void exit() {
        m_stdout.reset();
        m_stderr.reset();
    }
};

}  // namespace detail

/// Adds a context manager to a module, which redirects std::cout and std::cerr.
inline class_<detail::OstreamRedirect> add_ostream_redirect(module_ m, const std::string &name = "ostream_redirect") {
    using namespace literals;
    return std::move(class_<detail::OstreamRedirect>(std::move(m), name.c_str(), module_local())
                         .def(init<bool, bool>(), "stdout"_a = true, "stderr"_a = true)
                         .def("__enter__", &detail::OstreamRedirect::enter)
                         .def("__exit__", [](detail::OstreamRedirect &self, const args &) { self.exit(); }));
}

}  // namespace pybind11
