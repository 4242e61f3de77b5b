// c_api/th/tensor/allocators.cpp: the allocators of THAllocator.h: malloc, mapped files, shared memory with a count.
#include "th/runtime/export.h"
#include "th/runtime/memory.h"

#include <cassert>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct THMapAllocatorContext_ {
    char *filename;  // allocated with the context
    int flags;
    ptrdiff_t size;  // mapped bytes
    int fd;
};

namespace th {
namespace {

constexpr int shared_flags = TH_ALLOCATOR_MAPPED_SHARED | TH_ALLOCATOR_MAPPED_SHAREDMEM;

// In front of the data of a counted mapping; the data stay aligned.
constexpr ptrdiff_t count_size = 64;

using Context = THMapAllocatorContext;

Context *new_context(const char *filename, int fd, int flags) {
    TH_CHECK(!(flags & TH_ALLOCATOR_MAPPED_EXCLUSIVE) || flags & shared_flags,
             "TH_ALLOCATOR_MAPPED_EXCLUSIVE flag requires opening the file in shared mode");
    const char *name = filename ? filename : "filename not specified";
    const size_t length = strlen(name) + 1;
    auto *context = static_cast<Context *>(allocate(ptrdiff_t(sizeof(Context) + length)));
    context->filename = reinterpret_cast<char *>(context + 1);
    memcpy(context->filename, name, length);
    context->flags = flags;
    context->size = 0;
    context->fd = flags & TH_ALLOCATOR_MAPPED_FROMFD ? fd : -1;
    return context;
}

// An open file, closed at the end of the block unless it was kept.
struct File {
    int fd;
    ~File() {
        if (fd >= 0) close(fd);
    }
};

// Mapped memory, unmapped at the end of the block unless it was kept.
struct Mapping {
    void *data;
    ptrdiff_t size;
    ~Mapping() {
        if (data) munmap(data, size_t(size));
    }
};

int open_file(const Context *context) {
    if (context->flags & TH_ALLOCATOR_MAPPED_FROMFD) return dup(context->fd);
    int mode = O_RDWR | O_CLOEXEC;
    if (!(context->flags & TH_ALLOCATOR_MAPPED_NOCREATE)) mode |= O_CREAT;
    if (context->flags & TH_ALLOCATOR_MAPPED_EXCLUSIVE) mode |= O_EXCL;
    const char *name = context->filename;
    int fd;
    if (context->flags & TH_ALLOCATOR_MAPPED_SHARED) {
        fd = open(name, mode, S_IRUSR | S_IWUSR);
        TH_CHECK(fd >= 0, "unable to open file <%s> in read-write mode", name);
    } else if (context->flags & TH_ALLOCATOR_MAPPED_SHAREDMEM) {
        fd = shm_open(name, mode, S_IRUSR | S_IWUSR);
        TH_CHECK(fd >= 0, "unable to open shared memory object <%s> in read-write mode", name);
    } else {
        fd = open(name, O_RDONLY | O_CLOEXEC);
        TH_CHECK(fd >= 0, "unable to open file <%s> in read-only mode", name);
    }
    return fd;
}

void unlink_file(const Context *context) {
    if (context->flags & TH_ALLOCATOR_MAPPED_SHAREDMEM)
        TH_CHECK(shm_unlink(context->filename) == 0 || errno == ENOENT, "could not unlink the shared memory file %s",
                 context->filename);
    else
        TH_CHECK(unlink(context->filename) == 0 || errno == ENOENT, "could not unlink file %s", context->filename);
}

// At least `size` bytes, the whole file for size <= 0.
void *map(Context *context, ptrdiff_t size) {
    File file{open_file(context)};
    struct stat status;
    TH_CHECK(file.fd >= 0 && fstat(file.fd, &status) == 0, "unable to stat the file <%s>", context->filename);
    if (size <= 0) {
        size = status.st_size;
    } else if (size > status.st_size) {
        TH_CHECK(context->flags & shared_flags, "file <%s> size is smaller than the required mapping size <%td>",
                 context->filename, size);
        TH_CHECK(ftruncate(file.fd, size) == 0, "unable to resize file <%s> to the right size", context->filename);
    }
    Mapping mapping{nullptr, size};
    if (size > 0) {
        const int sharing = context->flags & shared_flags ? MAP_SHARED : MAP_PRIVATE;
        void *data = mmap(nullptr, size_t(size), PROT_READ | PROT_WRITE, sharing, file.fd, 0);
        TH_CHECK(data != MAP_FAILED, "$ Torch: unable to mmap memory: you tried to mmap %dGB.", int(size >> 30));
        mapping.data = data;
    }
    if (context->flags & TH_ALLOCATOR_MAPPED_UNLINK) unlink_file(context);
    context->size = size;
    if (context->flags & TH_ALLOCATOR_MAPPED_KEEPFD) {
        if (context->fd >= 0) close(context->fd);
        context->fd = std::exchange(file.fd, -1);
    }
    return std::exchange(mapping.data, nullptr);
}

void free_context(Context *context) {
    if (context->fd >= 0 && context->flags & TH_ALLOCATOR_MAPPED_KEEPFD) close(context->fd);
    THFree(context);
}

// For callers outside the library: an error reaches the handler.
void *malloc_default(void *, ptrdiff_t size) { return THAlloc(size); }
void *realloc_default(void *, void *memory, ptrdiff_t size) { return THRealloc(memory, size); }
void free_default(void *, void *memory) { THFree(memory); }

void *malloc_map(void *context, ptrdiff_t size) {
    return guarded([&] { return map(static_cast<Context *>(context), size); });
}

void *realloc_map(void *, void *, ptrdiff_t) {
    THError("cannot realloc mapped data");
    return nullptr;
}

// Shared memory goes by its name, which goes with the storage; a file stays.
void free_map(void *opaque, void *data) {
    auto *context = static_cast<Context *>(opaque);
    const int kept = TH_ALLOCATOR_MAPPED_FROMFD | TH_ALLOCATOR_MAPPED_UNLINK;
    if (data) {
        assert(context->size > 0);
        munmap(data, size_t(context->size));
        if (context->flags & TH_ALLOCATOR_MAPPED_SHAREDMEM && !(context->flags & kept)) shm_unlink(context->filename);
    }
    free_context(context);
}

int *count_of(void *data) { return reinterpret_cast<int *>(static_cast<char *>(data) - count_size); }

void *map_counted(Context *context, ptrdiff_t size) {
#define TH_REFUSE(flag) TH_CHECK(!(context->flags & flag), "THRefcountedMapAllocator doesn't support " #flag " flag")
    TH_REFUSE(TH_ALLOCATOR_MAPPED_FROMFD);
    TH_REFUSE(TH_ALLOCATOR_MAPPED_KEEPFD);
    TH_REFUSE(TH_ALLOCATOR_MAPPED_UNLINK);
#undef TH_REFUSE
    TH_CHECK(context->flags & TH_ALLOCATOR_MAPPED_SHAREDMEM,
             "THRefcountedMapAllocator requires TH_ALLOCATOR_MAPPED_SHAREDMEM flag");
    char *start = static_cast<char *>(map(context, size > 0 ? size + count_size : 0));
    if (context->size < count_size) {
        if (start) munmap(start, size_t(context->size));
        TH_ERROR("file <%s> has no reference count", context->filename);
    }
    THAtomicIncrementRef(reinterpret_cast<int *>(start));
    return start + count_size;
}

void *malloc_counted(void *context, ptrdiff_t size) {
    return guarded([&] { return map_counted(static_cast<Context *>(context), size); });
}

void free_counted(void *opaque, void *data) {
    auto *context = static_cast<Context *>(opaque);
    if (data) {
        assert(context->size >= count_size && THAtomicGet(count_of(data)) > 0);
        if (THAtomicDecrementRef(count_of(data))) shm_unlink(context->filename);
        munmap(count_of(data), size_t(context->size));
    }
    free_context(context);
}

}  // namespace

void *allocate_from(THAllocator *allocator, void *context, ptrdiff_t bytes) {
    if (allocator->malloc == malloc_default) return allocate(bytes);
    if (allocator->malloc == malloc_map) return map(static_cast<Context *>(context), bytes);
    if (allocator->malloc == malloc_counted) return map_counted(static_cast<Context *>(context), bytes);
    void *data = allocator->malloc(context, bytes);
    TH_CHECK(data || bytes <= 0, "$ Torch: not enough memory: you tried to allocate %dGB. Buy new RAM!",
             int(bytes >> 30));
    return data;
}

void *reallocate_from(THAllocator *allocator, void *context, void *memory, ptrdiff_t bytes) {
    if (allocator->realloc == realloc_default) return reallocate(memory, bytes);
    TH_CHECK(allocator->realloc != realloc_map, "cannot realloc mapped data");
    void *data = allocator->realloc(context, memory, bytes);
    TH_CHECK(data || bytes <= 0, "$ Torch: not enough memory: you tried to reallocate %dGB. Buy new RAM!",
             int(bytes >> 30));
    return data;
}

}  // namespace th

