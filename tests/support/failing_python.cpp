// tests/support/failing_python.cpp: Python's allocators, which can be made to fail where a library calls Python; and
// how Python says what is to fail. To be preloaded into an interpreter, with failing_malloc.cpp.
#include <Python.h>

#include "failing_malloc.h"

#include <cstdint>
#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

PyMemAllocatorEx below[2]; // of PYMEM_DOMAIN_MEM and PYMEM_DOMAIN_OBJ
thread_local long python_fails_in = -1;
const void *python_code;

// The code of the library, or the program, that an address lies in.
struct Code {
    uintptr_t address, begin, end;

    explicit Code(const void *code) : address(reinterpret_cast<uintptr_t>(code)), begin(0), end(0) {}
    bool has(const void *code) const {
        return reinterpret_cast<uintptr_t>(code) >= begin && reinterpret_cast<uintptr_t>(code) < end;
    }
    void find() {
        dl_iterate_phdr(
            [](dl_phdr_info *info, size_t, void *opaque) {
                auto *code = static_cast<Code *>(opaque);
                for (int i = 0; i < info->dlpi_phnum; i++) {
                    const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
                    const uintptr_t end = begin + info->dlpi_phdr[i].p_memsz;
                    const bool is_code = info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X);
                    if (is_code && code->address >= begin && code->address < end) code->begin = begin, code->end = end;
                }
                return 0;
            },
            this);
    }
};

Code interpreter(nullptr), self(nullptr);

enum Walk { SEARCHING, OURS, OTHERS };

_Unwind_Reason_Code step(_Unwind_Context *frame, void *out) {
    const void *code = reinterpret_cast<void *>(_Unwind_GetIP(frame));
    auto *walk = static_cast<Walk *>(out);
    if (reinterpret_cast<void *>(_Unwind_GetRegionStart(frame)) == python_code) *walk = OTHERS;
    else if (failing_malloc::is_ours(code)) *walk = OURS;
    else if (!interpreter.has(code) && !self.has(code)) *walk = OTHERS;
    return *walk == SEARCHING ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

// Whether Python allocates for a library's own call; what a Python function allocates is Python's own.
bool is_for_us() {
    Walk walk = SEARCHING;
    _Unwind_Backtrace(step, &walk);
    return walk == OURS;
}

bool fails() {
    if (python_fails_in <= 0) return false;
    const long kept = python_fails_in;
    python_fails_in = -1;
    const bool is = is_for_us();
    python_fails_in = kept;
    return is && --python_fails_in == 0;
}

void *allocate(void *context, size_t size) {
    auto *next = static_cast<PyMemAllocatorEx *>(context);
    return fails() ? nullptr : next->malloc(next->ctx, size);
}
void *allocate_zeros(void *context, size_t count, size_t size) {
    auto *next = static_cast<PyMemAllocatorEx *>(context);
    return fails() ? nullptr : next->calloc(next->ctx, count, size);
}
void *reallocate(void *context, void *memory, size_t size) {
    auto *next = static_cast<PyMemAllocatorEx *>(context);
    return fails() ? nullptr : next->realloc(next->ctx, memory, size);
}
void release(void *context, void *memory) {
    auto *next = static_cast<PyMemAllocatorEx *>(context);
    next->free(next->ctx, memory);
}

} // namespace

EXPORTED int failing_find(const char *name) { return failing_malloc::find(name); }

// To be called first: from then on Python's allocators are these.
EXPORTED void failing_prepare() {
    self = Code(reinterpret_cast<void *>(&failing_prepare));
    self.find();
    python_code = dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
    interpreter = Code(reinterpret_cast<void *>(&PyMem_SetAllocator));
    interpreter.find();
    const PyMemAllocatorDomain domains[] = {PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};
    for (int i = 0; i < 2; i++) {
        PyMem_GetAllocator(domains[i], &below[i]);
        PyMemAllocatorEx mine = {&below[i], allocate, allocate_zeros, reallocate, release};
        PyMem_SetAllocator(domains[i], &mine);
    }
}

// The n-th allocation of this thread from now on fails: of the libraries' own, or of those that Python makes for them.
EXPORTED void failing_begin(int python, long n) { (python ? python_fails_in : failing_malloc::fails_in) = n; }

// Whether one has failed; from now on none does.
EXPORTED int failing_end(int python) {
    long &in = python ? python_fails_in : failing_malloc::fails_in;
    const bool failed = in == 0;
    in = -1;
    return failed;
}

EXPORTED long failing_live_blocks() { return failing_malloc::live_blocks(); }
