// c_api/thc/streams/streams.cpp: a thread's stream: the one it chose, else the host program's, else CUDA's.
#include "thc/streams/streams.h"

#include "th/runtime/export.h"
#include "thc/runtime/host.h"

#include <THC/THCGeneral.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <mutex>
#include <vector>

namespace th {

thaw_cuda_host host = {};

namespace {

constexpr int not_counted = 0, of_the_host = -1;  // instead of a count of references

// What the host program said of the calling thread.
thread_local int known_device = -1;
thread_local cudaStream_t known_stream = nullptr;

// What the calling thread chose. Whether it did at all is looked at first: each launch asks.
thread_local bool chose = false;
struct Choices {
    std::map<int, THCStream *> chosen;  // by device, with a reference each
    std::map<int, THCStream> hosts;     // the host's streams as objects

    ~Choices() {
        for (const auto &[device, stream] : chosen) THCStream_free(stream);
    }
};
thread_local Choices choices;

// Streams 1, 2, … of each device.
std::mutex reserved_lock;
auto &reserved = *new std::vector<std::vector<THCStream *>>;
int reserved_count = 0;

cudaStream_t stream_of_host(int device) {
    if (device == known_device) return known_stream;
    return host.current_stream ? host.current_stream(device) : nullptr;
}

THCStream *chosen_stream(int device) {
    if (!chose) return nullptr;
    const auto found = choices.chosen.find(device);
    return found == choices.chosen.end() ? nullptr : found->second;
}

void choose(int device, THCStream *stream) {
    TH_CHECK(stream->device == device, "invalid stream; expected stream for device %d, but was on %d", device,
             stream->device);
    THCStream *chosen = nullptr;
    if (stream->refcount == of_the_host) {
        const auto found = choices.chosen.find(device);
        if (found == choices.chosen.end()) return;
        chosen = found->second;
        choices.chosen.erase(found);
    } else {
        THCStream_retain(stream);
        chosen = std::exchange(choices.chosen[device], stream);
    }
    chose = !choices.chosen.empty();
    THCStream_free(chosen);
}

THCStream *new_stream(int flags, int priority) {
    const int device = current_device();
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreateWithPriority(&stream, unsigned(flags), priority));
    return new THCStream{stream, device, 1};
}

void reserve(int count, bool non_blocking) {
    std::lock_guard<std::mutex> guard(reserved_lock);
    if (count <= reserved_count) return;
    reserved.resize(size_t(device_count()));
    for (size_t device = 0; device < reserved.size(); device++) {
        OnDevice on(static_cast<int>(device));
        while (reserved[device].size() < size_t(count))
            reserved[device].push_back(new_stream(non_blocking ? cudaStreamNonBlocking : cudaStreamDefault, 0));
    }
    reserved_count = count;
}

// Stream `index` of a device that exists; NULL for 0.
THCStream *reserved_stream(int device, int index) {
    std::lock_guard<std::mutex> guard(reserved_lock);
    TH_CHECK(index >= 0 && index <= reserved_count, "%d is not a stream", index);
    assert(!index || (size_t(device) < reserved.size() && size_t(index) <= reserved[size_t(device)].size()));
    return index ? reserved[size_t(device)][size_t(index) - 1] : nullptr;
}

int index_of(int device, cudaStream_t stream) {
    if (stream == stream_of_host(device)) return 0;
    std::lock_guard<std::mutex> guard(reserved_lock);
    assert(!reserved_count || size_t(device) < reserved.size());
    for (int i = 0; i < reserved_count; i++)
        if (reserved[size_t(device)][size_t(i)]->stream == stream) return i + 1;
    return -1;
}

THCStream *stream_object_of_host(int device) {
    THCStream &object = choices.hosts[device];
    object = {stream_of_host(device), device, of_the_host};
    return &object;
}

THCStream *default_stream(int device) {
    check_device(device);
    static std::mutex lock;
    static auto &streams = *new std::map<int, THCStream>;
    std::lock_guard<std::mutex> guard(lock);
    return &streams.insert({device, THCStream{nullptr, device, not_counted}}).first->second;
}

}  // namespace

cudaStream_t current_stream(int device) {
    const THCStream *chosen = chosen_stream(device);
    return chosen ? chosen->stream : stream_of_host(device);
}

