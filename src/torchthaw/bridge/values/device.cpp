/* device.cpp: asks PyTorch for its CUDA devices and streams. */
#include "device.h"

#include "bridge/torch/pytorch.h"

namespace bridge {

namespace {

/* function(device), an integer; -1 with an exception set. */
long long ask_cuda(const Builtin &function, int device) {
    const Ref argument(PyLong_FromLong(device));
    const Ref result = argument == nullptr ? Ref() : function(argument);
    return result == nullptr ? -1 : PyLong_AsLongLong(result);
}

/* Makes a device current and returns the one before; -1 with an exception set. */
int exchange_device(int device) { return static_cast<int>(ask_cuda(torch.exchange_device, device)); }

}  // namespace

bool pytorch_has_cuda() { return knows_torch() && torch.has_cuda; }

bool current_stream(int device, void **stream) {
    const long long address = ask_cuda(torch.current_stream, device);
    *stream = reinterpret_cast<void *>(static_cast<intptr_t>(address));
    return address != -1 || !PyErr_Occurred();
}

bool OnDevice::enter(int device) {
    device_ = device;
    before_ = exchange_device(device);
    return before_ >= 0 || !PyErr_Occurred();
}

void OnDevice::leave() {
    const int before = std::exchange(before_, -1);
    if (before < 0 || before == device_) return;
    const SavedError saved;
    exchange_device(before);
    PyErr_Clear();
}

}  // namespace bridge
