// c_api/th/linear_algebra/helpers.cpp: a job in parts that sleeping threads may take from the thread which brought it.
#include "th/linear_algebra/helpers.h"

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <new>
#include <pthread.h>
#include <thread>

namespace th {
namespace {

class Helpers {
public:
    void run(int parts, void (*part)(void *, int), void *body) {
        std::unique_lock<std::mutex> lock(state_);
        if (taken_) {  // by another caller
            lock.unlock();
            for (int i = 0; i < parts; i++) part(body, i);
            return;
        }
        assert(parts > 0 && !running_);
        taken_ = true;
        part_ = part, body_ = body, parts_ = parts, next_ = 0;
        hire(parts - 1);
        for (int i = 1; i < parts; i++) begun_.notify_one();
        take_parts(lock);
        ended_.wait(lock, [&] { return !running_; });
        taken_ = false;
    }

private:
    // Fewer where the system gives no more.
    void hire(int wanted) {
        try {
            for (; hired_ < wanted; hired_++) std::thread([this] { help(); }).detach();
        } catch (const std::exception &) {
        }
    }

    void help() {
        std::unique_lock<std::mutex> lock(state_);
        for (;;) {
            begun_.wait(lock, [&] { return next_ < parts_; });
            take_parts(lock);
            if (!running_) ended_.notify_one();
        }
    }

    void take_parts(std::unique_lock<std::mutex> &lock) {
        running_++;
        while (next_ < parts_) {
            const int number = next_++;
            lock.unlock();
            part_(body_, number);
            lock.lock();
        }
        assert(running_ > 0);
        running_--;
    }

    std::mutex state_;  // guards all that follows; the job's own members do not change while a part runs
    std::condition_variable begun_, ended_;
    void (*part_)(void *, int) = nullptr;
    void *body_ = nullptr;
    int parts_ = 0, next_ = 0, running_ = 0, hired_ = 0;
    bool taken_ = false;
};

// Never destroyed: helpers wait in it until the process ends. A forked process has none of them, and perhaps a lock that
// one of them held: it begins anew.
alignas(Helpers) char memory[sizeof(Helpers)];
Helpers *the_helpers = nullptr;

// When the library is loaded, not on first use, which may be in another thread while this one forks.
__attribute__((constructor)) void begin() {
    the_helpers = new (memory) Helpers;
    pthread_atfork(nullptr, nullptr, [] { the_helpers = new (memory) Helpers; });
}

}  // namespace

void run_with_helpers(int parts, void (*part)(void *body, int number), void *body) {
    the_helpers->run(parts, part, body);
}

}  // namespace th
