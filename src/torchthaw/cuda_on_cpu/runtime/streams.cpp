// cuda_on_cpu/runtime/streams.cpp: streams and events. All work is done when a call returns, so nothing is ever waited for.
#include "errors.h"

#include <ctime>

struct CUstream_st {
    unsigned flags;
    int priority;
};
struct CUevent_st {
    bool recorded;
    timespec time;
};

using namespace cuda_on_cpu;

namespace {
// The stream of each thread and the old common one have numbers, not addresses.
bool is_object(cudaStream_t stream) { return reinterpret_cast<uintptr_t>(stream) > 2; }
}  // namespace

extern "C" {
#define API CUDA_ON_CPU_EXPORT cudaError_t
API cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    if (!stream || flags > cudaStreamNonBlocking) return record(cudaErrorInvalidValue);
    *stream = new CUstream_st{flags, priority};
    return record(cudaSuccess);
}
API cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
API cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0); }
API cudaStreamDestroy(cudaStream_t stream) {
    if (!is_object(stream)) return record(cudaErrorInvalidResourceHandle);
    delete stream;
    return cudaSuccess;
}
API cudaStreamSynchronize(cudaStream_t) { return record(cudaSuccess); }
API cudaStreamQuery(cudaStream_t) { return record(cudaSuccess); }
API cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return record(cudaSuccess); }
API cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    return *flags = is_object(stream) ? stream->flags : cudaStreamDefault, cudaSuccess;
}
API cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    return *priority = is_object(stream) ? stream->priority : 0, cudaSuccess;
}
API cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status) {
    return *status = cudaStreamCaptureStatusNone, cudaSuccess;
}
API cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
    return *mode = cudaStreamCaptureModeGlobal, cudaSuccess;
}
API cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned) {
    callback(stream, failure(), data);
    return cudaSuccess;
}
API cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void *data) {
    function(data);
    return cudaSuccess;
}

API cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
    *event = new CUevent_st{};
    return record(cudaSuccess);
}
API cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
API cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t, unsigned) {
    if (!event) return record(cudaErrorInvalidResourceHandle);
    event->recorded = true;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    return record(cudaSuccess);
}
API cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return cudaEventRecordWithFlags(event, stream, 0); }
API cudaEventSynchronize(cudaEvent_t) { return record(cudaSuccess); }
API cudaEventQuery(cudaEvent_t) { return record(cudaSuccess); }
API cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (!start || !end || !start->recorded || !end->recorded) return record(cudaErrorInvalidResourceHandle);
    *milliseconds = float(end->time.tv_sec - start->time.tv_sec) * 1e3f +
                    float(end->time.tv_nsec - start->time.tv_nsec) * 1e-6f;
    return record(cudaSuccess);
}
API cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}

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
