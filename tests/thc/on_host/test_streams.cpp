// tests/thc/on_host/test_streams.cpp: the streams that a program chooses, handles by index, scratch space, peer access.
#include "../api.h"

#include <THC/THCSleep.h>

#include <thread>

using recorder::machine;
using recorder::memory;
using recorder::order;

const thaw_cuda_host host = {sizeof(thaw_cuda_host), [](int device) { return stream_number(100 + device); }, nullptr,
                             nullptr};

void test_objects() {
    machine.current = 1;
    THCStream *stream = THCStream_newWithPriority(cudaStreamNonBlocking, -2);
    CHECK(stream->device == 1 && stream->refcount == 1);
    CHECK((order.streams[stream->stream] == std::pair<unsigned, int>(cudaStreamNonBlocking, -2)));
    THCStream_retain(stream);
    THCStream_free(stream);
    CHECK(order.streams.size() == 1 && stream->refcount == 1);
    THCStream_free(stream);
    CHECK(order.streams.empty());
    machine.current = 0;

    THCStream *standard = THCStream_defaultStream(2);
    CHECK(standard == THCStream_defaultStream(2) && standard->device == 2 && !standard->stream);
    for (int i = 0; i < 3; i++) THCStream_free(standard);
    CHECK(standard->device == 2 && standard->refcount == 0);
    CHECK_FAILS("3 is not a device", THCStream_defaultStream(3));
    CHECK_FAILS("-1 is not a device", THCStream_defaultStream(-1));
    THCStream_free(nullptr);
    THCStream_retain(nullptr);
}

void test_choosing() {
    CHECK(THCState_getStream(state)->stream == nullptr && THCState_getCurrentStreamIndex(state) == 0);
    thaw_set_cuda_host(&host);
    CHECK(THCState_getStream(state)->stream == stream_number(100));
    THCStream *own = THCStream_new(cudaStreamDefault), *before = THCState_getStream(state);
    THCState_setStream(state, own);
    THCStream_free(own);  // the thread keeps it
    CHECK(order.streams.size() == 1 && THCState_getStream(state) == own);
    CHECK(THCState_getCurrentStream(state) == own->stream && THCState_getCurrentStreamIndex(state) == -1);
    thaw_set_cuda_stream(0, stream_number(7));  // what the program chose goes before what the host says
    CHECK(THCState_getCurrentStream(state) == own->stream);
    CHECK(THCState_getCurrentStreamOnDevice(state, 1) == stream_number(101));
    std::thread([] { CHECK(THCState_getCurrentStream(state) == stream_number(100)); }).join();

    machine.streams.clear();  // work goes there, and so do handles
    {
        Pair<float> pair({300, 4});
        THCudaTensor_fill(state, pair.cuda, 1);
        THC_sleep(state, 1000);
    }
    CHECK(machine.streams == std::set<void *>{own->stream});

    THCState_setStream(state, before);  // back to the host's
    CHECK(order.streams.empty() && THCState_getCurrentStream(state) == stream_number(7));
    THCState_setStream(state, before);
    thaw_set_cuda_stream(-1, nullptr);
    CHECK(THCState_getCurrentStream(state) == stream_number(100));
    THCState_setStream(state, THCStream_defaultStream(0));  // CUDA's, whatever the host's is
    CHECK(THCState_getCurrentStream(state) == nullptr && THCState_getCurrentStreamIndex(state) == -1);
    THCState_setCurrentStreamIndex(state, 0);
    CHECK(THCState_getCurrentStream(state) == stream_number(100));

    CHECK_FAILS("THCState_setStream: expected a stream, got NULL", THCState_setStream(state, nullptr));
    CHECK_FAILS("invalid stream; expected stream for device 0, but was on 1",
                THCState_setStream(state, THCStream_defaultStream(1)));
    CHECK_FAILS("3 is not a device", THCState_getCurrentStreamOnDevice(state, 3));
    THCStream *kept = nullptr;
    std::thread([&] { THCState_setStream(state, kept = THCStream_new(cudaStreamDefault)); }).join();
    CHECK(kept->refcount == 1);  // the thread's reference went with it
    THCStream_free(kept);
    CHECK(order.streams.empty());
}

void test_indices() {
    CHECK(THCState_getNumStreams(state) == 0);
    CHECK_FAILS("1 is not a stream", THCState_setCurrentStreamIndex(state, 1));
    THCState_reserveStreams(state, 2, 1);
    THCState_reserveStreams(state, 1, 0);  // never fewer
    CHECK(THCState_getNumStreams(state) == 2 && order.streams.size() == 6 && machine.current == 0);
    for (const auto &[stream, how] : order.streams) CHECK(how.first == cudaStreamNonBlocking);
    THCState_setCurrentStreamIndex(state, 2);
    CHECK(THCState_getCurrentStreamIndex(state) == 2);
    CHECK(THCState_getCurrentStream(state) == THCState_getDeviceStream(state, 0, 2));
    CHECK(THCState_getDeviceStream(state, 1, 2) != THCState_getDeviceStream(state, 0, 2));
    CHECK(THCState_getDeviceStream(state, 1, 0) == stream_number(101));
    machine.current = 1;  // chosen for device 0
    CHECK(THCState_getCurrentStreamIndex(state) == 0);
    THCState_setCurrentStreamIndex(state, 1);  // its own
    CHECK(THCState_getCurrentStream(state) == THCState_getDeviceStream(state, 1, 1));
    THCState_setCurrentStreamIndex(state, 0);
    machine.current = 0;
    THCState_reserveStreams(state, 3, 0);
    CHECK(THCState_getNumStreams(state) == 3 && THCState_getCurrentStreamIndex(state) == 2);
    CHECK_FAILS("4 is not a stream", THCState_getDeviceStream(state, 0, 4));
    CHECK_FAILS("-1 is not a stream", THCState_setCurrentStreamIndex(state, -1));
    CHECK_FAILS("5 is not a device", THCState_getDeviceStream(state, 5, 0));
}

