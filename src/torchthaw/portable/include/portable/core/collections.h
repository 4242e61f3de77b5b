// portable/core/collections.h: c10::List and c10::Dict. A copy is the same list or dictionary, as in PyTorch; layouts are our own.
#pragma once
#include <list>

#include "sizes.h"

namespace c10 {

template <class T>
class List {
    using Values = std::vector<T>;

  public:
    using value_type = T;
    using iterator = typename Values::iterator;
    List() : values_(std::make_shared<Values>()) {}
    List(std::initializer_list<T> values) : values_(std::make_shared<Values>(values)) {}
    explicit List(ArrayRef<T> values) : values_(std::make_shared<Values>(values.begin(), values.end())) {}
    explicit List(Values values) : values_(std::make_shared<Values>(std::move(values))) {}

    void push_back(T value) const { values_->push_back(std::move(value)); }
    template <class... Arguments>
    void emplace_back(Arguments &&...arguments) const {
        values_->emplace_back(std::forward<Arguments>(arguments)...);
    }
    void append(const List &other) const { values_->insert(values_->end(), other.begin(), other.end()); }
    void pop_back() const { values_->pop_back(); }
    iterator insert(iterator before, T value) const { return values_->insert(before, std::move(value)); }
    iterator erase(iterator one) const { return values_->erase(one); }
    void reserve(size_t n) const { values_->reserve(n); }
    void resize(size_t n) const { values_->resize(n); }
    void resize(size_t n, const T &value) const { values_->resize(n, value); }
    void clear() const { values_->clear(); }
    size_t size() const { return values_->size(); }
    bool empty() const { return values_->empty(); }
    // std::out_of_range for an index that the list does not have.
    typename Values::reference operator[](size_t i) const { return values_->at(i); }
    T get(size_t i) const { return values_->at(i); }
    T extract(size_t i) const { return std::move(values_->at(i)); }
    void set(size_t i, T value) const { values_->at(i) = std::move(value); }
    iterator begin() const { return values_->begin(); }
    iterator end() const { return values_->end(); }
    const Values &vec() const { return *values_; }
    /// Another list with the same elements.
    List copy() const { return List(*values_); }
    bool is(const List &other) const { return values_ == other.values_; }
    size_t use_count() const { return size_t(values_.use_count()); }
    friend bool operator==(const List &a, const List &b) { return a.is(b) || a.vec() == b.vec(); }
    friend bool operator!=(const List &a, const List &b) { return !(a == b); }

  private:
    std::shared_ptr<Values> values_;
};

/// Entries are in the order in which their keys were inserted.
template <class Key, class Value>
class Dict {
  public:
    class Entry {
      public:
        Entry(Key key, Value value) : key_(std::move(key)), value_(std::move(value)) {}
        const Key &key() const { return key_; }
        const Value &value() const { return value_; }
        template <class Given>
        void setValue(Given &&value) const {
            value_ = std::forward<Given>(value);
        }

      private:
        Key key_;
        mutable Value value_;
    };
    using key_type = Key;
    using mapped_type = Value;
    using iterator = typename std::list<Entry>::const_iterator;

    Dict() : state_(std::make_shared<State>()) {}
    Dict(std::initializer_list<std::pair<Key, Value>> entries) : Dict() {
        for (const auto &[key, value] : entries) insert(key, value);
    }

    iterator begin() const { return state_->entries.begin(); }
    iterator end() const { return state_->entries.end(); }
    size_t size() const { return state_->entries.size(); }
    bool empty() const { return size() == 0; }
    iterator find(const Key &key) const {
        const auto found = state_->places.find(key);
        return found == state_->places.end() ? end() : iterator(found->second);
    }
    bool contains(const Key &key) const { return state_->places.count(key) != 0; }
    /// std::out_of_range for a key that is not there.
    Value at(const Key &key) const { return state_->places.at(key)->value(); }
    /// Leaves the value of a key that is there; second: whether it was not.
    std::pair<iterator, bool> insert(Key key, Value value) const {
        const auto found = state_->places.find(key);
        if (found != state_->places.end()) return {found->second, false};
        state_->entries.emplace_back(key, std::move(value));
        state_->places.emplace(std::move(key), std::prev(end()));
        return {std::prev(end()), true};
    }
    std::pair<iterator, bool> insert_or_assign(Key key, Value value) const {
        const auto found = state_->places.find(key);
        if (found == state_->places.end()) return insert(std::move(key), std::move(value));
        found->second->setValue(std::move(value));
        return {found->second, false};
    }
    /// How many entries there were of the key, 0 or 1.
    size_t erase(const Key &key) const {
        const auto found = state_->places.find(key);
        if (found == state_->places.end()) return 0;
        state_->entries.erase(found->second);
        state_->places.erase(found);
        return 1;
    }
    void erase(iterator one) const { erase(Key(one->key())); }
    void clear() const {
        state_->places.clear();
        state_->entries.clear();
    }
    void reserve(size_t n) const { state_->places.reserve(n); }
    /// Another dictionary with the same entries.
    Dict copy() const {
        Dict made;
        for (const Entry &entry : *this) made.insert(entry.key(), entry.value());
        return made;
    }
    bool is(const Dict &other) const { return state_ == other.state_; }

  private:
    struct State {
        std::list<Entry> entries;
        std::unordered_map<Key, iterator> places;
    };
    std::shared_ptr<State> state_;
};

}  // namespace c10
