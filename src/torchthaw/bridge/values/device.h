/* device.h: PyTorch's CUDA devices and streams. Every function here needs the GIL. */
#pragma once

#include "bridge/python.h"

namespace bridge {

/* Whether PyTorch was imported, and built with CUDA. */
bool pytorch_has_cuda();

/* The address of PyTorch's current stream on a device. False with an exception set. */
bool current_stream(int device, void **stream);

/* Makes a device current, until leave(). */
class OnDevice {
public:
    ~OnDevice() { leave(); }

    /* False with an exception set. */
    bool enter(int device);

    /* The device from before enter() is current again. An exception that is set stays. */
    void leave();

private:
    int device_ = -1, before_ = -1;
};

}  // namespace bridge
