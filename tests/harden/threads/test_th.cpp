// tests/harden/threads/test_th.cpp: TH from 8 threads: tensors of their own and views of one that all read, references
// to one storage, errors, generators; other numbers of threads and forked children meanwhile.
#include "../../support/at_once.h"
#include "../../support/forked.h"
#include "../../th/expect.h"

#include <functional>

namespace {

constexpr int64_t rows = 301, columns = 307;  // of which large functions make several slices

THFloatTensor *numbers() {
    THFloatTensor *t = THFloatTensor_newWithSize2d(rows, columns);
    for (int64_t i = 0; i < rows * columns; i++) THFloatTensor_data(t)[i] = float(i * 7 % 23) / 16 + 0.5f;
    return t;
}

void first_calls() {  // before any other: what is looked up once is looked up by all at once
    EXPECT(wrong_at_once([](int) {
               THFloatTensor *t = THFloatTensor_newWithSize1d(100000);
               THFloatTensor_fill(t, 2);
               const bool right = THFloatTensor_sumall(t) == 200000 && THGetNumThreads() > 0 && THGetNumCores() > 0;
               THFloatTensor_free(t);
               return right && error_of([] { THError("one"); }).text.find("one") == 0;
           }) == 0);
}

// What each thread computes of the shared tensor, through views that it makes, in tensors of its own.
std::vector<double> compute(THFloatTensor *shared) {
    std::vector<double> sums;
    THFloatTensor *across = THFloatTensor_newTranspose(shared, 0, 1), *part = THFloatTensor_newNarrow(shared, 0, 3, 200);
    THFloatTensor *r = THFloatTensor_new();
    THLongTensor *index = THLongTensor_new();
    auto add = [&] { sums.push_back(THFloatTensor_sumall(r)); };
    THFloatTensor_exp(r, shared), add();
    THFloatTensor_mul(r, across, 3), add();
    THFloatTensor_cadd(r, part, 2, part), add();
    THFloatTensor_sum(r, across, 0, 0), add();
    THFloatTensor_max(r, index, shared, 1, 0), add();
    THFloatTensor_cumsum(r, across, 1), add();
    THFloatTensor_sort(r, index, shared, 1, 0), add();
    THFloatTensor_var(r, shared, 0, 0, 0), add();
    THFloatTensor_resize1d(r, 0);
    for (int i = 0; i < 20; i++) {  // growth, which moves the storage that two tensors share
        THFloatTensor *alias = THFloatTensor_newWithTensor(r);
        THFloatTensor_resize1d(r, 1000 * (i + 1));
        THFloatTensor_fill(r, float(i));
        THFloatTensor_resize1d(alias, 500);
        sums.push_back(THFloatTensor_sumall(alias));
        THFloatTensor_free(alias);
    }
    THLongTensor_resize1d(index, rows);
    for (int64_t i = 0; i < rows; i++) THLongTensor_set1d(index, i, i * 5 % rows);
    THFloatTensor_indexSelect(r, shared, 0, index), add();
    THFloatTensor_resize2d(r, rows, rows);
    THFloatTensor_addmm(r, 0, r, 1, shared, across), add();
    THFloatTensor_free(across), THFloatTensor_free(part), THFloatTensor_free(r);
    THLongTensor_free(index);
    return sums;
}

void shared_inputs() {
    THFloatTensor *shared = numbers();
    THSetNumThreads(1);
    const std::vector<double> expected = compute(shared);
    auto is_expected = [&](int) { return difference(compute(shared), expected) < 1; };  // parts of addmm may round
    EXPECT(wrong_at_once([&](int number) {
               THSetNumThreads(3);
               return is_expected(number);
           }) == 0);
    int threads = 0;
    const Meanwhile other_counts([&threads] {
        THSetNumThreads(threads = threads % 5 + 1);
        THInferNumThreads();
    });
    EXPECT(wrong_at_once([&](int number) {
               bool right = true;
               for (int i = 1; i < 4; i++) {
                   THSetNumThreads(i);
                   right &= THGetNumThreads() == i && is_expected(number);
               }
               return right;
           }) == 0);
    EXPECT(shared->refcount == 1 && shared->storage->refcount == 1);
    THFloatTensor_free(shared);
}

// Every thread has a reference, writes its part and lets go: the last one, whichever it is, frees all parts.
void references() {
    static std::atomic<int> freed{0};
    THAllocator counting = {
        [](void *, ptrdiff_t size) { return THAlloc(size); },
        [](void *, void *data, ptrdiff_t size) { return THRealloc(data, size); },
        [](void *, void *data) {
            memset(data, 0, threads_at_once * sizeof(float));  // a write after those of all threads
            freed.fetch_add(1, std::memory_order_relaxed);
            THFree(data);
        },
    };
    for (int i = 0; i < 50; i++) {
        THFloatStorage *storage = THFloatStorage_newWithAllocator(threads_at_once, &counting, nullptr);
        THFloatTensor *t = THFloatTensor_newWithStorage1d(storage, 0, threads_at_once, 1);
        for (int k = 1; k < threads_at_once; k++) THFloatStorage_retain(storage), THFloatTensor_retain(t);
        EXPECT(wrong_at_once([&](int number) {
                   for (int k = 0; k < 50; k++) {
                       THFloatTensor *view = THFloatTensor_newNarrow(t, 0, number, 1);
                       THFloatTensor_fill(view, float(k));
                       THFloatTensor_free(view);
                       THFloatTensor_retain(t), THFloatStorage_retain(storage);
                       THFloatTensor_free(t), THFloatStorage_free(storage);
                   }
                   const bool right = storage->data[number] == 49;
                   THFloatTensor_free(t);
                   THFloatStorage_free(storage);
                   return right;
               }) == 0);
        EXPECT(freed.load() == i + 1);
    }
}

void remember(const char *text, void *data) { throw Caught{*static_cast<int *>(data), text}; }
void remember_argument(int number, const char *, void *data) {
    throw Caught{100 * number + *static_cast<int *>(data), ""};
}

// Errors that are found inside parallel regions, in each thread its own, with a handler of its own in half of them.
bool own_errors(int number) {
    int mine = number;
    const bool has_handlers = number % 2;
    if (has_handlers) THSetErrorHandler(remember, &mine), THSetArgErrorHandler(remember_argument, &mine);
    THSetNumThreads(3);
    bool right = true;
    THIntTensor *t = THIntTensor_newWithSize1d(100000), *zeros = THIntTensor_newWithSize1d(100000);
    THFloatTensor *source = THFloatTensor_newWithSize2d(500, 200), *r = THFloatTensor_newWithSize2d(500, 200);
    THLongTensor *index = THLongTensor_newWithSize2d(500, 200);
    THIntTensor_fill(t, 7), THIntTensor_zero(zeros), THFloatTensor_zero(source), THLongTensor_zero(index);
    THLongTensor_set2d(index, 60 * number, number, 1000 + number);
    for (int i = 0; i < 10; i++) {
        const Caught division = error_of([&] { THIntTensor_cdiv(t, t, zeros); });
        right &= division.argument == (has_handlers ? number : 0) || division.argument == (has_handlers ? number + 300 : 3);
        const Caught gathered = error_of([&] { THFloatTensor_gather(r, source, 1, index); });
        right &= gathered.argument >= 0 && (!has_handlers || gathered.argument % 100 == number);
        const Caught told = error_of([&] { THError("of %d", number); });
        right &= told.argument == (has_handlers ? number : 0) && told.text.find("of " + std::to_string(number)) == 0;
    }
    THIntTensor_free(t), THIntTensor_free(zeros), THFloatTensor_free(source), THFloatTensor_free(r);
    THLongTensor_free(index);
    if (has_handlers) THSetErrorHandler(nullptr, nullptr), THSetArgErrorHandler(nullptr, nullptr);
    return right;
}

void errors() {
    EXPECT(wrong_at_once(own_errors) == 0);
    const Meanwhile defaults_again([] { catch_errors(); });
    EXPECT(wrong_at_once(own_errors) == 0);
}

// Generators of their own, which begin as copies of one that is shared.
void generators() {
    THGenerator *shared = THGenerator_new();
    THRandom_manualSeed(shared, 5);
    auto draw = [&] {
        THGenerator *own = THGenerator_new();
        THGenerator_copy(own, shared);
        THFloatTensor *t = THFloatTensor_newWithSize1d(100000);
        std::vector<double> drawn;
        THFloatTensor_uniform(t, own, 0, 1), drawn.push_back(THFloatTensor_sumall(t));
        THFloatTensor_normal(t, own, 0, 1), drawn.push_back(THFloatTensor_sumall(t));
        THFloatTensor_bernoulli(t, own, 0.25), drawn.push_back(THFloatTensor_sumall(t));
        THFloatTensor_exponential(t, own, 2), drawn.push_back(THFloatTensor_sumall(t));
        THFloatTensor_randperm(t, own, 1000), drawn.push_back(double(THRandom_random64(own)));
        THFloatTensor_free(t);
        THGenerator_free(own);
        return drawn;
    };
    const std::vector<double> expected = draw();
    EXPECT(wrong_at_once([&](int) { return draw() == expected; }) == 0);
    THGenerator_free(shared);
}

// Children that are forked while other threads compute and fail; no BLAS, whose locks are not ours.
[[maybe_unused]] void forks() {
    THFloatTensor *shared = numbers(), *expected = THFloatTensor_new();
    THFloatTensor_exp(expected, shared);
    auto is_exp = [&] {
        THFloatTensor *r = THFloatTensor_new();
        THFloatTensor_exp(r, shared);
        const bool right = THFloatTensor_equal(r, expected);
        THFloatTensor_free(r);
        return right;
    };
    EXPECT(wrong_at_once([&](int number) {
               bool right = true;
               for (int i = 0; i < 5; i++)
                   right &= number > 1 ? is_exp() && own_errors(number)
                                       : holds_in_child([&] { return is_exp() && own_errors(number); });
               return right;
           }) == 0);
    THFloatTensor_free(shared), THFloatTensor_free(expected);
}

}  // namespace

int main() {
    catch_errors();
    first_calls();
    shared_inputs();
    references();
    errors();
    generators();
#ifndef __SANITIZE_ADDRESS__  // whose allocator may be locked in a child that was forked while others allocated
    forks();
#endif
    return failures != 0;
}
