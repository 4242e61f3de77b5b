// portable/core/intrusive.h: c10::intrusive_ptr, a pointer to an object that counts its own references.
#pragma once
#include "error.h"

namespace c10 {

template <class T>
class intrusive_ptr;

/// The base of what an intrusive_ptr points to. The count is this binary's own: such objects never go to PyTorch.
class intrusive_ptr_target {
  public:
    intrusive_ptr_target(const intrusive_ptr_target &) noexcept {}
    intrusive_ptr_target &operator=(const intrusive_ptr_target &) noexcept { return *this; }

  protected:
    intrusive_ptr_target() noexcept = default;
    virtual ~intrusive_ptr_target() = default;

  private:
    template <class T>
    friend class intrusive_ptr;
    /// Called when the last reference is gone, before the destructor.
    virtual void release_resources() {}
    mutable std::atomic<size_t> references_{0};
};

/// T is derived from intrusive_ptr_target.
template <class T>
class intrusive_ptr {
  public:
    using element_type = T;
    intrusive_ptr() noexcept = default;
    intrusive_ptr(std::nullptr_t) noexcept {}
    /// One reference more.
    explicit intrusive_ptr(T *target) noexcept : target_(target) { retain(); }
    intrusive_ptr(const intrusive_ptr &other) noexcept : intrusive_ptr(other.target_) {}
    intrusive_ptr(intrusive_ptr &&other) noexcept : target_(std::exchange(other.target_, nullptr)) {}
    template <class From, std::enable_if_t<std::is_convertible_v<From *, T *>, int> = 0>
    intrusive_ptr(const intrusive_ptr<From> &other) noexcept : intrusive_ptr(static_cast<T *>(other.get())) {}
    template <class From, std::enable_if_t<std::is_convertible_v<From *, T *>, int> = 0>
    intrusive_ptr(intrusive_ptr<From> &&other) noexcept : target_(other.release()) {}
    intrusive_ptr &operator=(intrusive_ptr other) noexcept {
        swap(other);
        return *this;
    }
    ~intrusive_ptr() { reset(); }

    T *get() const noexcept { return target_; }
    T &operator*() const noexcept { return *target_; }
    T *operator->() const noexcept { return target_; }
    explicit operator bool() const noexcept { return target_ != nullptr; }
    bool defined() const noexcept { return target_ != nullptr; }
    size_t use_count() const noexcept { return target_ ? counter().load() : 0; }
    bool unique() const noexcept { return use_count() == 1; }
    void swap(intrusive_ptr &other) noexcept { std::swap(target_, other.target_); }
    void reset() noexcept {
        T *target = std::exchange(target_, nullptr);
        if (target == nullptr || --base(target)->references_ != 0) return;
        base(target)->release_resources();
        delete base(target);
    }

    /// Gives the reference away, for reclaim() to take.
    T *release() noexcept { return std::exchange(target_, nullptr); }
    static intrusive_ptr reclaim(T *target) noexcept {
        intrusive_ptr taken;
        taken.target_ = target;
        return taken;
    }
    static intrusive_ptr reclaim_copy(T *target) noexcept { return intrusive_ptr(target); }
    static intrusive_ptr unsafe_reclaim_from_nonowning(T *target) noexcept { return intrusive_ptr(target); }
    template <class... Arguments>
    static intrusive_ptr make(Arguments &&...arguments) {
        return intrusive_ptr(new T(std::forward<Arguments>(arguments)...));
    }

  private:
    static intrusive_ptr_target *base(T *target) { return const_cast<intrusive_ptr_target *>(static_cast<const intrusive_ptr_target *>(target)); }
    std::atomic<size_t> &counter() const { return base(target_)->references_; }
    void retain() noexcept {
        if (target_) ++counter();
    }
    T *target_ = nullptr;
};

template <class T, class... Arguments>
intrusive_ptr<T> make_intrusive(Arguments &&...arguments) {
    return intrusive_ptr<T>::make(std::forward<Arguments>(arguments)...);
}
template <class To, class From>
intrusive_ptr<To> static_intrusive_pointer_cast(const intrusive_ptr<From> &from) {
    return intrusive_ptr<To>(static_cast<To *>(from.get()));
}
/// Null where the object is no To.
template <class To, class From>
intrusive_ptr<To> dynamic_intrusive_pointer_cast(const intrusive_ptr<From> &from) {
    return intrusive_ptr<To>(dynamic_cast<To *>(from.get()));
}

#define TORCHTHAW_COMPARE(symbol)                                                                                      \
    template <class A, class B>                                                                                        \
    bool operator symbol(const intrusive_ptr<A> &a, const intrusive_ptr<B> &b) {                                       \
        return a.get() symbol b.get();                                                                                 \
    }                                                                                                                  \
    template <class A>                                                                                                 \
    bool operator symbol(const intrusive_ptr<A> &a, std::nullptr_t) {                                                  \
        return a.get() symbol nullptr;                                                                                 \
    }
TORCHTHAW_COMPARE(==)
TORCHTHAW_COMPARE(!=)
#undef TORCHTHAW_COMPARE
template <class A>
bool operator<(const intrusive_ptr<A> &a, const intrusive_ptr<A> &b) {
    return std::less<A *>()(a.get(), b.get());
}

}  // namespace c10

namespace std {
template <class T>
struct hash<c10::intrusive_ptr<T>> {
    size_t operator()(const c10::intrusive_ptr<T> &pointer) const { return hash<T *>()(pointer.get()); }
};
}  // namespace std

namespace torch {
/// The base of the classes of torch::class_.
class CustomClassHolder : public c10::intrusive_ptr_target {};
namespace jit {
using torch::CustomClassHolder;
}
}  // namespace torch
