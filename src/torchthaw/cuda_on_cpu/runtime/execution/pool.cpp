// cuda_on_cpu/runtime/pool.cpp: threads that wait for work. A child process after fork() has no CUDA, and so no work.
#include "pool.h"

#include <sched.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace cuda_on_cpu {
namespace {

struct Pool {
    std::mutex mutex;
    std::condition_variable begun, ended;
    unsigned round = 0, busy = 0, threads = 0;
    void (*work)(void *) = nullptr;
    void *argument = nullptr;

    void add() {
        std::thread([this, seen = round]() mutable {
            for (;;) {
                std::unique_lock<std::mutex> lock(mutex);
                begun.wait(lock, [&] { return round != seen; });
                seen = round;
                lock.unlock();
                work(argument);
                lock.lock();
                if (--busy == 0) ended.notify_one();
            }
        }).detach();
        ++threads;
    }
};

// Never destroyed: its threads wait in it until the process ends.
Pool &the_pool() {
    static Pool &pool = *new Pool;
    return pool;
}

}  // namespace

unsigned host_threads() {
    static const unsigned number = [] {
        const char *given = std::getenv("OMP_NUM_THREADS");
        if (given && std::atoi(given) > 0) return unsigned(std::atoi(given));
        cpu_set_t set;
        if (sched_getaffinity(0, sizeof set, &set)) return 1u;
        return unsigned(CPU_COUNT(&set));
    }();
    return number;
}

void on_all_threads(void (*work)(void *), void *argument) {
    Pool &pool = the_pool();
    {
        std::lock_guard<std::mutex> lock(pool.mutex);
        while (pool.threads + 1 < host_threads()) pool.add();
        pool.work = work;
        pool.argument = argument;
        pool.busy = pool.threads;
        ++pool.round;
    }
    pool.begun.notify_all();
    work(argument);
    std::unique_lock<std::mutex> lock(pool.mutex);
    pool.ended.wait(lock, [&] { return pool.busy == 0; });
}

}  // namespace cuda_on_cpu
