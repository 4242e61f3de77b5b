// portable/runtime/python/records.cpp: NumPy's records of C++ structs, and walks through arrays for vectorize.
#include "portable/python/numpy/vectorize.h"

#include <algorithm>

namespace pybind11 {
namespace detail {

void register_record(record_format &record, std::vector<field_descriptor> fields, const std::type_info &type,
                     ssize_t itemsize) {
    if (record.descr) pybind11_fail("NumPy: dtype is already registered");
    std::sort(fields.begin(), fields.end(), [](const auto &a, const auto &b) { return a.offset < b.offset; });
    list names, formats, offsets;
    // '^': no alignment but the padding that is listed, since NumPy's alignment is not always that of C++.
    std::string text = "^T{";
    ssize_t at = 0;
    auto add_padding = [&](ssize_t end) {
        if (end > at) text += std::to_string(end - at) + "x";
    };
    for (const field_descriptor &field : fields) {
        if (!field.descr)
            pybind11_fail(std::string("NumPy: unsupported field dtype: `") + field.name + "` @ " + type.name());
        names.append(field.name);
        formats.append(field.descr);
        offsets.append(int_(field.offset));
        add_padding(field.offset);
        text += field.format + ":" + field.name + ":";
        at = field.offset + field.size;
    }
    add_padding(itemsize);
    text += "}";
    dtype made(names, formats, offsets, itemsize);
    if (!are_equivalent(made.ptr(), array(buffer_info(nullptr, itemsize, text, 1)).dtype().ptr()))
        pybind11_fail("NumPy: invalid buffer descriptor!");
    record.descr = std::move(made);
    record.format = std::move(text);
}

void fail_without_record(const std::type_info &type) {
    pybind11_fail("NumPy type info missing for " + readable_name(type));
}

PyObject *dtype_of_array(const dtype &element, const std::vector<ssize_t> &extents) {
    return dtype_from_object(make_tuple(element, shape_tuple(extents)).ptr());
}

broadcast_trivial broadcast_buffers(const buffer_info *buffers, size_t count, std::vector<ssize_t> &shape) {
    size_t dimensions = 0;
    for (size_t i = 0; i < count; ++i) dimensions = std::max(dimensions, buffers[i].shape.size());
    shape.assign(dimensions, 1);
    for (size_t i = 0; i < count; ++i) {
        const auto &own = buffers[i].shape;
        for (size_t axis = 0; axis < own.size(); ++axis) {
            ssize_t &whole = shape[dimensions - own.size() + axis];
            if (whole == 1)
                whole = own[axis];
            else if (own[axis] != 1 && own[axis] != whole)
                pybind11_fail("pybind11::vectorize: incompatible size/dimension of inputs!");
        }
    }
    bool is_c = true, is_f = true;
    for (size_t i = 0; i < count; ++i) {
        if (buffers[i].size == 1) continue;
        if (buffers[i].shape != shape) return broadcast_trivial::non_trivial;
        is_c = is_c && buffers[i].strides == c_strides(shape, buffers[i].itemsize);
        is_f = is_f && buffers[i].strides == f_strides(shape, buffers[i].itemsize);
    }
    return is_c ? broadcast_trivial::c_trivial : is_f ? broadcast_trivial::f_trivial : broadcast_trivial::non_trivial;
}

broadcast_walk::broadcast_walk(const buffer_info *buffers, size_t count, const std::vector<ssize_t> &shape,
                               bool is_fortran)
    : m_shape(shape), m_index(shape.size(), 0) {
    for (size_t i = 0; i < count; ++i) {
        at.push_back(static_cast<char *>(buffers[i].ptr));
        const auto &own = buffers[i].shape;
        std::vector<ssize_t> strides(shape.size(), 0);
        for (size_t axis = 0; axis < own.size(); ++axis) {
            if (own[axis] != 1) strides[shape.size() - own.size() + axis] = buffers[i].strides[axis];
        }
        if (is_fortran) std::reverse(strides.begin(), strides.end());
        m_strides.push_back(std::move(strides));
    }
    if (is_fortran) std::reverse(m_shape.begin(), m_shape.end());
}

void broadcast_walk::advance() {
    for (size_t axis = m_shape.size(); axis-- > 0;) {
        bool is_last = ++m_index[axis] == m_shape[axis];
        for (size_t i = 0; i < at.size(); ++i) at[i] += m_strides[i][axis] * (is_last ? 1 - m_shape[axis] : 1);
        if (!is_last) return;
        m_index[axis] = 0;
    }
}

}  // namespace detail
}  // namespace pybind11
