// tests/harden/threads/planted_races.cpp: races, each of which ThreadSanitizer must report: test_NAME in ctest expects
// its report. Their shapes are those that mistakes in our libraries would have.
#include "../../support/at_once.h"
#include "base/openmp.h"
#include "my_lib.h"

#include <TH/TH.h>

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstring>

namespace {

constexpr int64_t count = 100000;

// In a region of OpenMP, in code as ours: threads of one team write the same place.
void region() {
    static int64_t last;
    my_lib_set_num_threads(2);
    base::parallel_for<base::Cuts::at_multiples>(count, base::elementwise_grain, [](int64_t, int64_t end) { last = end; });
    std::printf("%d\n", int(last));
}

// In a kernel of libmy_lib: an output that begins one element before the input, so that slices overlap.
void operator_slices() {
    std::vector<float> x(count + 1);
    const int64_t shape[] = {count};
    my_lib_set_num_threads(2);
    my_lib_mul_constant_forward(x.data() + 1, shape, 1, 2, x.data());
}

// In loops of libth: two threads fill one tensor, each with a team of its own. Many times and from one moment on: a lock
// of the OpenMP runtime may put a single fill before the other one, as on a busy machine.
void th_tensor() {
    THSetNumThreads(2);
    THFloatTensor *shared = THFloatTensor_newWithSize1d(count);
    std::atomic<int> missing{2};
    const auto fill = [&](float value) {
        for (--missing; missing > 0;) std::this_thread::yield();
        for (int i = 0; i < 50; ++i) THFloatTensor_fill(shared, value);
    };
    std::thread other(fill, 1.0f);
    fill(2);
    other.join();
}

// In memory that two threads write through libmy_lib without a word to each other.
void operator_outputs() {
    static float x[8], y[8];
    static const int64_t shape[] = {8};
    wrong_at_once([](int) { return my_lib_mul_constant_forward(x, shape, 1, 2, y) != 0; });
}

// In the structs of TH: a generator that threads share.
void generator() {
    THGenerator *shared = THGenerator_new();
    wrong_at_once([&](int) { return THRandom_random(shared) < 1ull << 32; });
}

const struct {
    const char *name;
    void (*run)();
} races[] = {
    {"region", region},
    {"operator_slices", operator_slices},
    {"operator_outputs", operator_outputs},
    {"th_tensor", th_tensor},
    {"generator", generator},
};

}  // namespace

// What each library defines for itself: the runtime of this program.
const base::OpenMP &base::openmp() {
    static const base::OpenMP runtime = [] {
        base::OpenMPLibrary found;
        base::openmp_of_process(dlopen, found);
        return found;
    }();
    return runtime;
}

int main(int argc, char **argv) {
    for (const auto &race : races)
        if (argc == 2 && std::strcmp(argv[1], race.name) == 0) race.run();
    return 0;
}
