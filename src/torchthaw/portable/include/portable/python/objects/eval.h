// portable/python/objects/eval.h: pybind11/eval.h: evaluation of Python source.
#pragma once
#include "portable/python/module.h"

namespace pybind11 {
namespace detail {

PyObject *run_source(const str &source, int start, object globals, object locals);
/// A source text that starts with a newline, without the indentation of its first line.
str without_indentation(const char *source);
str read_source(const str &file);

}  // namespace detail

enum eval_mode { eval_expr, eval_single_statement, eval_statements };
/// Evaluates Python source; throws what it raises.
template <eval_mode mode = eval_expr> object eval(const str &source, object globals = {}, object locals = {}) {
    constexpr int statements = mode == eval_single_statement ? Py_single_input : Py_file_input;
    constexpr int start = mode == eval_expr ? Py_eval_input : statements;
    return detail::owned(detail::run_source(source, start, std::move(globals), std::move(locals)));
}
/// The same with a literal, whose lines may be indented.
template <eval_mode mode = eval_expr, size_t N>
object eval(const char (&source)[N], object globals = {}, object locals = {}) {
    return eval<mode>(detail::without_indentation(source), std::move(globals), std::move(locals));
}
inline void exec(const str &source, object globals = {}, object locals = {}) {
    eval<eval_statements>(source, std::move(globals), std::move(locals));
}
template <size_t N> void exec(const char (&source)[N], object globals = {}, object locals = {}) {
    eval<eval_statements>(source, std::move(globals), std::move(locals));
}
/// The same with the content of a file.
template <eval_mode mode = eval_statements> object eval_file(const str &file, object globals = {}, object locals = {}) {
    return eval<mode>(detail::read_source(file), std::move(globals), std::move(locals));
}

}  // namespace pybind11