extern "C" {

THAllocator THDefaultAllocator = {th::malloc_default, th::realloc_default, th::free_default};
THAllocator THMapAllocator = {th::malloc_map, th::realloc_map, th::free_map};
THAllocator THRefcountedMapAllocator = {th::malloc_counted, th::realloc_map, th::free_counted};

THMapAllocatorContext *THMapAllocatorContext_new(const char *filename, int flags) {
    return th::guarded([&] { return th::new_context(filename, -1, flags & ~TH_ALLOCATOR_MAPPED_FROMFD); });
}

THMapAllocatorContext *THMapAllocatorContext_newWithFd(const char *filename, int fd, int flags) {
    return th::guarded([&] { return th::new_context(filename, fd, flags); });
}

char *THMapAllocatorContext_filename(THMapAllocatorContext *ctx) { return ctx->filename; }
int THMapAllocatorContext_fd(THMapAllocatorContext *ctx) { return ctx->fd; }
ptrdiff_t THMapAllocatorContext_size(THMapAllocatorContext *ctx) { return ctx->size; }
void THMapAllocatorContext_free(THMapAllocatorContext *ctx) { th::free_context(ctx); }

void THRefcountedMapAllocator_incref(THMapAllocatorContext *, void *data) { THAtomicIncrementRef(th::count_of(data)); }
int THRefcountedMapAllocator_decref(THMapAllocatorContext *, void *data) {
    return THAtomicDecrementRef(th::count_of(data));
}
}
