// cuda_on_cpu/runtime/memory.cpp: memory of the device, which is the host's; copies; __device__ variables.
#include "memory.h"

#include "errors.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace cuda_on_cpu {
namespace {

constexpr size_t alignment = 256;
struct Arrays {
    std::mutex mutex;
    std::map<char *, Array> by_address;
    unsigned made = 0;
    size_t bytes = 0;  // allocated now
};
Arrays &arrays() {
    static Arrays &made = *new Arrays;  // used until the process ends
    return made;
}

void add(char *address, size_t bytes, cudaMemoryType type, const char *name) {
    Arrays &known = arrays();
    std::lock_guard<std::mutex> lock(known.mutex);
    known.by_address[address] = {address, bytes, type, name, ++known.made};
    if (!*name) known.bytes += bytes;
}
bool remove(void *address) {
    Arrays &known = arrays();
    std::lock_guard<std::mutex> lock(known.mutex);
    const auto found = known.by_address.find(static_cast<char *>(address));
    if (found == known.by_address.end()) return false;
    if (found->second.name.empty()) known.bytes -= found->second.bytes;
    known.by_address.erase(found);
    return true;
}

cudaError_t allocate(void **memory, size_t bytes, cudaMemoryType type) {
    if (!memory) return record(cudaErrorInvalidValue);
    *memory = nullptr;
    if (const cudaError_t error = failure()) return error;
    if (!bytes) return cudaSuccess;
    if (posix_memalign(memory, alignment, bytes)) {
        *memory = nullptr;
        return record(cudaErrorMemoryAllocation);
    }
    if (checking) std::memset(*memory, 0xff, bytes);  // NaNs: a card's memory is not zero at first
    add(static_cast<char *>(*memory), bytes, type, "");
    return cudaSuccess;
}
cudaError_t release(void *memory) {
    if (!memory) return cudaSuccess;
    if (!remove(memory)) return record(cudaErrorInvalidValue);
    std::free(memory);
    return cudaSuccess;
}

cudaError_t copy(void *to, const void *from, size_t bytes, int kind) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return record(cudaErrorInvalidMemcpyDirection);
    if (bytes && (!to || !from)) return record(cudaErrorInvalidValue);
    if (bytes) std::memmove(to, from, bytes);
    return record(cudaSuccess);
}
cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                      int kind) {
    if (width > to_pitch || width > from_pitch) return record(cudaErrorInvalidPitchValue);
    for (size_t i = 0; i < height; i++)
        if (const cudaError_t error = copy(static_cast<char *>(to) + i * to_pitch,
                                           static_cast<const char *>(from) + i * from_pitch, width, kind))
            return error;
    return record(cudaSuccess);
}
cudaError_t set_rows(void *to, size_t pitch, int value, size_t width, size_t height) {
    if (width > pitch && height > 1) return record(cudaErrorInvalidPitchValue);
    if (width && height && !to) return record(cudaErrorInvalidValue);
    for (size_t i = 0; i < height; i++) std::memset(static_cast<char *>(to) + i * pitch, value, width);
    return record(cudaSuccess);
}

size_t pages(int name) { return size_t(sysconf(name)) * size_t(sysconf(_SC_PAGESIZE)); }

}  // namespace

std::vector<Array> all_arrays() {
    Arrays &known = arrays();
    std::lock_guard<std::mutex> lock(known.mutex);
    std::vector<Array> list;
    list.reserve(known.by_address.size());
    for (const auto &each : known.by_address) list.push_back(each.second);
    return list;
}

bool find_array(const void *address, Array *found) {
    Arrays &known = arrays();
    std::lock_guard<std::mutex> lock(known.mutex);
    char *inside = static_cast<char *>(const_cast<void *>(address));
    auto after = known.by_address.upper_bound(inside);
    if (after == known.by_address.begin()) return false;
    const Array &array = (--after)->second;
    if (inside >= array.address + array.bytes) return false;
    if (found) *found = array;
    return true;
}

Variable::Variable(void *address, size_t bytes, const char *name) : address(address) {
    add(static_cast<char *>(address), bytes, cudaMemoryTypeDevice, name);
}
Variable::~Variable() { remove(address); }

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

