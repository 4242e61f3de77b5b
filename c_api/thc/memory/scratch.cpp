// c_api/thc/memory/scratch.cpp: memory for kernels' own use: a piece for each stream, so that no two streams share one.
#include "thc/memory/scratch.h"

#include "th/runtime/export.h"
#include "thc/streams/streams.h"

#include <THC/THCGeneral.h>

#include <map>
#include <mutex>
#include <utility>

namespace th {
namespace {

constexpr size_t scratch_bytes = 32768 * sizeof(float);

std::mutex lock;
auto &pieces = *new std::map<std::pair<int, cudaStream_t>, void *>;  // by device and stream

void *scratch(int device, cudaStream_t stream) {
    std::lock_guard<std::mutex> guard(lock);
    void *&piece = pieces[{device, stream}];
    if (!piece) {
        OnDevice on(device);
        piece = allocate_on_device(scratch_bytes, stream);
    }
    return piece;
}

}  // namespace

void release_scratch() {
    std::lock_guard<std::mutex> guard(lock);
    for (const auto &[where, piece] : pieces) release_on_device(piece);
    pieces.clear();
}

}  // namespace th

extern "C" {

void *THCState_getCurrentDeviceScratchSpace(THCState *) {
    return th::guarded([] {
        const int device = th::current_device();
        return th::scratch(device, th::current_stream(device));
    });
}
void *THCState_getDeviceScratchSpace(THCState *, int device, int stream) {
    return th::guarded([&] { return th::scratch(device, th::stream_by_index(device, stream)); });
}
size_t THCState_getCurrentDeviceScratchSpaceSize(THCState *) { return th::scratch_bytes; }
size_t THCState_getDeviceScratchSpaceSize(THCState *, int device) {
    return th::guarded([&] {
        th::check_device(device);
        return th::scratch_bytes;
    });
}
}
