// tests/th/test_blas_threads.cpp: products are cut over as many threads as OMP_NUM_THREADS and OPENBLAS_NUM_THREADS
// allow (the argument); these sleep while they wait, and OpenBLAS has none, which would spin.
#include "expect.h"
#include "forked.h"

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <dlfcn.h>
#include <fstream>
#include <thread>

namespace {

int threads_of_this_process() {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    while (dirent *entry = readdir(folder)) count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

// What OpenBLAS says of its own threads; 0 where libth took another library or none.
int threads_of_openblas() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const size_t path = line.find('/');
        if (path == std::string::npos || line.find("blas", line.rfind('/')) == std::string::npos) continue;
        void *handle = dlopen(line.c_str() + path, RTLD_NOW | RTLD_NOLOAD);
        if (!handle) continue;
        for (const char *name : {"scipy_openblas_get_num_threads", "openblas_get_num_threads"})
            if (void *found = dlsym(handle, name)) return reinterpret_cast<int (*)()>(found)();
    }
    return 0;
}

double processor_milliseconds() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

std::vector<float> numbers(int64_t n, float from) {
    std::vector<float> values(n);
    for (int64_t i = 0; i < n; i++) values[i] = from + float(i * 7 % 23) / 16;
    return values;
}

// Every product with 1 thread and with several: odd sizes, leading dimensions and steps that leave gaps. The sums of
// these numbers are exact, so the results agree to the bit.
void cuts() {
    const int64_t m = 331, n = 277, k = 397, gap = 5;
    for (int wide = 0; wide < 2; wide++)
        for (char transa : {'n', 't'})
            for (char transb : {'n', 't'}) {
                const int64_t rows = wide ? n : m, columns = wide ? m : n;
                const int64_t lda = (transa == 't' ? k : rows) + gap, ldb = (transb == 't' ? columns : k) + gap;
                auto a = numbers(lda * (transa == 't' ? rows : k), -1);
                auto b = numbers(ldb * (transb == 't' ? k : columns), 0);
                std::vector<float> expected;
                for (int threads : {1, 2, 3, 5}) {
                    auto c = numbers((rows + gap) * columns, 1);
                    THSetNumThreads(threads);
                    THFloatBlas_gemm(transa, transb, rows, columns, k, 2, a.data(), lda, b.data(), ldb, 0.5f, c.data(),
                                     rows + gap);
                    if (threads == 1)
                        expected = c;
                    else
                        EXPECT(c == expected);
                }
            }
    for (char trans : {'n', 't'}) {
        const int64_t rows = 2811, columns = 1577, results = trans == 't' ? columns : rows;
        auto a = numbers((rows + gap) * columns, -1), x = numbers(2 * rows, 0);
        std::vector<float> product, sum;
        for (int threads : {1, 2, 3, 5}) {
            THSetNumThreads(threads);
            auto y = numbers(3 * results, 1), c = a;
            THFloatBlas_gemv(trans, rows, columns, 1, a.data(), rows + gap, x.data(), 2, 0.5f, y.data(), 3);
            THFloatBlas_ger(rows, columns, 2, x.data(), 2, y.data(), 1, c.data(), rows + gap);
            if (threads == 1)
                product = y, sum = c;
            else
                EXPECT(y == product && c == sum);
        }
    }
}

// Several threads bring products at a time: one has the helpers, the others go without.
void at_once() {
    const int64_t n = 256;
    const auto a = numbers(n * n, -1), b = numbers(n * n, 0);
    auto product = [&] {
        std::vector<float> c(n * n);
        THFloatBlas_gemm('n', 'n', n, n, n, 1, const_cast<float *>(a.data()), n, const_cast<float *>(b.data()), n, 0,
                         c.data(), n);
        return c;
    };
    THSetNumThreads(1);
    const auto expected = product();
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&] {
            THSetNumThreads(3);  // of this thread
            for (int k = 0; k < 50; k++) wrong += product() != expected;
        });
    for (auto &thread : threads) thread.join();
    EXPECT(!wrong);
}

// A forked child has no helpers and does not wait for them.
void after_fork() {
    THSetNumThreads(3);
    THFloatTensor *a = THFloatTensor_newWithSize2d(300, 300), *r = THFloatTensor_newWithSize2d(300, 300);
    THFloatTensor_fill(a, 1);
    THFloatTensor_addmm(r, 0, r, 1, a, a);
    EXPECT(holds_in_child([&] {
        THFloatTensor_addmm(r, 0, r, 1, a, r);
        return THFloatTensor_get2d(r, 7, 299) == 90000;
    }));
    THFloatTensor_free(a);
    THFloatTensor_free(r);
}

}  // namespace

int main(int argc, char **argv) {
    catch_errors();
    const int expected = argc > 1 ? atoi(argv[1]) : 0;
    const int before = threads_of_this_process();  // a sanitizer may have one of its own
    THSetNumThreads(1);
    const int64_t n = 512;
    THFloatTensor *a = THFloatTensor_newWithSize2d(n, n), *r = THFloatTensor_newWithSize2d(n, n);
    THFloatTensor_fill(a, 1);
    THFloatTensor_addmm(r, 0, r, 1, a, a);
    if (!threads_of_openblas()) return 77;
    EXPECT(threads_of_openblas() == 1);
    EXPECT(threads_of_this_process() == before);  // loading it started none
    if (!expected) {
        cuts();
        at_once();
        after_fork();
    } else {
        THInferNumThreads();
        const char *of_openmp = getenv("OMP_NUM_THREADS");
        EXPECT(of_openmp && THGetNumThreads() == atoi(of_openmp));
        THFloatTensor_addmm(r, 0, r, 1, a, a);
        EXPECT(THFloatTensor_get2d(r, 3, 500) == 512);
        EXPECT(threads_of_openblas() == 1);
        EXPECT(threads_of_this_process() - before == expected - 1);
        // Afterwards nobody spins, as OpenBLAS's threads do for about 30 ms.
        const double start = processor_milliseconds();
        usleep(200000);
        const double spent = processor_milliseconds() - start;
        if (spent > 10) failures++, fprintf(stderr, "%.1f ms of processor time after the product\n", spent);
    }
    THFloatTensor_free(a);
    THFloatTensor_free(r);
    return failures != 0;
}
