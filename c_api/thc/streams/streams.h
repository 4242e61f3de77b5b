// c_api/thc/streams/streams.h: streams as objects, and uses of memory on them.
#pragma once

#include "thc/runtime/device.h"

#include <THC/THCStream.h>

#include <utility>

namespace th {

// The one the calling thread works on.
THCStream *current_stream_object(int device);

// Of those that were reserved; 0 is the host program's. Errors: no such device, no such stream.
cudaStream_t stream_by_index(int device, int index);

void release_reserved_streams();

// A stream that memory is used on; it lives as long as this.
class StreamUse {
public:
    explicit StreamUse(THCStream *stream)
        : kept_(stream->refcount > 0 ? stream : nullptr), stream_(stream->stream), device_(stream->device) {
        THCStream_retain(kept_);
    }
    StreamUse(StreamUse &&other) noexcept
        : kept_(std::exchange(other.kept_, nullptr)), stream_(other.stream_), device_(other.device_) {}
    StreamUse &operator=(StreamUse &&) = delete;
    ~StreamUse() { THCStream_free(kept_); }

    cudaStream_t stream() const { return stream_; }

    // An event that comes when what was enqueued on the stream until now is done. The caller destroys it.
    cudaError_t event(cudaEvent_t *event) const;

private:
    THCStream *kept_;
    cudaStream_t stream_;
    int device_;
};

}  // namespace th
