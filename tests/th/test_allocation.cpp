// tests/th/test_allocation.cpp: memory that runs out at every point of a call: an error, valid tensors, nothing leaked.
//
// The n-th allocation of libth fails, for n from 1 until the call succeeds: for every function with random arguments,
// and for scenarios with storages of an own allocator. (The BLAS library does not survive it: its allocations succeed,
// but loading it fails.)
//     th_test_allocation [sets of arguments of each function [seed]]      a seed of `any` is another one each time
//
// Blocks are counted, and under sanitizers LeakSanitizer counts too.
#include "expect.h"
#include "failing_malloc.h"
#include "forked.h"
#include "little_memory.h"
#include "random_calls.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <sys/resource.h>

extern "C" {
void __lsan_disable() __attribute__((weak));
void __lsan_enable() __attribute__((weak));
}

using failing_malloc::fails_in, failing_malloc::fails_now;

namespace {

void *allocate(void *, ptrdiff_t size) { return fails_now() ? nullptr : THAlloc(size); }
void *reallocate(void *, void *memory, ptrdiff_t size) {
    return size && fails_now() ? nullptr : THRealloc(memory, size);
}
void release(void *, void *memory) { THFree(memory); }
THAllocator failing = {allocate, reallocate, release}, failing_without = {allocate, nullptr, release};

// The tensors of a scenario, made before anything fails.
struct Scene {
    THFloatTensor *empty, *a, *b, *turned, *cube;
    THLongTensor *index, *positions;
    THByteTensor *mask;
    THLongStorage *sizes;

