// portable/runtime/pytorch/parallel.cpp: at::parallel_for, by PyTorch's threads.
#include <cxxabi.h>

#include <thread>

#include <portable/parallel.h>
#include <portable/python/annotations.h>

namespace torchthaw {
namespace {

thread_local int thread_number = 0;
thread_local bool inside = false;

/// A loop that several threads share.
struct Loop {
    int64_t begin, end, grain_size;
    void (*body)(void *, int64_t, int64_t);
    void *context;
    std::atomic<bool> failed{false};
    std::exception_ptr error = nullptr;

    void run(int64_t from, int64_t to) {
        const bool was_inside = std::exchange(inside, true);
        try {
            body(context, from, to);
        } catch (abi::__forced_unwind &) {
            throw;
        } catch (...) {
            if (!failed.exchange(true)) error = std::current_exception();
        }
        inside = was_inside;
    }
    void rethrow() {
        if (error) std::rethrow_exception(error);
    }
};

/// What each thread of OpenMP does.
void run_part(void *given) {
    Loop &loop = *static_cast<Loop *>(given);
    const int64_t threads = pytorch.omp_num_threads(), number = pytorch.omp_thread_num();
    const int64_t part = at::divup(loop.end - loop.begin, threads);
    const int64_t from = loop.begin + number * part;
    if (from >= loop.end) return;
    thread_number = int(number);
    loop.run(from, std::min(loop.end, from + part));
    thread_number = 0;
}

}  // namespace

void parallel(int64_t begin, int64_t end, int64_t grain_size, void (*body)(void *, int64_t, int64_t), void *context) {
    TORCH_CHECK(grain_size >= 0, "parallel_for: expected grain_size of 0 or more, got ", grain_size);
    const int64_t parts = grain_size == 0 ? end - begin : at::divup(end - begin, grain_size);
    const int threads = int(std::min<int64_t>(at::get_num_threads(), parts));
    if (threads <= 1 || at::in_parallel_region()) return body(context, begin, end);
    Loop loop{begin, end, grain_size, body, context};
    // Where an operator is called by Python, a thread takes the GIL: the one that waits for the others must not hold it.
    pybind11::gil_scoped_acquire acquire;
    pybind11::gil_scoped_release release;
    if (pytorch.parallel_for) {
        check(pytorch.parallel_for(begin, end, grain_size,
                                   [](int64_t from, int64_t to, void *given) { static_cast<Loop *>(given)->run(from, to); }, &loop),
              "parallel_for");
    } else if (pytorch.gomp_parallel && pytorch.omp_num_threads && pytorch.omp_thread_num) {
        pytorch.gomp_parallel(run_part, &loop, unsigned(threads), 0);
    } else {
        loop.run(begin, end);
    }
    loop.rethrow();
}

}  // namespace torchthaw

namespace at {
inline namespace torchthaw_1 {

int get_num_threads() {
    if (torchthaw::pytorch.num_threads) return torchthaw::pytorch.num_threads();
    pybind11::gil_scoped_acquire gil;
    pybind11::object torch = pybind11::detail::owned(PyImport_ImportModule("torch"));
    return int(PyLong_AsLong(torch.attr("get_num_threads")().ptr()));
}

void set_num_threads(int threads) {
    pybind11::gil_scoped_acquire gil;
    pybind11::object torch = pybind11::detail::owned(PyImport_ImportModule("torch"));
    torch.attr("set_num_threads")(threads);
}

int get_thread_num() {
    uint32_t number = 0;
    if (torchthaw::pytorch.get_thread_idx && torchthaw::pytorch.get_thread_idx(&number) == 0) return int(number);
    return torchthaw::thread_number;
}

bool in_parallel_region() {
    return torchthaw::inside || (torchthaw::pytorch.in_parallel_region && torchthaw::pytorch.in_parallel_region());
}

int get_num_interop_threads() {
    pybind11::gil_scoped_acquire gil;
    pybind11::object torch = pybind11::detail::owned(PyImport_ImportModule("torch"));
    return int(PyLong_AsLong(torch.attr("get_num_interop_threads")().ptr()));
}

void launch(std::function<void()> function) { std::thread(std::move(function)).detach(); }

}  // namespace torchthaw_1
}  // namespace at
