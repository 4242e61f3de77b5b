// c_api/thc/runtime/device.cpp: the state, the devices, and which of them reaches whose memory.
#include "thc/runtime/device.h"

#include "th/runtime/export.h"
#include "thc/memory/scratch.h"
#include "thc/streams/streams.h"

#include <THC/THCGeneral.h>

#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

struct THCState {};

namespace th {
namespace {

std::mutex peers_lock;
auto &peers = *new std::map<std::pair<int, int>, bool>;  // known to be reached, or known not to be
std::atomic<bool> kernels_may_reach_peers{false};

bool can_reach(int device, int other) {
    int can;
    CUDA_CHECK(cudaDeviceCanAccessPeer(&can, device, other));
    return can;
}

// For what cudaMalloc allocates on `other`, and for CUDA's pool there, which has access rights of its own.
void set_access(int device, int other, bool enable) {
    OnDevice guard(device);
    const cudaError_t code = enable ? cudaDeviceEnablePeerAccess(other, 0) : cudaDeviceDisablePeerAccess(other);
    const bool already = code == cudaErrorPeerAccessAlreadyEnabled || code == cudaErrorPeerAccessNotEnabled;
    if (already) cudaGetLastError();  // another part of the program was first
    else CUDA_CHECK(code);
    cudaMemPool_t pool;
    CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, other));
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = device;
    access.flags = enable ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    CUDA_CHECK(cudaMemPoolSetAccess(pool, &access, 1));
}

bool peer_access(int device, int other) {
    check_device(device);
    check_device(other);
    if (device == other) return true;
    std::lock_guard<std::mutex> guard(peers_lock);
    const auto known = peers.find({device, other});
    if (known != peers.end()) return known->second;
    const bool can = can_reach(device, other);
    if (can) set_access(device, other, true);
    return peers[{device, other}] = can;
}

void set_peer_access(int device, int other, bool enable) {
    if (enable == peer_access(device, other)) return;
    TH_CHECK(device != other, "device %d always reaches its own memory", device);
    TH_CHECK(!enable || can_reach(device, other), "p2p access not supported for %d accessing %d", device, other);
    std::lock_guard<std::mutex> guard(peers_lock);
    set_access(device, other, enable);
    peers[{device, other}] = enable;
}

}  // namespace

int current_device() {
    int device;
    CUDA_CHECK(cudaGetDevice(&device));
    return device;
}

int device_count() {
    int count;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    return count;
}

void check_device(int device) { TH_CHECK(device >= 0 && device < device_count(), "%d is not a device", device); }

bool kernels_reach(int device, int other) { return kernels_may_reach_peers && peer_access(device, other); }

OnDevice::OnDevice(int device) {
    if (device < 0) return;
    const int now = current_device();
    if (now == device) return;
    CUDA_CHECK(cudaSetDevice(device));
    before_ = now;
}

OnDevice::~OnDevice() {
    if (before_ >= 0) cudaSetDevice(before_);
}

}  // namespace th

extern "C" {

static THCState the_state;
THCState *state = &the_state;

THCState *THCState_alloc(void) { return new THCState; }
void THCState_free(THCState *state) {
    if (state != &the_state) delete state;
}
void THCudaInit(THCState *) {
    th::guarded([] { CUDA_CHECK(cudaFree(nullptr)); });
}
void THCudaShutdown(THCState *) {
    th::guarded([] {
        th::release_scratch();
        th::release_reserved_streams();
    });
}
void THCMagma_init(THCState *) {}

int THCState_getNumDevices(THCState *) {
    return th::guarded([] { return th::device_count(); });
}

struct cudaDeviceProp *THCState_getCurrentDeviceProperties(THCState *) {
    return th::guarded([]() -> cudaDeviceProp * {
        static std::mutex lock;
        static auto &known = *new std::unordered_map<int, cudaDeviceProp>;
        const int device = th::current_device();
        std::lock_guard<std::mutex> guard(lock);
        auto found = known.find(device);
        if (found == known.end()) {
            cudaDeviceProp properties;
            CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
            found = known.emplace(device, properties).first;
        }
        return &found->second;
    });
}

int THCState_getPeerToPeerAccess(THCState *, int dev, int devToAccess) {
    return th::guarded([&] { return int(th::peer_access(dev, devToAccess)); });
}
void THCState_setPeerToPeerAccess(THCState *, int dev, int devToAccess, int enable) {
    th::guarded([&] { th::set_peer_access(dev, devToAccess, enable != 0); });
}
int THCState_getKernelPeerToPeerAccessEnabled(THCState *) { return th::kernels_may_reach_peers; }
void THCState_setKernelPeerToPeerAccessEnabled(THCState *, int val) { th::kernels_may_reach_peers = val != 0; }
}
