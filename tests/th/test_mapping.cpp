// tests/th/test_mapping.cpp: storages in files and in shared memory: who sees what, and how long names last.
#include "expect.h"

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>

namespace {

THFloatStorage *map(THAllocator &allocator, const char *name, int flags) {
    return THFloatStorage_newWithAllocator(4, &allocator, THMapAllocatorContext_new(name, flags));
}

bool exists(const char *name) {
    const int fd = shm_open(name, O_RDWR, 0);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

const std::string name = "/torchthaw_test_" + std::to_string(getpid());

void file() {
    char path[] = "test_mapping_XXXXXX";
    close(mkstemp(path));
    THFloatStorage *a = map(THMapAllocator, path, TH_ALLOCATOR_MAPPED_SHARED);
    a->data[3] = 5;
    EXPECT(raised([&] { THFloatStorage_resize(a, 5); }) == "0: cannot realloc mapped data");
    EXPECT(a->size == 4 && a->data[3] == 5);
    THFloatStorage_free(a);
    EXPECT(access(path, F_OK) == 0);
    std::remove(path);
}

// Nothing stays mapped where the name cannot be removed: those in /proc cannot.
void name_that_stays() {
    char path[] = "test_mapping_XXXXXX";
    const int fd = mkstemp(path);
    const std::string same = "/proc/self/fd/" + std::to_string(fd);
    THMapAllocatorContext *context =
        THMapAllocatorContext_new(same.c_str(), TH_ALLOCATOR_MAPPED_SHARED | TH_ALLOCATOR_MAPPED_UNLINK);
    EXPECT(raised([&] { THMapAllocator.malloc(context, 4096); }) == "0: could not unlink file " + same);
    EXPECT(THMapAllocatorContext_size(context) == 0);
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) EXPECT(line.find(path) == std::string::npos);
    THMapAllocatorContext_free(context);
    close(fd);
    std::remove(path);
}

// A descriptor that the caller opened serves, and the context keeps one where it is asked to.
void descriptor() {
    char path[] = "test_mapping_XXXXXX";
    const int fd = mkstemp(path);
    constexpr int kept = TH_ALLOCATOR_MAPPED_SHARED | TH_ALLOCATOR_MAPPED_FROMFD | TH_ALLOCATOR_MAPPED_KEEPFD;
    THMapAllocatorContext *context = THMapAllocatorContext_newWithFd(path, fd, kept);
    THFloatStorage *a = THFloatStorage_newWithAllocator(4, &THMapAllocator, context);
    a->data[3] = 6;
    const int own = THMapAllocatorContext_fd(context);
    float value = 0;
    EXPECT(pread(own, &value, sizeof value, 3 * sizeof value) == sizeof value && value == 6);
    EXPECT(own != fd && fcntl(fd, F_GETFD) == -1);  // which takes the place of the one that was given
    EXPECT(THMapAllocatorContext_filename(context) == std::string(path) && THMapAllocatorContext_size(context) == 16);
    THFloatStorage_free(a);
    EXPECT(fcntl(own, F_GETFD) == -1);
    std::remove(path);
}

// As others call what an allocator holds: an error reaches the handler.
void functions_of_allocators() {
    auto *data = static_cast<float *>(THDefaultAllocator.malloc(nullptr, 8));
    data[1] = 2;
    data = static_cast<float *>(THDefaultAllocator.realloc(nullptr, data, 16));
    EXPECT(data[1] == 2);
    THDefaultAllocator.free(nullptr, data);
    EXPECT(raised([&] { THMapAllocator.realloc(nullptr, nullptr, 8); }) == "0: cannot realloc mapped data");

    THMapAllocatorContext *context = THMapAllocatorContext_new(name.c_str(), TH_ALLOCATOR_MAPPED_SHAREDMEM);
    void *counted = THRefcountedMapAllocator.malloc(context, 16);
    EXPECT(counted && exists(name.c_str()));
    THRefcountedMapAllocator.free(context, counted);
    EXPECT(!exists(name.c_str()));
    context = THMapAllocatorContext_new(name.c_str(), TH_ALLOCATOR_MAPPED_SHARED);
    EXPECT(raised([&] { THRefcountedMapAllocator.malloc(context, 16); }) ==
           "0: THRefcountedMapAllocator requires TH_ALLOCATOR_MAPPED_SHAREDMEM flag");
    THMapAllocatorContext_free(context);
}

// The first storage that is freed takes the name with it.
void shared_memory() {
    constexpr int own = TH_ALLOCATOR_MAPPED_SHAREDMEM | TH_ALLOCATOR_MAPPED_EXCLUSIVE;
    THFloatStorage *a = map(THMapAllocator, name.c_str(), own);
    THMapAllocatorContext *second = THMapAllocatorContext_new(name.c_str(), own);
    EXPECT(raised([&] { THFloatStorage_newWithAllocator(4, &THMapAllocator, second); }) ==
           "0: unable to open shared memory object <" + name + "> in read-write mode");
    THMapAllocatorContext_free(second);
    THFloatStorage *b = map(THMapAllocator, name.c_str(), TH_ALLOCATOR_MAPPED_SHAREDMEM | TH_ALLOCATOR_MAPPED_NOCREATE);
    a->data[1] = 7;
    EXPECT(b->data[1] == 7 && exists(name.c_str()));
    THFloatStorage_free(a);
    EXPECT(b->data[1] == 7 && !exists(name.c_str()));
    THFloatStorage_free(b);

    a = map(THMapAllocator, name.c_str(), TH_ALLOCATOR_MAPPED_SHAREDMEM | TH_ALLOCATOR_MAPPED_UNLINK);
    EXPECT(!exists(name.c_str()));
    b = map(THMapAllocator, name.c_str(), TH_ALLOCATOR_MAPPED_SHAREDMEM);
    THFloatStorage_free(a);
    EXPECT(exists(name.c_str()));  // that is b's
    THFloatStorage_free(b);
}

// The last one does, and references that other processes hold are counted too.
void counted() {
    THFloatStorage *a = map(THRefcountedMapAllocator, name.c_str(), TH_ALLOCATOR_MAPPED_SHAREDMEM);
    THFloatStorage *b = map(THRefcountedMapAllocator, name.c_str(), TH_ALLOCATOR_MAPPED_SHAREDMEM);
    a->data[2] = 3;
    EXPECT(b->data[2] == 3);
    THFloatStorage_free(a);
    EXPECT(exists(name.c_str()) && b->data[2] == 3);
    auto *context = static_cast<THMapAllocatorContext *>(b->allocatorContext);
    THRefcountedMapAllocator_incref(context, b->data);
    EXPECT(THRefcountedMapAllocator_decref(context, b->data) == 0);
    THRefcountedMapAllocator_incref(context, b->data);
    THFloatStorage_free(b);
    EXPECT(exists(name.c_str()));

    b = map(THRefcountedMapAllocator, name.c_str(), TH_ALLOCATOR_MAPPED_SHAREDMEM);
    context = static_cast<THMapAllocatorContext *>(b->allocatorContext);
    EXPECT(THRefcountedMapAllocator_decref(context, b->data) == 0);
    EXPECT(raised([&] { THFloatStorage_resize(b, 5); }) == "0: cannot realloc mapped data");
    THFloatStorage_free(b);
    EXPECT(!exists(name.c_str()));
}

}  // namespace

int main() {
    catch_errors();
    file();
    name_that_stays();
    descriptor();
    functions_of_allocators();
    shared_memory();
    counted();
    shm_unlink(name.c_str());
    return failures != 0;
}