extern "C" {
#define API CUDA_ON_CPU_EXPORT cudaError_t
API cudaMalloc(void **memory, size_t bytes) { return allocate(memory, bytes, cudaMemoryTypeDevice); }
API cudaMallocAsync(void **memory, size_t bytes, cudaStream_t) { return allocate(memory, bytes, cudaMemoryTypeDevice); }
API cudaMallocManaged(void **memory, size_t bytes, unsigned) { return allocate(memory, bytes, cudaMemoryTypeManaged); }
API cudaMallocHost(void **memory, size_t bytes) { return allocate(memory, bytes, cudaMemoryTypeHost); }
API cudaHostAlloc(void **memory, size_t bytes, unsigned) { return allocate(memory, bytes, cudaMemoryTypeHost); }
API cudaMallocPitch(void **memory, size_t *pitch, size_t width, size_t height) {
    *pitch = (width + alignment - 1) / alignment * alignment;
    return allocate(memory, *pitch * height, cudaMemoryTypeDevice);
}
API cudaFree(void *memory) { return release(memory); }
API cudaFreeAsync(void *memory, cudaStream_t) { return release(memory); }
API cudaFreeHost(void *memory) { return release(memory); }
API cudaHostRegister(void *memory, size_t bytes, unsigned) {
    if (!memory || !bytes) return record(cudaErrorInvalidValue);
    if (find_array(memory, nullptr)) return record(cudaErrorHostMemoryAlreadyRegistered);
    add(static_cast<char *>(memory), bytes, cudaMemoryTypeHost, "");
    return cudaSuccess;
}
API cudaHostUnregister(void *memory) {
    return remove(memory) ? cudaSuccess : record(cudaErrorHostMemoryNotRegistered);
}
API cudaHostGetDevicePointer(void **device, void *host, unsigned) { return *device = host, cudaSuccess; }
API cudaMemGetInfo(size_t *free, size_t *total) {
    *free = pages(_SC_AVPHYS_PAGES);
    *total = pages(_SC_PHYS_PAGES);
    return cudaSuccess;
}
API cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *memory) {
    if (!attributes) return record(cudaErrorInvalidValue);
    Array array;
    if (find_array(memory, &array)) {
        void *same = const_cast<void *>(memory);
        *attributes = {array.type, 0, same, array.type == cudaMemoryTypeDevice ? nullptr : same};
    } else {
        *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, const_cast<void *>(memory)};
    }
    return cudaSuccess;
}

API cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) { return copy(to, from, bytes, kind); }
API cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
    return copy(to, from, bytes, kind);
}
API cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                 cudaMemcpyKind kind) {
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
API cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                      cudaMemcpyKind kind, cudaStream_t) {
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
API cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes) {
    if (to_device || from_device) return record(cudaErrorInvalidDevice);
    return copy(to, from, bytes, cudaMemcpyDefault);
}
API cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, cudaStream_t) {
    return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}
API cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return copy(static_cast<char *>(const_cast<void *>(symbol)) + offset, from, bytes, kind);
}
API cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return copy(to, static_cast<const char *>(symbol) + offset, bytes, kind);
}
API cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                            cudaStream_t) {
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
API cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                              cudaStream_t) {
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
API cudaGetSymbolAddress(void **address, const void *symbol) {
    return *address = const_cast<void *>(symbol), cudaSuccess;
}
API cudaMemset(void *to, int value, size_t bytes) { return set_rows(to, bytes, value, bytes, 1); }
API cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t) { return set_rows(to, bytes, value, bytes, 1); }
API cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
    return set_rows(to, pitch, value, width, height);
}
API cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t) {
    return set_rows(to, pitch, value, width, height);
}
API cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation, unsigned, cudaStream_t) { return cudaSuccess; }
API cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, cudaMemLocation) { return cudaSuccess; }

// The one pool: it keeps nothing that is freed.
API cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    static char the_pool;
    *pool = reinterpret_cast<cudaMemPool_t>(&the_pool);
    return device == 0 ? cudaSuccess : record(cudaErrorInvalidDevice);
}
API cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }
API cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
API cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }
API cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void *value) {
    const bool sizes = attribute >= cudaMemPoolAttrReservedMemCurrent;
    if (!sizes) return *static_cast<int *>(value) = 0, cudaSuccess;
    std::lock_guard<std::mutex> lock(arrays().mutex);
    return *static_cast<uint64_t *>(value) = arrays().bytes, cudaSuccess;
}
API cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc *, size_t) { return cudaSuccess; }

// What libthc asks the driver: the start and size of the array that holds an address; CUDA_ERROR_INVALID_VALUE is 1.
static int address_range(unsigned long long *base, size_t *bytes, unsigned long long address) {
    Array array;
    if (!find_array(reinterpret_cast<const void *>(uintptr_t(address)), &array)) return 1;
    if (base) *base = reinterpret_cast<uintptr_t>(array.address);
    if (bytes) *bytes = array.bytes;
    return 0;
}
API cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long,
                            cudaDriverEntryPointQueryResult *result) {
    const bool known = !std::strncmp(name, "cuMemGetAddressRange", 20);
    *function = known ? reinterpret_cast<void *>(address_range) : nullptr;
    if (result) *result = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return known ? cudaSuccess : record(cudaErrorSymbolNotFound);
}
API cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned, unsigned long long flags,
                                     cudaDriverEntryPointQueryResult *result) {
    return cudaGetDriverEntryPoint(name, function, flags, result);
}
}
