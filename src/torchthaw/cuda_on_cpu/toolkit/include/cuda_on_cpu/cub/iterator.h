// cuda_on_cpu/cub/iterator.h: the base of cub's iterators, which have their steps from it.
#pragma once

#include <cuda_on_cpu/cub/cub.h>

#include <cstddef>

namespace cuda_on_cpu {

// Self has at(n): what is n places on; and step(n).
template <typename Self, typename Value, typename Reference, typename Offset> class CubIterator {
public:
    using self_type = Self;
    using difference_type = Offset;
    using value_type = Value;
    using pointer = Value *;
    using reference = Reference;
    using iterator_category = std::random_access_iterator_tag;

    decltype(auto) operator*() const { return self().at(Offset(0)); }
    template <typename Distance> decltype(auto) operator[](Distance n) const { return self().at(Offset(n)); }
    template <typename Distance> Self operator+(Distance n) const {
        Self moved = self();
        moved.step(Offset(n));
        return moved;
    }
    template <typename Distance> Self operator-(Distance n) const { return self() + -Offset(n); }
    template <typename Distance> Self &operator+=(Distance n) { return self() = self() + n; }
    template <typename Distance> Self &operator-=(Distance n) { return self() = self() - n; }
    Self &operator++() { return *this += 1; }
    Self operator++(int) {
        Self before = self();
        *this += 1;
        return before;
    }

protected:
    Self &self() { return static_cast<Self &>(*this); }
    const Self &self() const { return static_cast<const Self &>(*this); }
};

}  // namespace cuda_on_cpu
