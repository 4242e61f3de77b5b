"""torchthaw/cuda_on_cpu/torch_c.py: what torch.cuda and others of PyTorch's Python look for in torch._C, where a PyTorch
for CPUs has nothing. One that is built for CUDA has its own, but for what is not served.

PyTorch's own functions in torch.cuda then work as they are: is_available, Stream, Event, memory_allocated, manual_seed.
All names here are private ones of PyTorch. A version that looks for none of them has an unused attribute; one that looks
for another says that torch._C lacks it.
"""

import ctypes
import enum
import functools
import os
import sys
import types

KINDS = "current", "peak", "allocated", "freed"
NOTHING = dict.fromkeys(KINDS, 0)
CUDA = 1  # the number of torch.device("cuda").type

# What a name stands for that TORCHTHAW_CUDA=cpu cannot serve. PyTorch makes classes of those that begin with a capital.
REFUSED = {
    "_CUDAGraph": "CUDA graphs",
    "_graph_pool_handle": "CUDA graphs",
    "_MemPool": "memory pools",
    "_cuda_CUDAAllocator": "other allocators",
    "_cuda_customAllocator": "other allocators",
    "_cuda_cudaHostAllocator": "an allocator for pinned memory",
    "_cuda_changeCurrentAllocator": "other allocators",
    "_cuda_getAllocator": "other allocators",
    "_cuda_beginAllocateToPool": "memory pools",
    "_cuda_beginAllocateCurrentStreamToPool": "memory pools",
    "_cuda_beginAllocateCurrentThreadToPool": "memory pools",
    "_cuda_endAllocateToPool": "memory pools",
    "_cuda_endAllocateCurrentStreamToPool": "memory pools",
    "_cuda_releasePool": "memory pools",
    "_cuda_checkPoolLiveAllocations": "memory pools",
    "_cuda_getCheckpointState": "memory pools",
    "_cuda_setCheckpointPoolState": "memory pools",
    "_cuda_setMemoryFraction": "a limit of memory",
    "_cuda_getMemoryFraction": "a limit of memory",
    "_cuda_memorySnapshot": "snapshots of memory",
    "_cuda_record_memory_history": "snapshots of memory",
    "_cuda_record_memory_history_legacy": "snapshots of memory",
    "_cuda_attach_out_of_memory_observer": "snapshots of memory",
    "_cuda_jiterator_compile_and_launch_kernel": "kernels compiled by NVRTC",
    "_cuda_getCurrentBlasHandle": "handles of cuBLAS in Python",
    "_cuda_getCurrentSolverHandle": "cuSOLVER",
    "_cuda_busy_wait_for_flag": "a kernel that waits for the host",  # of 2.10, with the next
    "_cuda_clear_flag": "a kernel that waits for the host",
    **dict.fromkeys(
        ["_nccl_all_gather", "_nccl_all_reduce", "_nccl_broadcast", "_nccl_init_rank", "_nccl_reduce",
         "_nccl_reduce_scatter", "_nccl_unique_id", "_nccl_version", "_nccl_version_suffix"],
        "NCCL",
    ),
}  # fmt: skip


def refuse(torch_c):
    """Puts the names into torch._C that say what is not served."""
    for name, what in REFUSED.items():
        setattr(torch_c, name, _refusal(name, what))


def change(torch_c):
    """Changes the torch._C of a PyTorch built for CUDA, which has all of the names: it has no cuDNN, and nothing to wait for."""
    torch_c._has_cudnn = False
    del torch_c._cudnn, sys.modules["torch._C._cudnn"]
    torch_c._cuda_sleep = _function(torch_c, None)


def fill(torch_c, device, runtime):
    """Puts the other names into the torch._C of a PyTorch for CPUs. device, runtime: libraries of ctypes."""
    for name, value in {**_names(torch_c, device, runtime), **COMMUNICATION}.items():
        setattr(torch_c, name, value)


