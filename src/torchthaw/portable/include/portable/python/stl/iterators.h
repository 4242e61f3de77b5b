// portable/python/stl/iterators.h: iterators over tuples, lists, sequences and dictionaries, for C++ algorithms.
#pragma once
#include "portable/python/objects/object.h"

namespace pybind11 {
namespace detail {

/// Element access by a number, as accessors do it.
template <accessor::kind which> struct item_policy {
    template <class I> static object get(handle owner, I index) {
        return accessor(owner, static_cast<ssize_t>(index), which).get();
    }
    template <class I> static void set(handle owner, I index, handle value) {
        accessor(owner, static_cast<ssize_t>(index), which).set(borrowed(value.ptr()));
    }
};
namespace accessor_policies {
using sequence_item = item_policy<accessor::kind::sequence_item>;
using list_item = item_policy<accessor::kind::list_item>;
using tuple_item = item_policy<accessor::kind::tuple_item>;
}  // namespace accessor_policies

/// A temporary that `->` reaches.
template <class T> struct arrow_proxy {
    T value;
    T *operator->() { return &value; }
};

/// A place in a tuple or a list, which gives borrowed elements, or in another sequence, which gives accessors.
template <accessor::kind which> class index_iterator {
    handle m_owner;
    ssize_t m_at = 0;
    static constexpr bool is_borrowed = which != accessor::kind::sequence_item;

  public:
    using iterator_category = std::random_access_iterator_tag;
    using difference_type = ssize_t;
    using value_type = std::conditional_t<is_borrowed, handle, accessor>;
    using reference = std::conditional_t<is_borrowed, const handle, accessor>;
    using pointer = arrow_proxy<reference>;

    index_iterator() = default;
    index_iterator(handle owner, ssize_t at) : m_owner(owner), m_at(at) {}
    reference operator*() const { return (*this)[0]; }
    reference operator[](ssize_t offset) const {
        if constexpr (which == accessor::kind::tuple_item) return PyTuple_GetItem(m_owner.ptr(), m_at + offset);
        else if constexpr (which == accessor::kind::list_item) return PyList_GetItem(m_owner.ptr(), m_at + offset);
        else return {m_owner, m_at + offset, which};
    }
    pointer operator->() const { return {**this}; }
    index_iterator &operator+=(ssize_t count) { return m_at += count, *this; }
    index_iterator &operator-=(ssize_t count) { return m_at -= count, *this; }
    index_iterator &operator++() { return *this += 1; }
    index_iterator &operator--() { return *this -= 1; }
    index_iterator operator++(int) { return {m_owner, m_at++}; }
    index_iterator operator--(int) { return {m_owner, m_at--}; }
    friend index_iterator operator+(index_iterator at, ssize_t count) { return at += count; }
    friend index_iterator operator+(ssize_t count, index_iterator at) { return at += count; }
    friend index_iterator operator-(index_iterator at, ssize_t count) { return at -= count; }
    friend ssize_t operator-(const index_iterator &a, const index_iterator &b) { return a.m_at - b.m_at; }
    friend bool operator==(const index_iterator &a, const index_iterator &b) { return a.m_at == b.m_at; }
    friend bool operator!=(const index_iterator &a, const index_iterator &b) { return a.m_at != b.m_at; }
    friend bool operator<(const index_iterator &a, const index_iterator &b) { return a.m_at < b.m_at; }
    friend bool operator>(const index_iterator &a, const index_iterator &b) { return a.m_at > b.m_at; }
    friend bool operator<=(const index_iterator &a, const index_iterator &b) { return a.m_at <= b.m_at; }
    friend bool operator>=(const index_iterator &a, const index_iterator &b) { return a.m_at >= b.m_at; }
};
using tuple_iterator = index_iterator<accessor::kind::tuple_item>;
using list_iterator = index_iterator<accessor::kind::list_item>;
using sequence_iterator = index_iterator<accessor::kind::sequence_item>;

/// Iterates over (key, value); the dictionary must not change meanwhile.
class dict_iterator {
    handle m_dict;
    ssize_t m_at = 0;
    PyObject *m_key = nullptr, *m_value = nullptr;
    bool m_more = false;

  public:
    using iterator_category = std::forward_iterator_tag;
    using difference_type = ssize_t;
    using value_type = std::pair<handle, handle>;
    using reference = const value_type;
    using pointer = arrow_proxy<const value_type>;

    dict_iterator() = default;
    explicit dict_iterator(handle dict) : m_dict(dict) { ++*this; }
    dict_iterator &operator++() {
        m_more = PyDict_Next(m_dict.ptr(), &m_at, &m_key, &m_value) != 0;
        return *this;
    }
    dict_iterator operator++(int) {
        dict_iterator before = *this;
        ++*this;
        return before;
    }
    reference operator*() const { return {m_key, m_value}; }
    pointer operator->() const { return {**this}; }
    bool operator==(const dict_iterator &other) const {
        return m_more == other.m_more && (!m_more || m_at == other.m_at);
    }
    bool operator!=(const dict_iterator &other) const { return !(*this == other); }
};

}  // namespace detail
}  // namespace pybind11