    explicit Scene(THAllocator *allocator) {
        THFloatStorage *own = THFloatStorage_newWithAllocator(0, allocator, nullptr);
        empty = THFloatTensor_newWithStorage1d(own, 0, 0, 1);
        THFloatStorage_free(own);
        a = THFloatTensor_newWithSize2d(40, 40);
        b = THFloatTensor_newWithSize2d(40, 40);
        for (int i = 0; i < 1600; i++) a->storage->data[i] = float(i % 37) - (i % 41 == 0 ? 60 : 0);
        THFloatTensor_fill(b, 1);
        turned = THFloatTensor_newTranspose(a, 0, 1);
        cube = THFloatTensor_newWithSize3d(2, 40, 40);
        index = THLongTensor_newWithSize1d(3);
        positions = THLongTensor_new();
        mask = THByteTensor_newWithSize2d(40, 40);
        THByteTensor_fill(mask, 1);
        sizes = THLongStorage_newWithSize3(2, 40, 40);
    }
    ~Scene() {
        for (THFloatTensor *t : {empty, a, b, turned, cube}) {
            EXPECT(valid(t));
            THFloatTensor_free(t);
        }
        THLongTensor_free(index), THLongTensor_free(positions);
        THByteTensor_free(mask);
        THLongStorage_free(sizes);
    }
    static bool valid(const THFloatTensor *t) {
        int64_t reach = 1;
        for (int d = 0; d < t->nDimension; d++) {
            if (t->size[d] <= 0) return false;
            reach += (t->size[d] - 1) * t->stride[d];
        }
        return t->refcount == 1 && (!t->nDimension || (t->storage && t->storage->size >= t->storageOffset + reach));
    }
};

using Scenario = std::function<void(Scene &)>;
const std::pair<const char *, Scenario> scenarios[] = {
    {"resize2d", [](Scene &s) { THFloatTensor_resize2d(s.empty, 30, 100); }},
    {"newClone", [](Scene &s) { THFloatTensor_free(THFloatTensor_newClone(s.turned)); }},
    {"newContiguous", [](Scene &s) { THFloatTensor_free(THFloatTensor_newContiguous(s.turned)); }},
    {"newSelect", [](Scene &s) { THFloatTensor_free(THFloatTensor_newSelect(s.a, 0, 3)); }},
    {"newSizeOf", [](Scene &s) { THLongStorage_free(THFloatTensor_newSizeOf(s.a)); }},
    {"newExpand", [](Scene &s) { THFloatTensor_free(THFloatTensor_newExpand(s.a, s.sizes)); }},
    {"newWithSize4", [](Scene &) { THFloatStorage_free(THFloatStorage_newWithSize4(1, 2, 3, 4)); }},
    {"set, narrow", [](Scene &s) { THFloatTensor_set(s.empty, s.a), THFloatTensor_narrow(s.empty, nullptr, 0, 1, 5); }},
    {"cadd", [](Scene &s) { THFloatTensor_cadd(s.empty, s.a, 2, s.b); }},
    {"exp", [](Scene &s) { THFloatTensor_exp(s.empty, s.turned); }},
    {"dist", [](Scene &s) { THFloatTensor_dist(s.turned, s.b, 2); }},
    {"sum", [](Scene &s) { THFloatTensor_sum(s.empty, s.turned, 1, 0); }},
    {"max", [](Scene &s) { THFloatTensor_max(s.empty, s.positions, s.turned, 0, 0); }},
    {"sum onto itself", [](Scene &s) { THFloatTensor_sum(s.a, s.a, 0, 0); }},
    {"renorm", [](Scene &s) { THFloatTensor_renorm(s.empty, s.turned, 2, 1, 3); }},
    {"sort", [](Scene &s) { THFloatTensor_sort(s.empty, s.positions, s.turned, 1, 1); }},
    {"topk", [](Scene &s) { THFloatTensor_topk(s.empty, s.positions, s.turned, 3, 1, 1, 1); }},
    {"median", [](Scene &s) { THFloatTensor_median(s.empty, s.positions, s.turned, 1, 0); }},
    {"mode", [](Scene &s) { THFloatTensor_mode(s.empty, s.positions, s.turned, 1, 0); }},
    {"indexSelect", [](Scene &s) { THFloatTensor_indexSelect(s.empty, s.turned, 1, s.index); }},
    {"maskedSelect", [](Scene &s) { THFloatTensor_maskedSelect(s.empty, s.turned, s.mask); }},
    {"nonzero", [](Scene &s) { THFloatTensor_nonzero(s.positions, s.turned); }},
    {"catArray", [](Scene &s) {
         THFloatTensor *list[] = {s.a, s.turned, s.empty, s.b};
         THFloatTensor_catArray(s.empty, list, 4, 1);
     }},
    {"diag", [](Scene &s) { THFloatTensor_diag(s.a, s.a, 1); }},
    {"addmm", [](Scene &s) { THFloatTensor_addmm(s.empty, 1, s.b, 1, s.turned, s.a); }},
    {"addmm onto a factor", [](Scene &s) { THFloatTensor_addmm(s.a, 1, s.b, 1, s.a, s.turned); }},
    {"baddbmm", [](Scene &s) { THFloatTensor_baddbmm(s.empty, 0, s.cube, 1, s.cube, s.cube); }},
    {"conv2Dmul", [](Scene &s) { THFloatTensor_conv2Dmul(s.empty, 0, 1, s.a, s.turned, 1, 1, "F", "C"); }},
    {"gesv", [](Scene &s) { THFloatTensor_gesv(s.empty, s.cube, s.b, s.turned); }},
    {"gesvd", [](Scene &s) { THFloatTensor_gesvd(s.empty, s.cube, s.b, s.turned, "S"); }},
    {"multinomial", [](Scene &s) {
         THGenerator *g = THGenerator_new();
         struct Free {
             THGenerator *g;
             ~Free() { THGenerator_free(g); }
         } free{g};
         THFloatTensor_multinomial(s.positions, g, s.b, 4, 0);
     }},
    {"memory file", [](Scene &s) {
         THFile *file = THMemoryFile_new("rw");
         struct Free {
             THFile *file;
             ~Free() { THFile_free(file); }
         } free{file};
         THFile_writeFloat(file, s.a->storage);
         THFile_seek(file, 0);
         THFile_readFloat(file, s.b->storage);
     }},
    {"inferSize", [](Scene &s) { THLongStorage_free(THLongStorage_newInferSize(s.sizes, 3200)); }},
};

// Fails the n-th allocation of attempt(n), which says whether the call raised no error, for n from 1 until none fails;
// returns how many did.
template <typename Attempt> long each_failure(const char *name, const Attempt &attempt) {
    attempt(0);  // whatever a first call sets up for good
    for (long n = 1, errors = 0;; n++) {
        const long before = failing_malloc::live_blocks();
        errors += !attempt(n);
        const bool failed = fails_in == 0;
        fails_in = -1;
        if (const long leaked = failing_malloc::live_blocks() - before) {
            failures++;
            fprintf(stderr, "%s: %ld blocks leaked where allocation %ld failed\n", name, leaked, n);
        }
        if (failed) continue;
        if (errors < n - 2) {  // a block that cannot be aligned anew is kept as it is
            failures++;
            fprintf(stderr, "%s: only %ld of %ld failures were errors\n", name, errors, n - 1);
        }
        return n - 1;
    }
}

long own_allocators() {
    long met = 0;
    for (THAllocator *allocator : {&failing, &failing_without})
        for (auto &[name, scenario] : scenarios)
            met += each_failure(name, [&, &run = scenario](long n) {
                Scene scene(allocator);
                fails_in = n ? n : -1;
                const bool fine = error_of([&] { run(scene); }).argument < 0;
                if (fails_in > 0) fails_in = -1;
                return fine;
            });
    return met;
}

// The error of a function that needs the BLAS library, of which the n-th allocation fails; "" where there is none.
std::string solve(long n = -1) {
    THFloatTensor *a = THFloatTensor_newWithSize2d(2, 2), *b = THFloatTensor_newWithSize2d(2, 1);
    THFloatTensor *x = THFloatTensor_new(), *lu = THFloatTensor_new();
    THFloatTensor_fill(b, 1), THFloatTensor_fill(a, 1), THFloatTensor_set2d(a, 0, 0, 3);
    const std::string error = raised([&] {
        fails_in = n;
        THFloatTensor_gesv(x, lu, b, a);
    });
    if (fails_in > 0) fails_in = -1;
    for (THFloatTensor *t : {a, b, x, lu}) THFloatTensor_free(t);
    return error;
}

// Operator new of a sanitizer is its own, which malloc knows nothing of; and it takes address space when it likes.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

// The BLAS library, before anything has loaded it: where there is no memory for it, nor for the name of another one, an
// error says so, and the next call finds it.
void no_memory_for_blas(bool there_is_one) {
    const char *const lack = "0: $ Torch: not enough memory", *const other = "/a/library/of/another/name.so";
    fails_in = 1;
    EXPECT((raised([&] { thaw_set_blas(other); }) == lack && fails_in == 0) || is_sanitized);
    fails_in = -1;
    EXPECT(thaw_set_blas(other) == 1);
    if (!is_sanitized) {
        rlimit usual;
        getrlimit(RLIMIT_AS, &usual);
        const rlimit little{rlim_t(1) << 20, usual.rlim_max};
        setrlimit(RLIMIT_AS, &little);
        const std::string error = solve();
        setrlimit(RLIMIT_AS, &usual);
        EXPECT(error == lack || !there_is_one);
    }
    bool failed = true;
    for (long n = 1; failed; n++) {
        const std::string error = solve(n);
        failed = fails_in == 0;
        fails_in = -1;
        EXPECT((failed ? error.rfind(lack, 0) == 0 : error.empty()) || !there_is_one);
    }
    EXPECT(thaw_set_blas(other) == 0);
}

// Helpers with the parts of a product: without memory to begin their threads the caller computes all of them.
void no_memory_for_helpers(bool has_helpers) {
    constexpr int64_t n = 300;
    THSetNumThreads(3);
    THFloatTensor *ones = THFloatTensor_newWithSize2d(n, n), *r = THFloatTensor_newWithSize2d(n, n);
    THFloatTensor_fill(ones, 1);
    for (const long in : {1, -1}) {
        THFloatTensor_zero(r);
        fails_in = in;
        THFloatTensor_addmm(r, 0, r, 1, ones, ones);
        EXPECT(fails_in == 0 || in < 0 || !has_helpers || is_sanitized);
        fails_in = -1;
        EXPECT(THFloatTensor_minall(r) == n && THFloatTensor_maxall(r) == n);
    }
    THFloatTensor_free(ones), THFloatTensor_free(r);
    THSetNumThreads(1);
}

// The loader's memory for the BLAS library's thread-local variables, made in its first calls, is for good.
void warm_up() {
    if (__lsan_disable) __lsan_disable();
    for (auto &[name, scenario] : scenarios) {
        Scene scene(&failing);
        error_of([&, &run = scenario] { run(scene); });
    }
    if (__lsan_enable) __lsan_enable();
}

// Each function with a few sets of arguments that it takes. Says of how many functions an allocation failed.
long every_function(int sets, uint64_t first_seed, size_t *functions) {
    static long next;
    long met = 0;
    for (size_t i = 0; i < random_calls_count; i++) {
        const RandomCall &call = random_calls[i];
        const auto attempt = [&](uint64_t seed, long n) {
            seed_arguments(seed);
            renew_arguments();
            next = n ? n : -1;
            const bool fine = call.run([] { fails_in = next; });
            if (fails_in > 0) fails_in = -1;
            if (!arguments_are_valid(call.name)) failures++;
            release_arguments();
            return fine;
        };
        int taken = 0;
        const long before = met;
        for (uint64_t seed = first_seed; seed < first_seed + 100 && taken < sets; seed++) {
            if (!attempt(seed, 0)) continue;
            taken++;
            met += each_failure(call.name, [&](long n) { return attempt(seed, n); });
        }
        *functions += met > before;
    }
    return met;
}

}  // namespace

int main(int argc, char **argv) {
    const int sets = argc > 1 ? atoi(argv[1]) : 3;
    uint64_t seed = argc > 2 ? strtoull(argv[2], nullptr, 10) : 1;
    if (argc > 2 && !strcmp(argv[2], "any")) seed = std::random_device()();
    catch_errors();
    little_memory();
    EXPECT(failing_malloc::find("libth.so"));
    setvbuf(stderr, nullptr, _IONBF, 0);
    setvbuf(stdout, nullptr, _IONBF, 0);
    printf("%d sets of arguments, seed %llu\n", sets, (unsigned long long)seed);  // first: a crash can be repeated
    const bool has_blas = holds_in_child([] { return solve().empty(); });
    no_memory_for_blas(has_blas);
    no_memory_for_helpers(has_blas);
    THSetNumThreads(1);
    warm_up();
    size_t functions = 0;
    const long own = own_allocators(), every = every_function(sets, seed, &functions);
    printf("%ld allocations failed under own allocators; %ld in %zu of the %zu functions, the others allocate nothing\n"
           "%ld cases\n",
           own, every, functions, random_calls_count, own + every);
    EXPECT(own > 20 && every > 1000);
    return failures != 0;
}
