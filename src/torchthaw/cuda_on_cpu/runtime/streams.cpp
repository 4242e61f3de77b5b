// cuda_on_cpu/runtime/streams.cpp: streams and events. All work is done when a call returns, so nothing is ever waited for.
#include "streams.h"

#include "errors.h"
#include "memory/objects.h"

#include <cstdint>
#include <ctime>

struct CUstream_st {
    unsigned flags;
    int priority;
};
struct CUevent_st {
    bool timed, recorded;
    timespec time;
};

using namespace cuda_on_cpu;

namespace {

auto &streams = *new Objects<CUstream_st>;
auto &events = *new Objects<CUevent_st>;

// The stream of each thread and the old common one have numbers, not addresses.
bool is_object(cudaStream_t stream) { return reinterpret_cast<uintptr_t>(stream) > 2; }
cudaError_t check(cudaStream_t stream) {
    if (const cudaError_t error = initialize()) return error;
    return is_stream(stream) ? cudaSuccess : record(cudaErrorInvalidResourceHandle);
}
cudaError_t check(cudaEvent_t event) {
    if (const cudaError_t error = initialize()) return error;
    return events.has(event) ? cudaSuccess : record(cudaErrorInvalidResourceHandle);
}

}  // namespace

bool cuda_on_cpu::is_stream(cudaStream_t stream) { return !is_object(stream) || streams.has(stream); }

extern "C" {
#define API CUDA_ON_CPU_EXPORT cudaError_t
API cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    if (const cudaError_t error = initialize()) return error;
    if (!stream || flags > cudaStreamNonBlocking) return record(cudaErrorInvalidValue);
    return give(stream, streams.add({flags, priority}));
}
API cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
API cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0); }
API cudaStreamDestroy(cudaStream_t stream) { return streams.destroy(stream); }
API cudaStreamSynchronize(cudaStream_t stream) { return check(stream); }
API cudaStreamQuery(cudaStream_t stream) { return check(stream); }
API cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    const cudaError_t error = check(stream);
    return error ? error : check(event);
}
API cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    if (const cudaError_t error = check(stream)) return error;
    return give(flags, is_object(stream) ? stream->flags : unsigned(cudaStreamDefault));
}
API cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    if (const cudaError_t error = check(stream)) return error;
    return give(priority, is_object(stream) ? stream->priority : 0);
}
API cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
    if (const cudaError_t error = check(stream)) return error;
    return give(status, cudaStreamCaptureStatusNone);
}
API cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) { return give(mode, cudaStreamCaptureModeGlobal); }
API cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned) {
    if (const cudaError_t error = check(stream)) return error;
    if (!callback) return record(cudaErrorInvalidValue);
    callback(stream, failure(), data);
    return cudaSuccess;
}
API cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    if (const cudaError_t error = check(stream)) return error;
    if (!function) return record(cudaErrorInvalidValue);
    function(data);
    return cudaSuccess;
}

API cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    if (const cudaError_t error = initialize()) return error;
    if (!event) return record(cudaErrorInvalidValue);
    return give(event, events.add({!(flags & cudaEventDisableTiming), false, {}}));
}
API cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
API cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
    if (const cudaError_t error = check(event)) return error;
    if (const cudaError_t error = check(stream)) return error;
    event->recorded = true;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    return record(cudaSuccess);
}
API cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return cudaEventRecordWithFlags(event, stream, 0); }
API cudaEventSynchronize(cudaEvent_t event) { return check(event); }
API cudaEventQuery(cudaEvent_t event) { return check(event); }
API cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    for (const cudaEvent_t event : {start, end}) {
        if (const cudaError_t error = check(event)) return error;
        if (!event->timed || !event->recorded) return record(cudaErrorInvalidResourceHandle);
    }
    return give(milliseconds, float(end->time.tv_sec - start->time.tv_sec) * 1e3f +
                                  float(end->time.tv_nsec - start->time.tv_nsec) * 1e-6f);
}
API cudaEventDestroy(cudaEvent_t event) { return events.destroy(event); }

API cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) { return refuse("CUDA graphs: cudaStreamBeginCapture"); }
API cudaStreamEndCapture(cudaStream_t, cudaGraph_t *) { return refuse("CUDA graphs: cudaStreamEndCapture"); }
API cudaGraphCreate(cudaGraph_t *, unsigned) { return refuse("CUDA graphs: cudaGraphCreate"); }
API cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long) {
    return refuse("CUDA graphs: cudaGraphInstantiate");
}
API cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) { return refuse("CUDA graphs: cudaGraphLaunch"); }
API cudaGraphExecDestroy(cudaGraphExec_t) { return refuse("CUDA graphs: cudaGraphExecDestroy"); }
API cudaGraphDestroy(cudaGraph_t) { return refuse("CUDA graphs: cudaGraphDestroy"); }
API cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *) { return refuse("memory of other processes: cudaIpcGetMemHandle"); }
API cudaIpcOpenMemHandle(void **, cudaIpcMemHandle_t, unsigned) {
    return refuse("memory of other processes: cudaIpcOpenMemHandle");
}
API cudaIpcCloseMemHandle(void *) { return refuse("memory of other processes: cudaIpcCloseMemHandle"); }
API cudaIpcGetEventHandle(cudaIpcEventHandle_t *, cudaEvent_t) {
    return refuse("events of other processes: cudaIpcGetEventHandle");
}
API cudaIpcOpenEventHandle(cudaEvent_t *, cudaIpcEventHandle_t) {
    return refuse("events of other processes: cudaIpcOpenEventHandle");
}
}
