/* regions.h: the entries of gcc's OpenMP run time, as an extension's own parallel regions find them.
 *
 * An exception must not leave a region before its threads have joined, and a forked process has none of the threads
 * that a region would wait for. So each entry is defined here, where the linker finds it first, and calls the run
 * time's own with thaw_bridge::member around the body. */
#ifndef TORCHTHAW_REGIONS_H
#define TORCHTHAW_REGIONS_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
#define THAW_REGION_LINKAGE extern "C" __attribute__((visibility("hidden")))
#else
#define THAW_REGION_LINKAGE __attribute__((visibility("hidden")))
#endif

/* An entry of the run time that the process uses; without PyTorch it may be one that only this extension has loaded. */
static void *thaw_entry_of_open_mp(const char *entry) {
    void *found = dlsym(RTLD_DEFAULT, entry);
    if (found == NULL) {
        void *library = dlopen("libgomp.so.1", RTLD_LAZY);
        if (library != NULL) found = dlsym(library, entry);
    }
    if (found == NULL) {
        fprintf(stderr, "parallel region: expected OpenMP's %s, got none: %s\n", entry, dlerror());
        abort();
    }
    return found;
}

/* `more` are the parameters behind the number of threads, `values` their names. */
#define THAW_REGION(entry, more, values) \
    THAW_REGION_LINKAGE void entry(void (*body)(void *), void *data, unsigned threads, THAW_REGION_LIST more) { \
        static void *found; /* threads whose first regions begin together all find the same */ \
        void (*open_mp)(void (*)(void *), void *, unsigned, THAW_REGION_LIST more); \
        thaw_region region = {sizeof(thaw_region), body, data, NULL}; \
        *(void **)&open_mp = __atomic_load_n(&found, __ATOMIC_RELAXED); \
        if (open_mp == NULL) { \
            *(void **)&open_mp = thaw_entry_of_open_mp(#entry); \
            __atomic_store_n(&found, *(void **)&open_mp, __ATOMIC_RELAXED); \
        } \
        open_mp(thaw->member, &region, thaw->threads(threads), THAW_REGION_LIST values); \
        thaw->join(&region); \
    }
#define THAW_REGION_LIST(...) __VA_ARGS__

#define THAW_LOOP(entry) \
    THAW_REGION(entry, (long begin, long end, long step, long chunk, unsigned flags), (begin, end, step, chunk, flags))
#define THAW_RUNTIME_LOOP(entry) \
    THAW_REGION(entry, (long begin, long end, long step, unsigned flags), (begin, end, step, flags))

THAW_REGION(GOMP_parallel, (unsigned flags), (flags))
THAW_REGION(GOMP_parallel_sections, (unsigned count, unsigned flags), (count, flags))
THAW_LOOP(GOMP_parallel_loop_static)
THAW_LOOP(GOMP_parallel_loop_dynamic)
THAW_LOOP(GOMP_parallel_loop_guided)
THAW_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
THAW_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
THAW_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
THAW_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
THAW_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

#endif