cudaStream_t current_stream() {
    if (!chose && known_device < 0 && !host.current_stream) return nullptr;
    return current_stream(current_device());
}

THCStream *current_stream_object(int device) {
    THCStream *chosen = chosen_stream(device);
    return chosen ? chosen : stream_object_of_host(device);
}

void synchronize() { CUDA_CHECK(cudaStreamSynchronize(current_stream())); }

void release_reserved_streams() {
    std::lock_guard<std::mutex> guard(reserved_lock);
    for (const auto &streams : reserved)
        for (THCStream *stream : streams) THCStream_free(stream);
    reserved.clear();
    reserved_count = 0;
}

cudaStream_t stream_by_index(int device, int index) {
    check_device(device);
    const THCStream *stream = reserved_stream(device, index);
    return stream ? stream->stream : stream_of_host(device);
}

cudaError_t StreamUse::event(cudaEvent_t *event) const {
    int before;
    cudaError_t code = cudaGetDevice(&before);
    if (code == cudaSuccess && before != device_) code = cudaSetDevice(device_);
    if (code != cudaSuccess) return code;
    code = cudaEventCreateWithFlags(event, cudaEventDisableTiming);
    if (code == cudaSuccess) {
        code = cudaEventRecord(*event, stream_);
        if (code != cudaSuccess) cudaEventDestroy(*event);
    }
    if (before != device_) cudaSetDevice(before);
    return code;
}

}  // namespace th

extern "C" {

void thaw_set_cuda_host(const thaw_cuda_host *host) {
    th::host = {};
    if (host) memcpy(&th::host, host, std::min(host->struct_size, sizeof th::host));
}

void thaw_set_cuda_stream(int device, cudaStream_t stream) {
    th::known_device = device;
    th::known_stream = stream;
}

THCStream *THCStream_newWithPriority(int flags, int priority) {
    return th::guarded([&] { return th::new_stream(flags, priority); });
}
THCStream *THCStream_new(int flags) { return THCStream_newWithPriority(flags, 0); }
THCStream *THCStream_defaultStream(int device) {
    return th::guarded([&] { return th::default_stream(device); });
}
void THCStream_retain(THCStream *self) {
    if (self && self->refcount > 0) THAtomicIncrementRef(&self->refcount);
}
void THCStream_free(THCStream *self) {
    if (!self || self->refcount <= 0 || !THAtomicDecrementRef(&self->refcount)) return;
    THCudaCheckWarn(cudaStreamDestroy(self->stream));
    delete self;
}

cudaStream_t THCState_getCurrentStream(THCState *state) {
    return state ? th::guarded([] { return th::current_stream(); }) : nullptr;
}
cudaStream_t THCState_getCurrentStreamOnDevice(THCState *state, int device) {
    if (!state) return nullptr;
    return th::guarded([&] {
        th::check_device(device);
        return th::current_stream(device);
    });
}

THCStream *THCState_getStream(THCState *) {
    return th::guarded([] { return th::current_stream_object(th::current_device()); });
}
void THCState_setStream(THCState *, THCStream *stream) {
    th::guarded([&] {
        TH_CHECK(stream, "THCState_setStream: expected a stream, got NULL");
        th::choose(th::current_device(), stream);
    });
}

void THCState_reserveStreams(THCState *, int numStreams, int nonBlocking) {
    th::guarded([&] { th::reserve(numStreams, nonBlocking != 0); });
}
int THCState_getNumStreams(THCState *) {
    std::lock_guard<std::mutex> guard(th::reserved_lock);
    return th::reserved_count;
}
cudaStream_t THCState_getDeviceStream(THCState *, int device, int stream) {
    return th::guarded([&] { return th::stream_by_index(device, stream); });
}
int THCState_getCurrentStreamIndex(THCState *) {
    return th::guarded([] {
        const int device = th::current_device();
        return th::index_of(device, th::current_stream(device));
    });
}
void THCState_setCurrentStreamIndex(THCState *, int stream) {
    th::guarded([&] {
        const int device = th::current_device();
        THCStream *object = th::reserved_stream(device, stream);
        th::choose(device, object ? object : th::stream_object_of_host(device));
    });
}
}
