// c_api/base/once.h: a value that is found once, by the first thread which asks for it, while others wait for it.
//
// A static variable of a function does that too, but a child that is forked while another thread is finding its value
// waits for that thread, which it does not have. Here the child finds the value itself, as pthread_once() lets it. Where
// finding throws, the next one who asks tries again.
#pragma once

#include <atomic>
#include <mutex>
#include <type_traits>

namespace base {

template <typename T> class Once {
    static_assert(std::is_trivially_copyable_v<T>, "a child may find one that is half written");

public:
    // What find() returned.
    template <typename Find> const T &get(const Find &find) {
        if (!found_.load(std::memory_order_acquire))
            std::call_once(once_, [&] {
                value_ = find();
                found_.store(true, std::memory_order_release);
            });
        return value_;
    }

private:
    std::once_flag once_;
    std::atomic<bool> found_{false};
    T value_{};
};

}  // namespace base
