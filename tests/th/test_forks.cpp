// tests/th/test_forks.cpp: children that are forked while other threads are in the middle of what the child needs next.
//
// A child has none of those threads: it waits for ever for what one of them holds, and is killed after a minute.
#include "at_once.h"
#include "expect.h"
#include "forked.h"

#include <chrono>
#include <cstdlib>

namespace {

// Other threads set the default handlers and raise errors; the child does both.
void errors() {
    const auto own = [] { return says(error_of([] { THError("in the child"); }), 0, "in the child"); };
    const auto fails = [] { error_of([] { THError("meanwhile"); }); };
    std::atomic<bool> ended{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&, i] {
            while (!ended.load(std::memory_order_relaxed)) i % 2 ? fails() : catch_errors();
        });
    bool right = true;
    for (int i = 0; right && i < 50; i++)
        right = holds_in_child([&] {
            const bool first = own();
            catch_errors();
            return first && own();
        });
    ended = true;
    for (std::thread &thread : threads) thread.join();
    EXPECT(right);
}

// The error of a function for which the BLAS library must be there.
Caught solved() {
    THDoubleTensor *a = tensor({4, 4}), *b = tensor({4, 1}), *x = THDoubleTensor_new(), *lu = THDoubleTensor_new();
    const Caught caught = error_of([&] { THDoubleTensor_gesv(x, lu, b, a); });
    for (THDoubleTensor *t : {a, b, x, lu}) THDoubleTensor_free(t);
    return caught;
}

// Another thread is loading the BLAS library, which takes 0.4 s.
void loading() {
    const char *const expected = "U(3,3) is zero, singular U.";
    std::thread other([&] { EXPECT(says(solved(), 0, expected)); });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (int i = 0; i < 3; i++) EXPECT(holds_in_child([&] { return says(solved(), 0, expected); }));
    other.join();
    EXPECT(holds_in_child([&] { return says(solved(), 0, expected); }));
}

// Other threads share the parts of their products among helpers.
void products() {
    constexpr int64_t n = 256;
    THSetNumThreads(3);
    THFloatTensor *ones = THFloatTensor_newWithSize2d(n, n);
    THFloatTensor_fill(ones, 1);
    const auto product = [&] {
        THFloatTensor *r = THFloatTensor_newWithSize2d(n, n);
        THFloatTensor_addmm(r, 0, r, 1, ones, ones);
        const bool right = THFloatTensor_minall(r) == n && THFloatTensor_maxall(r) == n;
        THFloatTensor_free(r);
        return right;
    };
    EXPECT(wrong_at_once([&](int number) {
               bool right = true;
               if (number == 0)
                   for (int i = 0; i < 10; i++) right &= holds_in_child(product);
               else
                   for (int i = 0; i < 100; i++) right &= product();
               return right;
           }) == 0);
    THFloatTensor_free(ones);
}

}  // namespace

int main() {
    setenv("THAW_BLAS", SLOW_BLAS, 1);
    catch_errors();
    errors();
    loading();
    products();
    return failures != 0;
}
