// tests/support/at_once.h: work in several threads that begin together, and what another thread does meanwhile.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

constexpr int threads_at_once = 8;

// work(number) in every thread, which returns whether all was right; the number of threads where it was not.
template <typename Work> int wrong_at_once(Work work) {
    std::atomic<int> missing{threads_at_once}, wrong{0};
    std::vector<std::thread> threads;
    for (int number = 0; number < threads_at_once; ++number)
        threads.emplace_back([&, number] {
            // Relaxed: this start must not be what orders the accesses of the threads.
            missing.fetch_sub(1, std::memory_order_relaxed);
            while (missing.load(std::memory_order_relaxed) > 0) std::this_thread::yield();
            if (!work(number)) wrong.fetch_add(1, std::memory_order_relaxed);
        });
    for (std::thread &thread : threads) thread.join();
    return wrong;
}

// Calls `work` in a thread of its own, again and again, from its construction on to its end.
class Meanwhile {
public:
    template <typename Work>
    explicit Meanwhile(Work work)
        : thread_([this, work] {
              while (!ended_.load(std::memory_order_relaxed)) {
                  work();
                  std::this_thread::yield();
              }
          }) {}
    Meanwhile(const Meanwhile &) = delete;
    Meanwhile &operator=(const Meanwhile &) = delete;
    ~Meanwhile() {
        ended_.store(true, std::memory_order_relaxed);
        thread_.join();
    }

private:
    std::atomic<bool> ended_{false};
    std::thread thread_;
};
