// tests/th/test_fuzz.cpp: random calls on random tensors; whatever comes in, every tensor stays within its storage.
//
//     th_test_fuzz [calls [seed]]      FUZZ_VERBOSE=1 names each call before it is made
//
// AddressSanitizer sees what leaves the storages, and UndefinedBehaviorSanitizer the rest.
#include "expect.h"
#include "little_memory.h"
#include "random_calls.h"

#include <cstdlib>
#include <random>

namespace {

long calls_made = 0;
uint64_t seed = 1;
const char *current = "";

void say_where() {
    fprintf(stderr, "call %ld, %s, seed %llu\n", calls_made, current, (unsigned long long)seed);
}

}  // namespace

#if defined(TORCHTHAW_ADDRESS_SANITIZER)
extern "C" void __sanitizer_set_death_callback(void (*)());
static void say_where_at_death() { __sanitizer_set_death_callback(say_where); }
#else
static void say_where_at_death() {}
#endif

int main(int argc, char **argv) {
    const long calls = argc > 1 ? atol(argv[1]) : 20000;
    if (argc > 2) seed = strtoull(argv[2], nullptr, 10);
    if (argc > 2 && !strcmp(argv[2], "any")) seed = std::random_device()();
    const bool verbose = getenv("FUZZ_VERBOSE");
    catch_errors();
    little_memory();
    say_where_at_death();
    seed_arguments(seed);
    std::mt19937_64 choice(seed);
    long raised = 0;
    for (; calls_made < calls; calls_made++) {
        renew_arguments();
        const RandomCall &call = random_calls[choice() % random_calls_count];
        current = call.name;
        if (verbose) say_where();
        raised += !call.run([] {});
        if (arguments_are_valid(current)) continue;
        say_where();
        return 1;
    }
    release_arguments();
    printf("%ld calls of %zu functions, seed %llu: %ld raised an error\n", calls, random_calls_count,
           (unsigned long long)seed, raised);
    return 0;
}