def _refusal(name, what):
    def refuse(*args, **kwargs):
        raise RuntimeError(f"torch.cuda: TORCHTHAW_CUDA=cpu has no {what}")

    if name in ("_CUDAGraph", "_MemPool", "_cuda_CUDAAllocator"):  # PyTorch has classes that inherit from these
        return type(name, (), {"__new__": refuse})
    refuse.__name__ = name
    return refuse


def _names(torch_c, device, runtime):
    """{name: value}"""
    make = functools.partial(_function, torch_c)
    properties = functools.cache(lambda: _properties(runtime))
    started = {}  # by torch.cuda.init(): the process

    def start():
        _initialize(device, properties)
        started["process"] = os.getpid()

    return {
        "_has_cuda": True,
        "_cudart": _cudart(runtime),
        "_nvtx": _nvtx(),
        "_CudaStreamBase": _stream_class(torch_c),
        "_CudaEventBase": _event_class(torch_c, runtime),
        "_CudaDeviceProperties": DeviceProperties,
        # Which devices there are, and the current one.
        "_cuda_init": start,
        "_cuda_isInBadFork": lambda: os.getpid() != started.get("process", os.getpid()),
        "_cuda_getDeviceCount": make(1),
        "_cuda_getDevice": make(0),
        "_cuda_setDevice": _device,
        "_cuda_exchangeDevice": lambda index: _device(index, 0),
        "_cuda_maybeExchangeDevice": lambda index: _device(index, 0),
        "_cuda_hasPrimaryContext": make(True),
        "_cuda_canDeviceAccessPeer": make(False),
        "_cuda_getCompiledVersion": lambda: version(runtime),
        "_cuda_getArchFlags": lambda: f"sm_{properties().major}{properties().minor}",
        "_cuda_synchronize": make(None),
        "_cuda_ipc_collect": make(None),
        "_cuda_sleep": make(None),
        "_cuda_lock_mutex": make(None),
        "_cuda_unlock_mutex": make(None),
        "_cuda_get_sync_debug_mode": make(0),
        "_cuda_set_sync_debug_mode": make(None),
        "_cuda_clearCublasWorkspaces": make(None),
        "_cuda_isCurrentStreamCapturing": make(False),
        # Streams, as (number, device, CUDA).
        "_cuda_getCurrentStream": lambda index=0: (device.cuda_on_cpu_current_stream(), 0, CUDA),
        "_cuda_getCurrentRawStream": lambda index=0: device.cuda_on_cpu_current_stream(),
        "_cuda_getDefaultStream": lambda index=0: (0, 0, CUDA),
        "_cuda_getStreamFromExternal": lambda address, index=0: (address, 0, CUDA),
        "_cuda_setStream": lambda stream_id, device_index=0, device_type=CUDA: device.cuda_on_cpu_set_stream(stream_id),
        # Memory.
        "_cuda_memoryStats": lambda index=0: _memory_stats(device),
        "_cuda_hostMemoryStats": lambda: {},
        "_cuda_resetPeakMemoryStats": lambda index=0: device.cuda_on_cpu_reset_peak(),
        "_cuda_resetAccumulatedMemoryStats": lambda index=0: device.cuda_on_cpu_reset_accumulated(),
        "_cuda_resetPeakHostMemoryStats": make(None),
        "_cuda_resetAccumulatedHostMemoryStats": make(None),
        "_cuda_emptyCache": make(None),
        "_cuda_isHistoryEnabled": make(False),
        "_cuda_getAllocatorBackend": make("native"),
        "_cuda_cudaCachingAllocator_is_enabled": make(True),
        "_cuda_cudaCachingAllocator_enable": make(None),
        "_cuda_cudaCachingAllocator_raw_alloc": lambda size, stream=0: _allocate(torch_c, device, size),
        "_cuda_cudaCachingAllocator_raw_delete": lambda address: device.cuda_on_cpu_free(address),
    }


def _function(torch_c, result):
    """A function that returns ``result``; each has one of its own, because Dynamo refuses one under two names."""
    return lambda *args, **kwargs: result


