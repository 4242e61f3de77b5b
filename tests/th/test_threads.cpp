// tests/th/test_threads.cpp: results do not depend on the number of threads, and a forked child does not wait for them.
#include "expect.h"
#include "forked.h"

#include <functional>
#include <thread>
#include <utility>

namespace {

THFloatTensor *numbers(int64_t rows, int64_t columns, int layout) {
    THFloatTensor *t = THFloatTensor_newWithSize2d(layout ? columns : rows, layout ? rows : columns);
    float *data = THFloatTensor_data(t);
    for (int64_t i = 0; i < rows * columns; i++) data[i] = float(std::sin(0.37 * double(i))) + float(i % 7);
    if (layout) THFloatTensor_transpose(t, nullptr, 0, 1);
    return t;
}

struct Inputs {
    THFloatTensor *a, *b;
    THLongTensor *index;
    ~Inputs() {
        THFloatTensor_free(a), THFloatTensor_free(b);
        THLongTensor_free(index);
    }
};

void put_number(THFloatTensor *r, double number) {
    THFloatTensor_resize1d(r, 1);
    THFloatTensor_set1d(r, 0, float(number));
}

// A result whose rows begin `step` elements after each other: most places are written again and again.
void overlap(THFloatTensor *r, int64_t rows, int64_t step, int64_t columns) {
    THFloatStorage *storage = THFloatStorage_newWithSize(rows * step + columns);
    THFloatTensor_setStorage2d(r, storage, 0, rows, step, columns, 1);
    THFloatStorage_free(storage);
}

// The first of t's numbers as rows of three.
THFloatTensor *threes(THFloatTensor *t, int64_t rows) {
    THFloatTensor *r = THFloatTensor_newClone(t);
    THFloatTensor_resize2d(r, rows, 3);
    return r;
}

using Case = std::function<void(const Inputs &, THFloatTensor *, THLongTensor *)>;

const std::pair<const char *, Case> cases[] = {
    {"fill", [](auto &in, auto *r, auto *) { THFloatTensor_resizeAs(r, in.a), THFloatTensor_fill(r, 3); }},
    {"copy", [](auto &in, auto *r, auto *) { THFloatTensor_resizeAs(r, in.a), THFloatTensor_copy(r, in.a); }},
    {"cadd", [](auto &in, auto *r, auto *) { THFloatTensor_cadd(r, in.a, 1.5f, in.b); }},
    {"addcdiv", [](auto &in, auto *r, auto *) { THFloatTensor_addcdiv(r, in.a, 1.5f, in.b, in.a); }},
    {"exp", [](auto &in, auto *r, auto *) { THFloatTensor_exp(r, in.a); }},
    {"sin", [](auto &in, auto *r, auto *) { THFloatTensor_sin(r, in.a); }},
    {"sumall", [](auto &in, auto *r, auto *) { put_number(r, THFloatTensor_sumall(in.a)); }},
    {"normall", [](auto &in, auto *r, auto *) { put_number(r, THFloatTensor_normall(in.a, 3)); }},
    {"sum 0", [](auto &in, auto *r, auto *) { THFloatTensor_sum(r, in.a, 0, 0); }},
    {"sum 1", [](auto &in, auto *r, auto *) { THFloatTensor_sum(r, in.a, 1, 0); }},
    {"var", [](auto &in, auto *r, auto *) { THFloatTensor_var(r, in.a, 0, 0, 0); }},
    {"max", [](auto &in, auto *r, auto *i) { THFloatTensor_max(r, i, in.a, 1, 0); }},
    {"cumsum", [](auto &in, auto *r, auto *) { THFloatTensor_cumsum(r, in.a, 1); }},
    {"sort", [](auto &in, auto *r, auto *i) { THFloatTensor_sort(r, i, in.a, 1, 0); }},
    {"topk", [](auto &in, auto *r, auto *i) { THFloatTensor_topk(r, i, in.a, 5, 0, 1, 1); }},
    {"indexSelect", [](auto &in, auto *r, auto *) { THFloatTensor_indexSelect(r, in.a, 0, in.index); }},
    {"exp, overlapping", [](auto &in, auto *r, auto *) { overlap(r, 517, 1, 401), THFloatTensor_exp(r, in.a); }},
    {"cumsum, overlapping", [](auto &in, auto *r, auto *) {
         overlap(r, 517, 1, 401);
         THFloatTensor_cumsum(r, in.a, 1);
     }},
    {"var, overlapping", [](auto &in, auto *r, auto *) { overlap(r, 517, 0, 1), THFloatTensor_var(r, in.a, 1, 0, 1); }},
    {"sum, overlapping", [](auto &in, auto *r, auto *) { overlap(r, 517, 0, 1), THFloatTensor_sum(r, in.a, 1, 1); }},
    {"cross, overlapping", [](auto &in, auto *r, auto *) {
         const int64_t rows = 60000;
         THFloatTensor *x = threes(in.a, rows), *y = threes(in.b, rows);
         overlap(r, rows, 1, 3);
         THFloatTensor_cross(r, x, y, 1);
         THFloatTensor_free(x), THFloatTensor_free(y);
     }},
    {"addmm", [](auto &in, auto *r, auto *) {
         THFloatTensor *t = THFloatTensor_newTranspose(in.b, 0, 1);
         THFloatTensor_resize2d(r, in.a->size[0], in.a->size[0]);
         THFloatTensor_addmm(r, 0, r, 1, in.a, t);
         THFloatTensor_free(t);
     }},
};

std::vector<float> values(THFloatTensor *t) {
    THFloatTensor *dense = THFloatTensor_newContiguous(t);
    const float *data = THFloatTensor_data(dense);
    std::vector<float> result(data, data + THFloatTensor_nElement(dense));
    THFloatTensor_free(dense);
    return result;
}

bool same_bits(const std::vector<float> &a, const std::vector<float> &b) {
    return a.size() == b.size() && !memcmp(a.data(), b.data(), a.size() * sizeof(float));
}

void same_for_any_number() {
    for (int layout = 0; layout < 2; layout++) {
        Inputs in{numbers(517, 401, layout), numbers(517, 401, 0), THLongTensor_newWithSize1d(300)};
        for (int64_t i = 0; i < 300; i++) THLongTensor_set1d(in.index, i, i * 5 % 517);
        for (auto &[name, run] : cases) {
            std::vector<float> expected;
            for (int threads : {1, 2, 3, 8}) {
                THSetNumThreads(threads);
                THFloatTensor *r = THFloatTensor_new();
                THLongTensor *i = THLongTensor_new();
                run(in, r, i);
                if (threads == 1)
                    expected = values(r);
                else if (std::string(name) != "addmm" && !same_bits(expected, values(r)))  // its parts may round
                    failures++, fprintf(stderr, "%s, layout %d: other values with %d threads\n", name, layout, threads);
                THFloatTensor_free(r);
                THLongTensor_free(i);
            }
        }
    }
}

void forked() {
    THSetNumThreads(4);
    THFloatTensor *t = numbers(300, 300, 0), *r = THFloatTensor_new();
    THFloatTensor_exp(r, t);  // the team is up
    EXPECT(holds_in_child([&] {
        THFloatTensor_exp(r, t);
        THFloatTensor_addmm(r, 0, r, 1, t, t);
        return THFloatTensor_sumall(t) > 0;
    }));
    THFloatTensor_free(t);
    THFloatTensor_free(r);
}

void from_many_threads() {
    THSetNumThreads(2);
    THFloatTensor *shared = numbers(300, 300, 0);
    std::vector<std::thread> threads;
    std::vector<double> sums(8);
    for (size_t k = 0; k < sums.size(); k++)
        threads.emplace_back([&, k] {
            for (int i = 0; i < 50; i++) {
                THFloatTensor *row = THFloatTensor_newSelect(shared, 0, i), *r = THFloatTensor_new();
                THFloatTensor_exp(r, shared);
                THFloatTensor_mul(r, row, 2);
                sums[k] += THFloatTensor_sumall(r);
                THFloatTensor_free(row), THFloatTensor_free(r);
                EXPECT(error_of([&] { THFloatTensor_size(shared, 5); }).argument == 2);
            }
        });
    for (std::thread &thread : threads) thread.join();
    for (double sum : sums) EXPECT(sum == sums[0]);
    EXPECT(shared->refcount == 1 && shared->storage->refcount == 1);
    THFloatTensor_free(shared);
}

}  // namespace

int main() {
    catch_errors();
    same_for_any_number();
    from_many_threads();
    forked();
    return failures != 0;
}
