// portable/python/stl/map_bind.h: bind_map: maps of C++ as Python classes with the methods of a dictionary.
#pragma once
#include "portable/python/stl/stl_bind.h"

namespace pybind11 {
namespace detail {

/// What keys(), values() and items() return: views of a map, whose C++ type does not show the map's.
struct keys_view {
    virtual size_t len() = 0;
    virtual iterator iter() = 0;
    virtual bool contains(const handle &key) = 0;
    virtual ~keys_view() = default;
};
struct values_view {
    virtual size_t len() = 0;
    virtual iterator iter() = 0;
    virtual ~values_view() = default;
};
struct items_view {
    virtual size_t len() = 0;
    virtual iterator iter() = 0;
    virtual ~items_view() = default;
};
template <class Map> struct keys_of : keys_view {
    Map &map;
    explicit keys_of(Map &map) : map(map) {}
    size_t len() override { return map.size(); }
    iterator iter() override { return make_key_iterator(map.begin(), map.end()); }
    bool contains(const handle &key) override {
        try {
            return map.find(key.cast<typename Map::key_type>()) != map.end();
        } catch (const cast_error &) {
            return false;
        }
    }
};
template <class Map> struct values_of : values_view {
    Map &map;
    explicit values_of(Map &map) : map(map) {}
    size_t len() override { return map.size(); }
    iterator iter() override { return make_value_iterator(map.begin(), map.end()); }
};
template <class Map> struct items_of : items_view {
    Map &map;
    explicit items_of(Map &map) : map(map) {}
    size_t len() override { return map.size(); }
    iterator iter() override { return make_iterator(map.begin(), map.end()); }
};

/// Binds a view's class where no map has bound it before.
template <class View> void bind_view(handle scope, const char *name) {
    if (find_class(typeid(View))) return;
    class_<View> made(scope, name, module_local());
    made.def("__len__", &View::len);
    made.def("__iter__", &View::iter, keep_alive<0, 1>());
    if constexpr (std::is_same_v<View, keys_view>) made.def("__contains__", &View::contains);
}

/// The text of a key for an error, shortened. `key` may be null.
std::string shown_key(const object &key);
template <class K> std::string text_of_key(const K &key) {
    object shown;
    try {
        shown = pybind11::cast(key);
    } catch (const std::exception &) {  // its type is not registered
    }
    return shown_key(shown);
}

}  // namespace detail

/// Binds a map-like container as a class with the methods of a dictionary.
template <class Map, class Holder = std::unique_ptr<Map>, class... Extra>
class_<Map, Holder> bind_map(handle scope, const std::string &name, Extra &&...extra) {
    using namespace detail;
    using K = typename Map::key_type;
    using E = typename Map::mapped_type;
    class_<Map, Holder> made(scope, name.c_str(), module_local(), std::forward<Extra>(extra)...);
    bind_view<keys_view>(scope, "KeysView");
    bind_view<values_view>(scope, "ValuesView");
    bind_view<items_view>(scope, "ItemsView");
    made.def(init<>());
    if constexpr (detail::is_printable<K>::value && detail::is_printable<E>::value)
        add_repr(made, name, [](std::ostream &text, const Map &all) {
            const char *before = "{";
            for (const auto &each : all) {
                text << std::exchange(before, ", ") << each.first << ": " << each.second;
            }
            text << (all.empty() ? "{}" : "}");
        });
    made.def("__bool__", [](const Map &m) { return !m.empty(); }, "Check whether the map is nonempty");
    made.def("__iter__", [](Map &m) { return make_key_iterator(m.begin(), m.end()); }, keep_alive<0, 1>());
    made.def("keys", [](Map &m) { return std::unique_ptr<keys_view>(new keys_of<Map>(m)); }, keep_alive<0, 1>());
    made.def("values", [](Map &m) { return std::unique_ptr<values_view>(new values_of<Map>(m)); }, keep_alive<0, 1>());
    made.def("items", [](Map &m) { return std::unique_ptr<items_view>(new items_of<Map>(m)); }, keep_alive<0, 1>());
    made.def("__getitem__", [](Map &m, const K &key) -> E & {
        auto found = m.find(key);
        if (found == m.end()) throw key_error(text_of_key(key));
        return found->second;
    }, return_value_policy::reference_internal);
    made.def("__contains__", [](Map &m, const K &key) { return m.find(key) != m.end(); });
    made.def("__contains__", [](Map &, const object &) { return false; });
    if constexpr (detail::is_copy_assignable<E>::value)
        made.def("__setitem__", [](Map &m, const K &key, const E &value) {
            auto found = m.find(key);
            if (found != m.end()) found->second = value;
            else m.emplace(key, value);
        });
    else if constexpr (detail::is_copy_constructible<E>::value)
        made.def("__setitem__", [](Map &m, const K &key, const E &value) {
            m.erase(key);
            m.emplace(key, value);
        });
    made.def("__delitem__", [](Map &m, const K &key) {
        auto found = m.find(key);
        if (found == m.end()) throw key_error(text_of_key(key));
        m.erase(found);
    });
    made.def("__len__", [](const Map &m) { return m.size(); });
    return made;
}

}  // namespace pybind11