def _device(index, before=None):
    if index > 0:
        raise RuntimeError(f"device: expected 0, the only one under TORCHTHAW_CUDA=cpu, got {index}")
    return before


# ---- The device ------------------------------------------------------------------------------------------------------


class DeviceProperties(types.SimpleNamespace):
    """torch.cuda.get_device_properties()"""

    def __repr__(self):
        words = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"_CudaDeviceProperties({words})"


# The names that PyTorch has for attributes of CUDA's runtime, and their numbers there.
ATTRIBUTES = {
    "major": 75, "minor": 76, "multi_processor_count": 16, "warp_size": 10, "max_threads_per_block": 1,
    "max_threads_per_multi_processor": 39, "shared_memory_per_block": 8, "shared_memory_per_block_optin": 97,
    "shared_memory_per_multiprocessor": 81, "regs_per_multiprocessor": 82, "L2_cache_size": 38, "is_integrated": 18,
    "is_multi_gpu_board": 84, "clock_rate": 13, "memory_clock_rate": 36, "memory_bus_width": 37, "pci_bus_id": 33,
    "pci_device_id": 34, "pci_domain_id": 50,
}  # fmt: skip


def _properties(runtime):
    value = ctypes.c_int()
    found = {}
    for name, number in ATTRIBUTES.items():
        found[name] = 0 if runtime.cudaDeviceGetAttribute(ctypes.byref(value), number, 0) else value.value
    return DeviceProperties(name="CPU (torchthaw)", total_memory=_memory(runtime)[1], **found)


def _memory(runtime):
    """(free, total) bytes"""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    runtime.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value


def version(runtime):
    """The version of CUDA, such as 13000."""
    found = ctypes.c_int()
    runtime.cudaRuntimeGetVersion(ctypes.byref(found))
    return found.value


def _initialize(device, properties):
    """Gives torch.cuda what PyTorch's C++ gives it when CUDA is first used."""
    import torch

    device.cuda_on_cpu_give_default_generator(1)
    try:
        torch.cuda.default_generators = (torch.Generator(device="cuda"),)
    finally:
        device.cuda_on_cpu_give_default_generator(0)
    torch.cuda._get_device_properties = lambda index: properties()


# ---- Streams and events: PyTorch has classes for any device ----------------------------------------------------------


def _stream_class(torch_c):
    Stream = torch_c.Stream

    class CudaStream(Stream):
        def __new__(cls, priority=0, stream_id=None, device_index=0, device_type=CUDA, stream_ptr=None, device=None):
            number = stream_ptr or stream_id
            if number is None:
                return Stream.__new__(cls, device="cuda", priority=priority)
            return Stream.__new__(cls, stream_id=number, device_index=0, device_type=CUDA)

        cuda_stream = property(lambda self: self.stream_id)
        priority = property(lambda self: 0)
        priority_range = staticmethod(lambda: (0, 0))

    return CudaStream


def _event_class(torch_c, runtime):
    Event = torch_c.Event

    class CudaEvent(Event):
        def __new__(cls, enable_timing=False, blocking=False, interprocess=False, external=False):
            return Event.__new__(cls, "cuda", enable_timing=enable_timing, blocking=blocking, interprocess=False)

        cuda_event = property(lambda self: self.event_id)

        def elapsed_time(self, other):
            # Event's own refuses an object of a class that inherits from it.
            milliseconds = ctypes.c_float()
            if not (self.event_id and other.event_id):
                raise RuntimeError("Both events must be recorded before calculating elapsed time.")
            first, last = map(ctypes.c_void_p, (self.event_id, other.event_id))
            error = runtime.cudaEventElapsedTime(ctypes.byref(milliseconds), first, last)
            if error:
                raise RuntimeError(f"CUDA error: {runtime.cudaGetErrorString(error).decode()}")
            return milliseconds.value

        def ipc_handle(self):
            raise RuntimeError("torch.cuda: TORCHTHAW_CUDA=cpu has no memory that processes share")

    return CudaEvent


