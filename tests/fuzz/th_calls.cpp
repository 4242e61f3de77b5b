// tests/fuzz/th_calls.cpp: calls of libth on bytes; whatever comes in, every tensor stays within its storage.
#include "fuzz/target.h"
#include "th/expect.h"
#include "th/random_calls.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const bool prepared = (little_memory(), catch_errors(), true);
    (void)prepared;
    const bool verbose = getenv("FUZZ_VERBOSE");
    guide_arguments(bytes, size);
    while (const RandomCall *call = next_call()) {
        if (verbose) fprintf(stderr, "%s\n", call->name);
        call->run([] {});
        MUST(arguments_are_valid(call->name));
    }
    release_arguments();
    return 0;
}
