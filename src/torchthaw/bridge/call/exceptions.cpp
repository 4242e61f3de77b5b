/* exceptions.cpp: the try and catch around a call from Python, so that extensions themselves stay plain C. */
#include "exceptions.h"

#include "bridge/python.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace bridge {

namespace {

enum Pending { NOTHING, NO_MEMORY, ERROR };
thread_local Pending pending;
thread_local std::string pending_message; /* rethrowing the exception would cost as much as the call */

void set_pending(Pending what, const char *text) noexcept {
    pending = what;
    try {
        pending_message = text;
    } catch (const std::bad_alloc &error) {
        pending = NO_MEMORY;
        pending_message = error.what(); /* so short that it needs no memory */
    }
}

using Level = int (*)();

/* Held while the loader looks, and by a fork: a child that is made in the middle of that finds the loader's lists as they
   were then, and ends or waits for ever when it looks. */
pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;

Level level_of(const char *runtime) {
    pthread_mutex_lock(&looking);
    void *library = dlopen(runtime, RTLD_LAZY | RTLD_NOLOAD);
    pthread_mutex_unlock(&looking);
    return library == nullptr ? nullptr : reinterpret_cast<Level>(dlsym(library, "omp_get_level"));
}

/* How many libraries this process has loaded so far. */
unsigned long long loads() {
    unsigned long long found = 0;
    const auto read = [](dl_phdr_info *info, size_t, void *out) {
        *static_cast<unsigned long long *>(out) = info->dlpi_adds;
        return 1;
    };
    dl_iterate_phdr(read, &found);
    return found;
}

/* How many parallel regions this code is in. PyTorch may bring a copy of OpenMP's runtime beside the one that extensions
   are linked with, and that one may be loaded at any time. Looking for a library that is not there takes 20 us. */
int region_level() {
    static std::atomic<Level> of_torch{nullptr}, of_gcc{nullptr};
    static std::atomic<bool> looked_for_torch{false};
    static std::atomic<unsigned long long> looked_at{0};
    if (!looked_for_torch.load(std::memory_order_acquire)) { /* threads that look at once find the same */
        of_torch.store(level_of("libtorch_cpu.so"), std::memory_order_relaxed);
        looked_for_torch.store(true, std::memory_order_release);
    }
    const Level first = of_torch.load(std::memory_order_relaxed);
    Level other = of_gcc.load(std::memory_order_relaxed);
    if (other == nullptr) {
        const unsigned long long now = loads();
        if (looked_at.exchange(now, std::memory_order_relaxed) != now)
            of_gcc.store(other = level_of("libgomp.so.1"), std::memory_order_relaxed);
    }
    return (first == nullptr ? 0 : first()) + (other == nullptr || other == first ? 0 : other());
}

thread_local int caught_level; /* how many of them region_member() is in */

/* A forked child has none of the other threads: neither those of OpenMP nor one that was about to end the process. */
bool is_forked;
std::atomic<bool> is_ending{false};
const int watching = pthread_atfork(
    [] { pthread_mutex_lock(&looking); }, [] { pthread_mutex_unlock(&looking); },
    [] {
        pthread_mutex_unlock(&looking);
        is_forked = true;
        is_ending = false;
    });

/* Returns in the first thread that calls it, which then ends the process; the others wait for that. */
void end_alone() {
    if (!is_ending.exchange(true)) return;
    for (;;) pause();
}

/* An exception that leaves a region of C++ or a thread ends the process, in the words of the handler from before. Where
   others follow meanwhile, as they do in the other threads of a region, they wait for that end: the handler of gcc's
   runtime would only say "terminate called recursively". */
[[noreturn]] void end_once();
const std::terminate_handler end_process = std::set_terminate(end_once);

[[noreturn]] void end_once() {
    thread_local bool is_mine = false;
    if (is_mine) std::abort(); /* the handler itself failed */
    end_alone();
    is_mine = true;
    end_process();
    std::abort();
}

}  // namespace

bool guard(void (*run)(void *frame), void *frame) {
    try {
        run(frame);
        return true;
    } catch (const std::bad_alloc &error) {
        set_pending(NO_MEMORY, error.what());
    } catch (const std::exception &error) {
        set_pending(ERROR, error.what());
    } catch (abi::__forced_unwind &) {
        end_thread();
    } catch (...) {
        set_pending(ERROR, "a C++ exception that is no std::exception");
    }
    return false;
}

bool raise_pending(PyObject *(*fatal)()) {
    const Pending taken = std::exchange(pending, NOTHING);
    if (taken == NOTHING) return false;
    PyErr_Clear();
    if (taken == NO_MEMORY && fatal == nullptr) return PyErr_NoMemory(), true;
    PyObject *type = fatal == nullptr ? PyExc_RuntimeError : fatal();
    if (type == nullptr) return true;
    const auto length = static_cast<Py_ssize_t>(pending_message.size());
    const Ref text(PyUnicode_DecodeUTF8(pending_message.c_str(), length, "replace"));
    if (text != nullptr) PyErr_SetObject(type, text);
    return true;
}

void forget_pending() { pending = NOTHING; }

void throw_error(const std::string &message) {
    if (region_level() <= caught_level) throw std::runtime_error(message);
    end_alone(); /* one message, and nobody goes on meanwhile */
    std::fprintf(stderr, "error in a parallel region that cannot end early: %s\n", message.c_str());
    std::abort();
}

void throw_python_error() {
    std::string message = "an exception without a text";
    bool no_memory = PyErr_ExceptionMatches(PyExc_MemoryError);
    {
        SavedError error;
        const Ref text(error.value() == nullptr ? nullptr : PyObject_Str(error.value()));
        const Ref bytes(text == nullptr ? nullptr : PyUnicode_AsUTF8String(text));
        if (bytes != nullptr) message = PyBytes_AsString(bytes);
        else if (PyErr_ExceptionMatches(PyExc_MemoryError)) no_memory = true;
        error.drop();
    }
    PyErr_Clear();
    if (no_memory && region_level() <= caught_level) throw std::bad_alloc();
    throw_error(message);
}

/* A region keeps its exception in place, since no memory may be left for one: the first that a thread stores. */
static_assert(sizeof(std::exception_ptr) == sizeof(void *) && alignof(std::exception_ptr) == alignof(void *));

static void keep(thaw_region *region, std::exception_ptr caught) {
    void *none = nullptr, *pointer;
    std::memcpy(&pointer, &caught, sizeof pointer);
    if (__atomic_compare_exchange_n(&region->kept, &none, pointer, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        new (&caught) std::exception_ptr(); /* it is the region's now */
}

unsigned region_threads(unsigned asked) { return is_forked ? 1 : asked; }

void region_member(void *opaque) {
    auto *region = static_cast<thaw_region *>(opaque);
    const int outer = caught_level;
    caught_level = region_level();
    try {
        region->body(region->data);
    } catch (abi::__forced_unwind &) {
        end_thread();
    } catch (...) {
        keep(region, std::current_exception());
    }
    caught_level = outer;
}

void region_join(thaw_region *region) {
    void *pointer = __atomic_load_n(&region->kept, __ATOMIC_ACQUIRE);
    if (pointer == nullptr) return;
    std::exception_ptr exception;
    std::memcpy(static_cast<void *>(&exception), &pointer, sizeof pointer);
    std::rethrow_exception(std::move(exception));
}

}  // namespace bridge