# ---- Memory ----------------------------------------------------------------------------------------------------------


def _allocate(torch_c, device, size):
    address = device.cuda_on_cpu_allocate(size)
    if not address and size:
        raise torch_c.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {size} bytes.")
    return address or 0


def _memory_stats(device):
    numbers = (ctypes.c_uint64 * (2 * len(KINDS) + 1))()
    device.cuda_on_cpu_statistics(numbers)
    count = len(KINDS)
    bytes_, blocks = (dict(zip(KINDS, part)) for part in (numbers[:count], numbers[count : 2 * count]))
    pools = {
        **dict.fromkeys(["allocated_bytes", "reserved_bytes", "active_bytes", "requested_bytes"], bytes_),
        **dict.fromkeys(["allocation", "segment", "active"], blocks),
        **dict.fromkeys(["inactive_split", "inactive_split_bytes"], NOTHING),
    }
    found = {name: {"all": value, "small_pool": NOTHING, "large_pool": value} for name, value in pools.items()}
    found |= dict.fromkeys(["oversize_allocations", "oversize_segments"], NOTHING)
    zeros = ["num_alloc_retries", "num_sync_all_streams", "max_split_size"]
    return {**found, **dict.fromkeys(zeros, 0), "num_ooms": numbers[-1], "num_device_alloc": blocks["allocated"],
            "num_device_free": blocks["freed"]}  # fmt: skip


# ---- Modules ---------------------------------------------------------------------------------------------------------


def _cudart(runtime):
    """The part of CUDA's runtime that PyTorch has in Python, as torch.cuda.cudart()."""
    module = types.ModuleType("torch._C._cudart")
    runtime.cudaGetErrorString.restype = ctypes.c_char_p

    class cudaError(int):
        success = 0

    class cudaOutputMode(enum.Enum):
        KeyValuePair, CSV = range(2)

    def done(*args):
        return cudaError.success

    module.cudaError, module.cudaOutputMode = cudaError, cudaOutputMode
    module.cudaGetErrorString = lambda error: runtime.cudaGetErrorString(int(error)).decode()
    module.cudaMemGetInfo = lambda index: _memory(runtime)
    size, address = ctypes.c_size_t, ctypes.c_void_p
    module.cudaHostRegister = lambda at, bytes_, flags: cudaError(
        runtime.cudaHostRegister(address(at), size(bytes_), ctypes.c_uint(flags))
    )
    module.cudaHostUnregister = lambda at: cudaError(runtime.cudaHostUnregister(address(at)))
    for name in ("ProfilerStart", "ProfilerStop", "StreamCreate", "StreamDestroy"):
        setattr(module, f"cuda{name}", done)
    return module


def _nvtx():
    """Marks for a profiler that is not there."""
    module = types.ModuleType("torch._C._nvtx")
    for name in ("rangePushA", "rangePop", "rangeStartA", "rangeEnd", "markA", "deviceRangeStart", "deviceRangeEnd"):
        setattr(module, name, lambda *args, **kwargs: 0)
    return module


# ---- What torch.nn.DataParallel does with one device -----------------------------------------------------------------


def _only(devices):
    for index in devices or ():
        _device(index)


def _broadcast(tensor, devices):
    _only(devices)
    return [tensor.cuda() for _ in devices]


def _broadcast_coalesced(tensors, devices, buffer_size=0):
    _only(devices)
    return [[tensor.cuda() for tensor in tensors] for _ in devices]


def _scatter(tensor, devices, chunk_sizes=None, dim=0, streams=None):
    _only(devices)
    parts = tensor.split(chunk_sizes, dim) if chunk_sizes else tensor.chunk(len(devices), dim)
    return [part.cuda() for part in parts]


def _gather(tensors, dim, destination_index=None):
    import torch

    joined = torch.cat(tuple(tensors), dim)
    return joined.cpu() if destination_index == -1 else joined.cuda()


COMMUNICATION = {each.__name__: each for each in (_broadcast, _broadcast_coalesced, _scatter, _gather)}
