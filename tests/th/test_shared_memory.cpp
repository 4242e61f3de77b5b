// tests/th/test_shared_memory.cpp: results that share memory with inputs, and what an error leaves as it was.
#include "expect.h"

#include <csetjmp>
#include <malloc.h>
#include <unistd.h>

namespace {

using Values = std::vector<double>;
constexpr char unwritten = 64;  // as th/tensor/types.h has it

THDoubleTensor *view(THDoubleStorage *storage, ptrdiff_t offset, std::vector<long> sizes) {
    if (sizes.size() == 1) return THDoubleTensor_newWithStorage1d(storage, offset, sizes[0], 1);
    return THDoubleTensor_newWithStorage2d(storage, offset, sizes[0], sizes[1], sizes[1], 1);
}

THDoubleStorage *counting(ptrdiff_t n) {
    THDoubleStorage *storage = THDoubleStorage_newWithSize(n);
    for (ptrdiff_t i = 0; i < n; i++) storage->data[i] = double(i + 1);
    return storage;
}

template <typename... Tensors> void release(Tensors *...tensors) { (THDoubleTensor_free(tensors), ...); }

// A product whose result is a transposed view of what is added to it.
void sum_that_is_a_transposed_view() {
    THDoubleTensor *zeros = tensor({2, 2}, {0, 0, 0, 0}), *vector = tensor({2}, {0, 0});
    for (const bool outer : {false, true}) {
        THDoubleTensor *t = tensor({2, 2}, {1, 2, 3, 4}), *r = THDoubleTensor_newTranspose(t, 0, 1);
        if (outer) THDoubleTensor_addr(r, 1, t, 1, vector, vector);
        else THDoubleTensor_addmm(r, 1, t, 1, zeros, zeros);
        EXPECT((values_of(r) == Values{1, 2, 3, 4}));
        release(t, r);
    }
    release(zeros, vector);
}

// A result that is resized over a factor of the same storage.
void result_that_grows_over_an_input() {
    THDoubleTensor *eye = tensor({2, 2}, {1, 0, 0, 1}), *added = tensor({2, 2}, {100, 100, 100, 100});
    THDoubleTensor *one = tensor({1, 1}, {1});
    for (const bool convolution : {false, true}) {
        THDoubleStorage *storage = counting(12);
        THDoubleTensor *input = view(storage, 2, {2, 2}), *r = view(storage, 0, {1});
        if (convolution) THDoubleTensor_conv2Dmul(r, 0, 1, input, one, 1, 1, "V", "X");
        else THDoubleTensor_addmm(r, 1, added, 1, input, eye);
        EXPECT((values_of(r) == (convolution ? Values{3, 4, 5, 6} : Values{103, 104, 105, 106})));
        release(input, r);
        THDoubleStorage_free(storage);
    }
    release(eye, added, one);
}

// Reductions and running sums into a part of their input: what they give for a copy of it, on any number of threads.
void reductions_into_their_input() {
    const long rows = 300000;
    for (const int threads : {1, 2, 5}) {
        THSetNumThreads(threads);
        THDoubleTensor *t = tensor({rows, 3}), *copy = THDoubleTensor_newClone(t), *expected = THDoubleTensor_new();
        THLongTensor *places = THLongTensor_new(), *expected_places = THLongTensor_new();
        THDoubleTensor_max(expected, expected_places, copy, 1, 1);
        THDoubleTensor_max(t, places, t, 1, 1);
        EXPECT(values_of(t) == values_of(expected) && THLongTensor_equal(places, expected_places));
        release(t);

        t = THDoubleTensor_newClone(copy);
        THDoubleTensor *r = view(THDoubleTensor_storage(t), 0, {rows, 1});
        THDoubleStorage_retain(THDoubleTensor_storage(t));
        THDoubleStorage_free(THDoubleTensor_storage(t));
        THDoubleTensor_sum(expected, copy, 1, 1);
        THDoubleTensor_sum(r, t, 1, 1);
        EXPECT(values_of(r) == values_of(expected));
        THDoubleTensor_copy(t, copy);
        THDoubleTensor_var(expected, copy, 1, 0, 1);
        THDoubleTensor_var(r, t, 1, 0, 1);
        EXPECT(values_of(r) == values_of(expected));
        release(r, t, copy);

        t = tensor({700, 700});
        copy = THDoubleTensor_newClone(t);
        r = THDoubleTensor_newTranspose(t, 0, 1);
        THDoubleTensor_cumsum(expected, copy, 1);
        THDoubleTensor_cumsum(r, t, 1);
        EXPECT(values_of(r) == values_of(expected));
        THDoubleTensor_cumsum(expected, copy, 0);
        THDoubleTensor_cumsum(copy, copy, 0);  // the very same memory needs no copy
        EXPECT(values_of(copy) == values_of(expected));
        release(t, copy, r, expected);
        THLongTensor_free(places);
        THLongTensor_free(expected_places);
    }
    THSetNumThreads(1);
    THDoubleStorage *storage = counting(10);
    THDoubleTensor *a = view(storage, 0, {3, 3}), *r = view(storage, 1, {3, 3}), *expected = THDoubleTensor_new();
    THDoubleTensor *b = tensor({3, 3}), *copy = THDoubleTensor_newClone(a);
    THDoubleTensor_cross(expected, copy, b, 0);
    THDoubleTensor_cross(r, a, b, 0);
    EXPECT(values_of(r) == values_of(expected));
    release(a, r, expected, b, copy);
    THDoubleStorage_free(storage);
}

void mask_that_is_a_part_of_the_result() {
    THByteStorage *storage = THByteStorage_newWithSize(6);
    for (int i = 0; i < 6; i++) storage->data[i] = i == 1;
    THByteTensor *r = THByteTensor_newWithStorage1d(storage, 2, 4, 1);
    THByteTensor *mask = THByteTensor_newWithStorage1d(storage, 1, 4, 1);
    THByteTensor_maskedFill(r, mask, 1);
    EXPECT(!memcmp(storage->data, "\0\1\1\0\0\0", 6));
    THByteTensor_free(r);
    THByteTensor_free(mask);
    THByteStorage_free(storage);
}

// A file in memory that is written its own contents, and grows meanwhile.
void file_that_is_given_its_own_storage() {
    THFile *file = THMemoryFile_new("rw");
    THFile_binary(file);
    std::string fives(1000, 5);
    THFile_writeStringRaw(file, fives.data(), fives.size());
    void *behind = malloc(64);  // or it could grow where it is
    THCharStorage *own = THMemoryFile_storage(file);
    THFile_writeChar(file, own);
    THFile_seek(file, 1000);
    for (char &each : fives) each = THFile_readCharScalar(file);
    EXPECT(fives == std::string(1000, 5));
    free(behind);
    THFile_free(file);
}

void what_an_error_leaves() {
    THGenerator *generator = THGenerator_new(), *before = THGenerator_new();
    THRandom_manualSeed(generator, 1);
    THGenerator_copy(before, generator);
    THDoubleTensor *r = tensor({3}, {7, 7, 7}), *p = tensor({3}, {.5, .5, 2});
    EXPECT(raised([&] { THDoubleTensor_bernoulli_DoubleTensor(r, generator, p); }) == "1: must be >= 0 and <= 1");
    EXPECT((values_of(r) == Values{7, 7, 7}));

    THLongTensor *drawn = THLongTensor_newWithSize1d(1);
    THLongTensor_fill(drawn, 7);
    THDoubleTensor *weights = tensor({2, 3}, {0, 0, 1, 0, 0, 0});
    EXPECT(raised([&] { THDoubleTensor_multinomial(drawn, generator, weights, 2, 1); }).substr(0, 10) == "2: invalid");
    EXPECT(THLongTensor_nDimension(drawn) == 1 && THLongTensor_get1d(drawn, 0) == 7);
    EXPECT(!memcmp(generator, before, sizeof *before));
    release(r, p, weights);
    THLongTensor_free(drawn);
    THGenerator_free(generator);
    THGenerator_free(before);

    double x[] = {1, 2}, y[] = {3, 4};
    THDoubleVector_copy(y, x, -1);
    EXPECT(y[0] == 3 && y[1] == 4);
}

// A result whose elements are scattered in its storage is LAPACK's memory; an error leaves it, too.
void singular_matrix() {
    THDoubleStorage *storage = THDoubleStorage_newWithSize(16);
    THDoubleStorage_fill(storage, 7);
    THDoubleTensor *ra = THDoubleTensor_newWithStorage2d(storage, 0, 2, 3, 2, 1), *rb = THDoubleTensor_new();
    THDoubleTensor *a = tensor({2, 2}, {0, 0, 0, 0}), *b = tensor({2, 1}, {1, 1});
    const std::string error = raised([&] { THDoubleTensor_gesv(rb, ra, b, a); });
    EXPECT(!error.empty());
    for (int i = 0; i < 16; i++) EXPECT(storage->data[i] == 7);
    release(ra, rb, a, b);
    THDoubleStorage_free(storage);
}

// Every tensor and storage that a function writes to loses the flag by which the bridge knows what was written.
void what_counts_as_written() {
    const auto written = [](auto *storage, auto call) {
        storage->flag |= unwritten;
        const std::string error = raised(call);
        return !error.empty() || !(storage->flag & unwritten);  // without LAPACK there is an error
    };
    THDoubleTensor *a = tensor({2, 2}, {2, 1, 1, 3}), *b = tensor({2, 1}, {1, 1}), *e = THDoubleTensor_new();
    EXPECT(written(a->storage, [&] { THDoubleTensor_gesv(b, a, b, a); }));
    EXPECT(written(a->storage, [&] { THDoubleTensor_syev(e, a, a, "V", "U"); }));
    THFile *file = THMemoryFile_new("rw");
    THFile_writeDoubleScalar(file, 1);
    THFile_seek(file, 0);
    THDoubleStorage *number = THDoubleStorage_newWithSize(1);
    EXPECT(written(number, [&] { THFile_readDouble(file, number); }));
    THLongTensor *places = THLongTensor_new();
    THDoubleTensor *weights = tensor({2}, {1, 1});
    EXPECT(!written(weights->storage, [&] { THDoubleTensor_multinomialAliasSetup(weights, places, e); }));
    release(a, b, e, weights);
    THLongTensor_free(places);
    THDoubleStorage_free(number);
    THFile_free(file);
}

jmp_buf jump;

// A handler that leaves by longjmp: nothing is held when it is called.
void mapped_memory_that_cannot_grow() {
    const std::string name = "/torchthaw_shared_memory_" + std::to_string(getpid());
    auto *context = THMapAllocatorContext_new(name.c_str(), TH_ALLOCATOR_MAPPED_SHAREDMEM | TH_ALLOCATOR_MAPPED_UNLINK);
    THDoubleStorage *storage = THDoubleStorage_newWithAllocator(16, &THMapAllocator, context);
    THDoubleTensor *t = view(storage, 0, {4, 4});
    static int calls;
    static size_t held;
    THSetErrorHandler(
        [](const char *, void *) {
            calls++;
            longjmp(jump, 1);
        },
        nullptr);
    for (static int i = 0; i < 2000; i++) {
        if (i == 100) held = mallinfo2().uordblks;
        if (!setjmp(jump)) THDoubleTensor_resize2d(t, 100, 100);
    }
    THSetErrorHandler(nullptr, nullptr);
    EXPECT(calls == 2000 && mallinfo2().uordblks <= held + 1000);
    release(t);
    THDoubleStorage_free(storage);
}

}  // namespace

int main() {
    catch_errors();
    sum_that_is_a_transposed_view();
    result_that_grows_over_an_input();
    reductions_into_their_input();
    mask_that_is_a_part_of_the_result();
    file_that_is_given_its_own_storage();
    what_an_error_leaves();
    singular_matrix();
    what_counts_as_written();
    mapped_memory_that_cannot_grow();
    return failures != 0;
}
