// c_api/base/setting.h: a value that threads may set and read at any time, without a lock: a child that is forked while
// another thread holds one would wait for it for ever.
#pragma once

#include <atomic>
#include <utility>

namespace base {

// Every value that was ever set is kept, equal ones once: another thread may be reading it. T has an operator ==.
template <typename T> class Setting {
public:
    constexpr Setting() = default;

    // The value that was set last; NULL before the first one.
    const T *get() const { return current_.load(); }

    // Throws std::bad_alloc, and then nothing has changed.
    void set(T value) {
        const Kept *kept = all_.load();
        while (kept && !(kept->value == value)) kept = kept->next;
        if (!kept) {
            Kept *added = new Kept{std::move(value), all_.load()};
            while (!all_.compare_exchange_weak(added->next, added)) {
            }
            kept = added;
        }
        current_.store(&kept->value);
    }

private:
    struct Kept {
        T value;
        Kept *next;
    };
    std::atomic<Kept *> all_{nullptr};
    std::atomic<const T *> current_{nullptr};
};

}  // namespace base
