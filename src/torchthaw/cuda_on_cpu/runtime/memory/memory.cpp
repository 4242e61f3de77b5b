// cuda_on_cpu/runtime/memory/memory.cpp: memory of the device, which is the host's; copies; __device__ variables.
#include "memory/memory.h"

#include "memory/addresses.h"
#include "memory/boxes.h"
#include "errors.h"
#include "checks/report.h"

#include "checks/sanitizer.h"

#include <cuda_on_cpu/access.h>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
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
    size_t bytes = 0;          // allocated now
    unsigned accesses = 0;     // objects of Access that exist
};
Arrays &arrays() {
    static Arrays &made = *new Arrays;  // used until the process ends
    return made;
}

// Whether code of the host must keep off an array, and makes it so or not. Of a large one the beginning is enough.
bool is_guarded(const Array &array) {
    return checking && __asan_poison_memory_region && array.origin == Origin::allocated &&
           array.type == cudaMemoryTypeDevice;
}
void guard(const Array &array, bool on) {
    constexpr size_t most = 64 << 10;
    if (!is_guarded(array)) return;
    const size_t bytes = std::min(array.bytes, most);
    on ? __asan_poison_memory_region(array.address, bytes) : __asan_unpoison_memory_region(array.address, bytes);
}

void add(char *address, size_t bytes, cudaMemoryType type, Origin origin, const char *name) {
    Arrays &known = arrays();
    std::lock_guard<std::mutex> lock(known.mutex);
    Array &array = known.by_address[address] = {address, bytes, type, origin, name, ++known.made};
    if (origin == Origin::allocated) known.bytes += bytes;
    if (!known.accesses) guard(array, true);
}
// Removes the array that begins there if `may` says so; true and the array then.
template <typename May> bool remove(void *address, May may, Array *removed) {
    Arrays &known = arrays();
    std::lock_guard<std::mutex> lock(known.mutex);
    const auto found = known.by_address.find(static_cast<char *>(address));
    if (found == known.by_address.end() || !may(found->second)) return false;
    if (found->second.origin == Origin::allocated) known.bytes -= found->second.bytes;
    *removed = found->second;
    if (!known.accesses) guard(*removed, false);
    known.by_address.erase(found);
    return true;
}

bool host_is_shared = false;

cudaError_t allocate(void **memory, size_t bytes, cudaMemoryType type) {
    if (const cudaError_t error = initialize()) return error;
    if (!memory) return record(cudaErrorInvalidValue);
    *memory = nullptr;
    if (!bytes) return cudaSuccess;
    *memory = take(bytes);
    if (!*memory) return record(cudaErrorMemoryAllocation);
    if (checking) std::memset(*memory, 0xff, bytes);  // NaNs: a card's memory is not zero at first
    add(static_cast<char *>(*memory), bytes, type, Origin::allocated, "");
    return cudaSuccess;
}
// Frees what was allocated, of the host or of the device.
cudaError_t release(void *memory, bool of_host) {
    if (const cudaError_t error = initialize()) return error;
    if (!memory) return cudaSuccess;
    Array array;
    const auto may = [of_host](const Array &each) {
        return each.origin == Origin::allocated && (each.type == cudaMemoryTypeHost) == of_host;
    };
    if (!remove(memory, may, &array)) return record(cudaErrorInvalidValue);
    give_back(memory, array.bytes);
    return cudaSuccess;
}

cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                      int kind) {
    if (const cudaError_t error = initialize()) return error;
    Side to_side, from_side;
    if (!sides_of(kind, &to_side, &from_side)) return record(cudaErrorInvalidMemcpyDirection);
    if (width > to_pitch || width > from_pitch) return record(cudaErrorInvalidPitchValue);
    const Box target{static_cast<char *>(to), to_pitch, 0, to_side};
    const Box source{static_cast<char *>(const_cast<void *>(from)), from_pitch, 0, from_side};
    return copy_box(target, source, {width, height, 1});
}
cudaError_t copy(void *to, const void *from, size_t bytes, int kind) {
    return copy_rows(to, bytes, from, bytes, bytes, 1, kind);
}
cudaError_t set_rows(void *to, size_t pitch, int value, size_t width, size_t height) {
    return set_box({static_cast<char *>(to), pitch, 0, Side::device}, value, {width, height, 1});
}
// A copy to or from a variable, whose bytes the caller gives from `offset` on.
cudaError_t copy_symbol(const void *symbol, size_t offset, size_t bytes, const void *other, int kind, bool to_symbol) {
    if (const cudaError_t error = initialize()) return error;
    const int with_host = to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    if (kind != with_host && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return record(cudaErrorInvalidMemcpyDirection);
    Array array;
    if (!symbol || !find_array(symbol, &array) || array.origin < Origin::variable) return record(cudaErrorInvalidSymbol);
    const size_t size = size_t(array.address + array.bytes - static_cast<const char *>(symbol));
    if (offset > size || bytes > size - offset) return record(cudaErrorInvalidValue);
    char *part = static_cast<char *>(const_cast<void *>(symbol)) + offset;
    return to_symbol ? copy(part, other, bytes, kind) : copy(const_cast<void *>(other), part, bytes, kind);
}

// The first access of all, or the end of the last one.
void turn_guards(int change) {
    if (!checking) return;
    Arrays &known = arrays();
    const std::lock_guard<std::mutex> lock(known.mutex);
    const bool none_before = !known.accesses;
    known.accesses += unsigned(change);
    if (!none_before && known.accesses) return;
    for (const auto &each : known.by_address) guard(each.second, !known.accesses);
}

size_t pages(int name) { return size_t(sysconf(name)) * size_t(sysconf(_SC_PAGESIZE)); }

}  // namespace

bool sides_of(int kind, Side *to, Side *from) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return false;
    const bool any = kind == cudaMemcpyDefault;
    *from = any ? Side::any : kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice ? Side::host : Side::device;
    *to = any ? Side::any : kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost ? Side::host : Side::device;
    return true;
}
// What is wrong with `bytes` from an address on as memory of a side; "" if nothing is.
static std::string misfit(const void *address, size_t bytes, Side side) {
    if (!bytes) return "";
    if (!address) return "expected memory, got a null pointer";
    Array array;
    if (!find_array(address, &array)) {
        if (!is_of_host(address)) return "expected an array, got memory of the device that is not allocated";
        return side != Side::device || host_is_shared ? "" : "expected memory of the device, got memory of the host";
    }
    if (side == Side::host && array.type == cudaMemoryTypeDevice)
        return "expected memory of the host, got memory of the device";
    const size_t left = size_t(array.address + array.bytes - static_cast<const char *>(address));
    if (bytes <= left) return "";
    return "expected " + std::to_string(bytes) + " bytes, got an array with " + std::to_string(left) + " from there on";
}
bool fits(const char *what, const void *address, size_t bytes, Side side) {
    const std::string wrong = misfit(address, bytes, side);
    if (wrong.empty()) return true;
    const Caller place = caller();
    tell(Rule::copy, place.source.place(), "%s, called at %s: %s at %p", what, place.text,
         wrong.c_str(), address);
    return false;
}
bool extent(size_t pitch, size_t width, size_t height, size_t *bytes) {
    *bytes = 0;
    if (!width || !height) return true;
    return !__builtin_mul_overflow(pitch, height - 1, bytes) && !__builtin_add_overflow(*bytes, width, bytes);
}

