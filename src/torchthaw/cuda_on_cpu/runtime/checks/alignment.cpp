// cuda_on_cpu/runtime/checks/alignment.cpp: what code compiled with -fsanitize=alignment calls at an address that is not aligned.
//
// The compiler's runtime would print a line that knows neither kernel nor thread, and go on. A card ends the kernel.
#include "checks/check.h"
#include "errors.h"
#include "execution/block.h"

#include <cstdint>

namespace {

// As GCC since 8 and clang since 5 pass them.
struct Type {
    uint16_t kind, information;
    char name[1];  // in quotes
};
struct Mismatch {
    struct {
        const char *file;
        uint32_t line, column;
    } place;
    const Type *type;
    unsigned char log_of_alignment, kind;
};

constexpr const char *accesses[] = {"a load of", "a store to", "a reference to", "a member of", "a call of a member of"};

}  // namespace

extern "C" CUDA_ON_CPU_EXPORT void __ubsan_handle_type_mismatch_v1(const Mismatch *found, uintptr_t address) {
    using namespace cuda_on_cpu;
    Block *block = Block::running();
    if (!block) return;  // the processor permits it to the host
    const char *access = found->kind < sizeof accesses / sizeof *accesses ? accesses[found->kind] : "an access to";
    report_misaligned(*block->launch(), {found->place.file, int(found->place.line)}, access, found->type->name,
                      reinterpret_cast<const void *>(address), size_t(1) << found->log_of_alignment);
    block->abandon(cudaErrorMisalignedAddress);
}
