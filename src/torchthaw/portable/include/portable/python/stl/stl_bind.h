// portable/python/stl/stl_bind.h: pybind11/stl_bind.h: containers of C++ as Python classes, without copies.
#pragma once
#include "portable/python/operators.h"

#include <algorithm>
#include <sstream>

namespace pybind11 {
namespace detail {

template <class T, class = void> struct is_comparable : std::false_type {};
template <class T> struct is_comparable<T, std::void_t<decltype(std::declval<const T &>() ==
        std::declval<const T &>())>>
    : std::conditional_t<std::is_same_v<checked_elements<T>, recursive_bottom>, std::true_type,
                         is_comparable<checked_elements<T>>> {};
template <class A, class B> struct is_comparable<std::pair<A, B>, void>
    : std::conjunction<is_comparable<std::remove_const_t<A>>, is_comparable<B>> {};
template <class T, class = void> struct is_printable : std::false_type {};
template <class T>
struct is_printable<T, std::void_t<decltype(std::declval<std::ostream &>() << std::declval<const T &>())>>
    : std::true_type {};

/// Index i of a sequence of n elements, counted from the end when it is negative; throws index_error.
inline size_t wrap_index(ssize_t i, size_t n) {
    if (i < 0) i += static_cast<ssize_t>(n);
    if (i < 0 || static_cast<size_t>(i) >= n) throw index_error();
    return static_cast<size_t>(i);
}
struct slice_range {
    size_t start, stop, step, count;
    slice_range(const slice &range, size_t n) {
        if (!range.compute(n, &start, &stop, &step, &count)) throw error_already_set();
    }
};

/// __repr__ where the elements have operator<<.
template <class Class, class Begin> void add_repr(Class &class_, const std::string &name, const Begin &write) {
    class_.def("__repr__", [name, write](const typename Class::type &all) {
        std::ostringstream text;
        text << name;
        write(text, all);
        return text.str();
    });
}

/// vector_buffer: a vector of numbers has the buffer protocol where buffer_protocol() is given.
template <class Vector, class Class, class... Extra> void add_vector_buffer(Class &class_) {
    using T = typename Vector::value_type;
    if constexpr ((std::is_same_v<std::decay_t<Extra>, buffer_protocol> || ...)) {
        format_descriptor<T>::format();
        class_.def_buffer([](Vector &v) {
            return buffer_info(v.data(), sizeof(T), format_descriptor<T>::format(), 1, {v.size()}, {sizeof(T)});
        });
        class_.def(init([](const buffer &source) {
            buffer_info info = source.request();
            if (info.ndim != 1 || info.strides[0] % static_cast<ssize_t>(sizeof(T)))
                throw type_error("Only valid 1D buffers can be copied to a vector");
            if (!compare_buffer_info<T>::compare(info) || static_cast<ssize_t>(sizeof(T)) != info.itemsize)
                throw type_error("Format mismatch (Python: " + info.format + " C++: " + format_descriptor<T>::format() +
                                 ")");
            T *at = static_cast<T *>(info.ptr);
            ssize_t step = info.strides[0] / static_cast<ssize_t>(sizeof(T));
            auto made = std::make_unique<Vector>();
            made->reserve(static_cast<size_t>(info.shape[0]));
            for (ssize_t i = 0; i < info.shape[0]; ++i, at += step) made->push_back(*at);
            return made;
        }));
    }
}

/// Methods that copy elements.
template <class Vector, class Class> void add_copying_methods(Class &class_) {
    using T = typename Vector::value_type;
    using D = typename Vector::difference_type;
    class_.def(init<const Vector &>(), "Copy constructor");
    class_.def("append", [](Vector &v, const T &value) { v.push_back(value); }, arg("x"),
               "Add an item to the end of the list");
    class_.def(init([](const iterable &values) {
        auto made = std::make_unique<Vector>();
        made->reserve(len_hint(values));
        for (handle value : values) made->push_back(value.cast<T>());
        return made;
    }));
    class_.def("clear", [](Vector &v) { v.clear(); }, "Clear the contents");
    class_.def("extend", [](Vector &v, const Vector &other) { v.insert(v.end(), other.begin(), other.end()); },
        arg("L"),
               "Extend the list by appending all the items in the given list");
    class_.def("extend", [](Vector &v, const iterable &values) {
        size_t before = v.size();
        v.reserve(before + len_hint(values));
        try {
            for (handle value : values) v.push_back(value.cast<T>());
        } catch (const cast_error &) {
            v.erase(v.begin() + static_cast<D>(before), v.end());
            try {
                v.shrink_to_fit();
            } catch (const std::exception &) {  // it is only memory
            }
            throw;
        }
    }, arg("L"), "Extend the list by appending all the items in the given list");
    class_.def("insert", [](Vector &v, ssize_t i, const T &value) {
        if (i < 0) i += static_cast<ssize_t>(v.size());
        if (i < 0 || static_cast<size_t>(i) > v.size()) throw index_error();
        v.insert(v.begin() + static_cast<D>(i), value);
    }, arg("i"), arg("x"), "Insert an item at a given position.");
    class_.def("pop", [](Vector &v) {
        if (v.empty()) throw index_error();
        T last = std::move(v.back());
        v.pop_back();
        return last;
    }, "Remove and return the last item");
    class_.def("pop", [](Vector &v, ssize_t i) {
        size_t at = wrap_index(i, v.size());
        T found = std::move(v[at]);
        v.erase(v.begin() + static_cast<D>(at));
        return found;
    }, arg("i"), "Remove and return the item at index ``i``");
    class_.def("__setitem__", [](Vector &v, ssize_t i, const T &value) { v[wrap_index(i, v.size())] = value; });
    class_.def("__getitem__", [](const Vector &v, const slice &range) {
        slice_range at(range, v.size());
        auto made = std::make_unique<Vector>();
        made->reserve(at.count);
        for (size_t i = 0; i < at.count; ++i, at.start += at.step) made->push_back(v[at.start]);
        return made.release();
    }, arg("s"), "Retrieve list elements using a slice object");
    class_.def("__setitem__", [](Vector &v, const slice &range, const Vector &values) {
        slice_range at(range, v.size());
        if (at.count != values.size())
            throw std::runtime_error("Left and right hand size of slice assignment have different sizes!");
        for (size_t i = 0; i < at.count; ++i, at.start += at.step) v[at.start] = values[i];
    }, "Assign list elements using a slice object");
    class_.def("__delitem__", [](Vector &v, ssize_t i) { v.erase(v.begin() + static_cast<D>(wrap_index(i,
        v.size()))); },
               "Delete the list elements at index ``i``");
    class_.def("__delitem__", [](Vector &v, const slice &range) {
        slice_range at(range, v.size());
        if (at.step == 1) {
            v.erase(v.begin() + static_cast<D>(at.start), v.begin() + static_cast<D>(at.start + at.count));
            return;
        }
        for (size_t i = 0; i < at.count; ++i, at.start += at.step - 1) v.erase(v.begin() + static_cast<D>(at.start));
    }, "Delete list elements using a slice object");
}

/// Methods that find elements by comparison.
template <class Vector, class Class> void add_comparing_methods(Class &class_) {
    using T = typename Vector::value_type;
    class_.def(self == self);
    class_.def(self != self);
    class_.def("count", [](const Vector &v, const T &x) { return std::count(v.begin(), v.end(), x); }, arg("x"),
               "Return the number of times ``x`` appears in the list");
    class_.def("remove", [](Vector &v, const T &x) {
        auto found = std::find(v.begin(), v.end(), x);
        if (found == v.end()) throw value_error();
        v.erase(found);
    }, arg("x"), "Remove the first item from the list whose value is x. It is an error if there is no such item.");
    class_.def("__contains__", [](const Vector &v, const T &x) { return std::find(v.begin(), v.end(), x) != v.end(); },
               arg("x"), "Return true the container contains ``x``");
}

}  // namespace detail

/// Binds a vector-like container as a class with the methods of a list.
template <class Vector, class Holder = std::unique_ptr<Vector>, class... Extra>
class_<Vector, Holder> bind_vector(handle scope, const std::string &name, Extra &&...extra) {
    using namespace detail;
    using T = typename Vector::value_type;
    using Class = class_<Vector, Holder>;
    Class made(scope, name.c_str(), module_local(), std::forward<Extra>(extra)...);
    add_vector_buffer<Vector, Class, Extra...>(made);
    made.def(init<>());
    if constexpr (detail::is_copy_constructible<Vector>::value) add_copying_methods<Vector>(made);
    if constexpr (detail::is_comparable<Vector>::value && !std::is_same_v<T,
            Vector>) add_comparing_methods<Vector>(made);
    if constexpr (detail::is_printable<T>::value)
        add_repr(made, name, [](std::ostream &text, const Vector &all) {
            text << '[';
            for (size_t i = 0; i < all.size(); ++i) text << (i > 0 ? ", " : "") << all[i];
            text << ']';
        });
    made.def("__bool__", [](const Vector &v) { return !v.empty(); }, "Check whether the list is nonempty");
    made.def("__len__", [](const Vector &v) { return v.size(); });
    constexpr bool has_references = std::is_lvalue_reference_v<decltype(std::declval<Vector &>()[0])> &&
                                    !std::is_same_v<T, bool>;
    if constexpr (has_references) {
        made.def("__getitem__", [](Vector &v, ssize_t i) -> T & { return v[wrap_index(i, v.size())]; },
                 return_value_policy::reference_internal);
        made.def("__iter__", [](Vector &v) {
            return make_iterator<return_value_policy::reference_internal>(v.begin(), v.end());
        }, keep_alive<0, 1>());
    } else {
        made.def("__getitem__", [](const Vector &v, ssize_t i) -> T { return v[wrap_index(i, v.size())]; });
        made.def("__iter__", [](Vector &v) {
            return make_iterator<return_value_policy::copy>(v.begin(), v.end());
        }, keep_alive<0, 1>());
    }
    return made;
}

}  // namespace pybind11

#include "portable/python/stl/map_bind.h"