std::vector<Array> all_arrays() {
    Arrays &known = arrays();
    std::lock_guard<std::mutex> lock(known.mutex);
    std::vector<Array> list;
    list.reserve(known.by_address.size());
    for (const auto &each : known.by_address)
        if (each.second.origin != Origin::symbol) list.push_back(each.second);
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

bool place_array(const Array &array) {
    if (array.origin != Origin::allocated || !take_at(array.address, array.bytes)) return false;
    add(array.address, array.bytes, array.type, array.origin, "");
    return true;
}

// A pointer to the end of an array is not read from.
int argument_of_host(const Launch &launch) {
    for (int i = 0; i < launch.count && !host_is_shared; i++) {
        const void *pointer = launch.pointers[i];
        if (!pointer || !is_of_host(pointer) || find_array(pointer, nullptr)) continue;
        if (!find_array(static_cast<const char *>(pointer) - 1, nullptr)) return i;
    }
    return -1;
}

void begin_access() { turn_guards(1); }
void end_access() { turn_guards(-1); }

void share_host_memory() { host_is_shared = true; }

Variable::Variable(void *address, size_t bytes, const char *name, bool managed) : address(address) {
    const cudaMemoryType type = managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
    add(static_cast<char *>(address), bytes, type, Origin::variable, name);
}
Variable::~Variable() {
    Array array;
    remove(address, [](const Array &) { return true; }, &array);
}
void know_symbol(const void *address, size_t bytes) {
    if (!find_array(address, nullptr))
        add(static_cast<char *>(const_cast<void *>(address)), bytes, cudaMemoryTypeDevice, Origin::symbol, "");
}

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
    if (!memory || !pitch) return record(cudaErrorInvalidValue);
    size_t rounded, bytes;
    *memory = nullptr;
    if (__builtin_add_overflow(width, alignment - 1, &rounded)) return record(cudaErrorInvalidValue);
    rounded = rounded / alignment * alignment;
    if (__builtin_mul_overflow(rounded, height, &bytes)) return record(cudaErrorMemoryAllocation);
    *pitch = rounded;
    return allocate(memory, bytes, cudaMemoryTypeDevice);
}
API cudaFree(void *memory) { return release(memory, false); }
API cudaFreeAsync(void *memory, cudaStream_t) { return release(memory, false); }
API cudaFreeHost(void *memory) { return release(memory, true); }
API cudaHostRegister(void *memory, size_t bytes, unsigned) {
    if (const cudaError_t error = initialize()) return error;
    char *begin = static_cast<char *>(memory), *end;
    if (!memory || !bytes || __builtin_add_overflow(uintptr_t(begin), bytes, reinterpret_cast<uintptr_t *>(&end)))
        return record(cudaErrorInvalidValue);
    for (const Array &each : all_arrays()) {
        if (end <= each.address || each.address + each.bytes <= begin) continue;
        return record(each.type == cudaMemoryTypeHost ? cudaErrorHostMemoryAlreadyRegistered : cudaErrorInvalidValue);
    }
    add(begin, bytes, cudaMemoryTypeHost, Origin::registered, "");
    return cudaSuccess;
}
API cudaHostUnregister(void *memory) {
    if (const cudaError_t error = initialize()) return error;
    if (!memory) return record(cudaErrorInvalidValue);
    Array array;
    const auto may = [](const Array &each) { return each.origin == Origin::registered; };
    return remove(memory, may, &array) ? cudaSuccess : record(cudaErrorHostMemoryNotRegistered);
}
API cudaHostGetDevicePointer(void **device, void *host, unsigned) {
    Array array;
    if (!device || !find_array(host, &array) || array.type == cudaMemoryTypeDevice) return record(cudaErrorInvalidValue);
    return give(device, host);
}
API cudaMemGetInfo(size_t *free, size_t *total) {
    if (!free || !total) return record(cudaErrorInvalidValue);
    *free = pages(_SC_AVPHYS_PAGES);
    *total = pages(_SC_PHYS_PAGES);
    return cudaSuccess;
}
API cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *memory) {
    if (!attributes) return record(cudaErrorInvalidValue);
    Array array;
    const bool known = find_array(memory, &array);
    void *same = const_cast<void *>(memory);
    // Each field by itself: the struct of CUDA 12 ends where the reserved fields of CUDA 13 begin.
    attributes->type = known ? array.type : cudaMemoryTypeUnregistered;
    attributes->device = known ? 0 : cudaInvalidDeviceId;
    attributes->devicePointer = known ? same : nullptr;
    attributes->hostPointer = known && array.type == cudaMemoryTypeDevice ? nullptr : same;
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
    return copy_symbol(symbol, offset, bytes, from, kind, true);
}
API cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return copy_symbol(symbol, offset, bytes, to, kind, false);
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
    Array array;
    if (!symbol || !find_array(symbol, &array) || array.origin < Origin::variable) return record(cudaErrorInvalidSymbol);
    return give(address, const_cast<void *>(symbol));
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
    if (device) return record(cudaErrorInvalidDevice);
    return give(pool, reinterpret_cast<cudaMemPool_t>(&the_pool));
}
API cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }
API cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
API cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }
API cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void *value) {
    if (!value) return record(cudaErrorInvalidValue);
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
    if (!name || !function) return record(cudaErrorInvalidValue);
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