void test_scratch() {
    void *mine = THCState_getCurrentDeviceScratchSpace(state);
    CHECK(mine && mine == THCState_getCurrentDeviceScratchSpace(state));
    CHECK(mine == THCState_getDeviceScratchSpace(state, 0, 2));
    void *other = THCState_getDeviceScratchSpace(state, 0, 1), *there = THCState_getDeviceScratchSpace(state, 2, 2);
    CHECK(other != mine && there != mine && machine.current == 0);
    const size_t bytes = THCState_getCurrentDeviceScratchSpaceSize(state);
    CHECK(bytes >= 128 * 1024 && bytes == THCState_getDeviceScratchSpaceSize(state, 2));
    CHECK(memory.blocks == 3 && memory.bytes == 3 * bytes);
    CHECK_FAILS("9 is not a stream", THCState_getDeviceScratchSpace(state, 0, 9));
    CHECK_FAILS("9 is not a device", THCState_getDeviceScratchSpaceSize(state, 9));
}

void test_handles() {
    cublasHandle_t first = THCState_getCurrentBlasHandle(state);
    CHECK(THCState_getNumBlasHandles(state) == 1 && THCState_getCurrentBlasHandleIndex(state) == 1);
    CHECK_FAILS("2 is not a valid handle, valid range is: (1, 1)", THCState_setCurrentBlasHandleIndex(state, 2));
    THCState_reserveBlasHandles(state, 3);
    THCState_reserveBlasHandles(state, 2);
    CHECK(THCState_getNumBlasHandles(state) == 3);
    THCState_setCurrentBlasHandleIndex(state, 3);
    cublasHandle_t third = THCState_getCurrentBlasHandle(state);
    CHECK(third != first && third == THCState_getDeviceBlasHandle(state, 0, 3));
    CHECK(THCState_getDeviceBlasHandle(state, 0, 1) == first);
    cublasHandle_t there = THCState_getDeviceBlasHandle(state, 1, 3);
    CHECK(there != third && machine.current == 0);
    std::thread([] { CHECK(THCState_getCurrentBlasHandleIndex(state) == 1); }).join();
    THCState_setCurrentBlasHandleIndex(state, 1);
    CHECK(THCState_getCurrentBlasHandle(state) == first);
    CHECK_FAILS("0 is not a valid handle, valid range is: (1, 3)", THCState_getDeviceBlasHandle(state, 0, 0));
    CHECK_FAILS("3 is not a device", THCState_getDeviceBlasHandle(state, 3, 1));
    THCState_reserveSparseHandles(state, 2);  // of their own
    THCState_setCurrentSparseHandleIndex(state, 2);
    CHECK(THCState_getNumSparseHandles(state) == 2 && THCState_getCurrentSparseHandleIndex(state) == 2);
    CHECK(THCState_getNumBlasHandles(state) == 3);
    const std::string missing = error_of([] { THCState_getDeviceSparseHandle(state, 0, 2); });
    CHECK(missing.find("cuSPARSE: expected libcusparse.so.12 where the loader looks") == 0);
}

void test_peers() {
    CHECK(THCState_getPeerToPeerAccess(state, 2, 2) == 1 && THCState_getPeerToPeerAccess(state, 0, 2) == 0);
    CHECK(order.peers.empty());
    CHECK(THCState_getPeerToPeerAccess(state, 0, 1) == 1);  // switched on by asking, for the pool too
    const std::set<std::pair<int, int>> there = {{0, 1}};
    CHECK(order.peers == there && order.pools == there && machine.current == 0);
    THCState_setPeerToPeerAccess(state, 0, 1, 0);
    CHECK(order.peers.empty() && order.pools.empty() && THCState_getPeerToPeerAccess(state, 0, 1) == 0);
    order.peers = there;  // PyTorch was first
    THCState_setPeerToPeerAccess(state, 0, 1, 1);
    CHECK(order.pools == there && THCState_getPeerToPeerAccess(state, 0, 1) == 1);
    CHECK_FAILS("p2p access not supported for 0 accessing 2", THCState_setPeerToPeerAccess(state, 0, 2, 1));
    CHECK_FAILS("device 1 always reaches its own memory", THCState_setPeerToPeerAccess(state, 1, 1, 0));
    CHECK_FAILS("3 is not a device", THCState_getPeerToPeerAccess(state, 0, 3));
    CHECK_FAILS("-1 is not a device", THCState_setPeerToPeerAccess(state, -1, 0, 1));

    machine.current = 1;
    Pair<float> near({2});
    machine.current = 2;
    Pair<float> far({2});
    machine.current = 0;
    CHECK(THCState_getKernelPeerToPeerAccessEnabled(state) == 0 && !THCudaTensor_checkGPU(state, 1, near.cuda));
    THCState_setKernelPeerToPeerAccessEnabled(state, 1);
    CHECK(THCState_getKernelPeerToPeerAccessEnabled(state) == 1);
    CHECK(THCudaTensor_checkGPU(state, 1, near.cuda) == 1 && THCudaTensor_checkGPU(state, 1, far.cuda) == 0);
    THCState_setKernelPeerToPeerAccessEnabled(state, 0);
}

int main() {
    test_objects();
    test_choosing();
    test_indices();
    test_scratch();
    test_handles();
    test_peers();
    THCudaShutdown(state);
    THCState_setCurrentStreamIndex(state, 0);  // the last reference to what was chosen
    CHECK(order.streams.empty() && memory.blocks == 0 && order.events == 0 && THCState_getNumStreams(state) == 0);
    return failures() != 0;
}
