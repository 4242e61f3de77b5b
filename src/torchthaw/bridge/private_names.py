"""torchthaw/bridge/private_names.py: every name of PyTorch that is not public, and its replacement if it is missing; and one
of Python's, in ``is_being_imported``.

No other file of the package uses one, nor one of ``functions``. ``get(name)`` is what PyTorch has under that name if it
passes a small test, else the replacement; the choice is made once, at the first call. Importing this file does not
import PyTorch.
"""

import ctypes
import inspect
import os
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import NamedTuple

from ..base import config

_ABSENT = object()

USES_MANGLED_NAMES = not config.switch("TORCHTHAW_NO_MANGLED_NAMES")


class Missing(AttributeError):
    """PyTorch does not have a name, or something else under it, and there is no replacement."""


class Private(NamedTuple):
    """A name of PyTorch.

    path: where it is, from ``torch`` on, or ``library:symbol`` of a C function that returns int64_t.
    since: the first PyTorch, of those that torchthaw supports, that has it.
    use: what torchthaw does with it. without: the replacement, described. works: whether an object found under the path
    still behaves as expected; an exception means no. stand_in: makes the replacement; None: get() raises Missing.
    """

    path: str
    since: str
    use: str
    without: str
    works: object
    stand_in: object = None


def _torch():
    import torch  # waits where another thread is importing it right now

    return torch


def is_being_imported(module):
    """Whether the code of a module still runs: it lacks names yet, and other threads that import it wait for this one.

    Only a private attribute of its spec tells: importlib sets it for that time, and reads it to see whether an import
    must wait. A module without it, such as one that no importlib made, counts as imported.
    """
    return getattr(getattr(module, "__spec__", None), "_initializing", False)


def _empty():
    return _torch().empty(0, dtype=_torch().float32, device="cpu")


def _says_no(function):
    return function(_empty()) is False


def _knows_bases(descriptor):
    base = _empty()
    return descriptor.__get__(base.view(0)) is base and descriptor.__get__(base) is None


def _increment_each(tensors):
    for tensor in tensors:
        if not tensor.is_inference():
            _torch().autograd.graph.increment_version(tensor)


def _check_value(holds, message):
    if not holds:
        raise ValueError(message())


def _exchange_device(device):
    cuda = _torch().cuda
    before = cuda.current_device()
    cuda.set_device(device)
    return before


def _call_when_ready(function):
    if _torch().cuda.is_initialized():
        function()


def _base_in_graph(tensor):
    """The leaf whose memory a tensor has, if it came from the leaf in one line of operations, else None."""
    node, address = tensor.grad_fn, tensor.untyped_storage().data_ptr()
    while node is not None:
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            return leaf if leaf.untyped_storage().data_ptr() == address else None
        node = node.next_functions[0][0] if node.next_functions else None
    return None


def _counts_modes(function):
    count = getattr(_torch()._C, "_len_torch_dispatch_stack", function)
    return function() == count()


def _requires_grad(function, tensor):
    return function(ctypes.c_void_p(tensor._cdata)) & 1 == 1


def _tells_what_requires_grad(function):
    return _requires_grad(function, _empty().requires_grad_()) and not _requires_grad(function, _empty())


def _tangent(function, tensor):
    """The address of what PyTorch has as the tangent of a tensor."""
    body = ctypes.c_void_p(tensor._cdata)
    function.restype = ctypes.c_void_p
    return ctypes.c_void_p.from_address(function(body, ctypes.c_uint64(0), ctypes.byref(body))).value


def _tells_tangents(function):
    forward_ad = _torch().autograd.forward_ad

    def tells():
        tangent = _empty()
        # What forward_ad.make_dual calls after it imported PyTorch's decompositions, in .2 s. The one level is 0.
        dual = _torch()._make_dual(_empty(), tangent, level=0)
        return _tangent(function, dual) == tangent._cdata != _tangent(function, _empty())

    try:
        with forward_ad.dual_level():
            return tells()
    except RuntimeError:  # there is a level already, and no other inside it
        return tells()


@lru_cache(maxsize=None)
def body_offset():
    """At which byte of a Python tensor the address of its C++ body stands; 0 where that cannot be told."""
    torch = _torch()
    word = ctypes.sizeof(ctypes.c_void_p)
    tensors = _empty(), torch.ones(2, device="cpu"), torch.nn.Parameter(_empty(), requires_grad=False)
    size = torch._C.TensorBase.__basicsize__ if hasattr(torch._C, "TensorBase") else 0
    for offset in range(object.__basicsize__, size, word):
        words = [ctypes.c_void_p.from_address(id(tensor) + offset).value for tensor in tensors]
        if words == [tensor._cdata for tensor in tensors]:
            return offset
    return 0


def _is_body(descriptor):
    tensor = _empty()
    found = ctypes.c_void_p.from_address(id(tensor) + body_offset()).value
    return body_offset() > 0 and descriptor.__get__(tensor) == found


class _Memory(ctypes.Structure):
    """The part of a storage's C++ body that says what is called, and with what, to free its memory."""

    _fields_ = [("data", ctypes.c_void_p), ("deleter", ctypes.c_void_p), ("context", ctypes.c_void_p)]


@lru_cache(maxsize=None)
def storage_memory():
    """(At which byte of a storage's C++ body a ``_Memory`` stands, the deleter of memory from PyTorch's allocator for the
    CPU); (0, 0) where that cannot be told."""
    storage = _torch().ones(4, device="cpu").untyped_storage()
    address, word = storage.data_ptr(), ctypes.sizeof(ctypes.c_void_p)
    for offset in range(word, 6 * word, word):  # behind its table of virtual functions; a body is larger
        found = _Memory.from_address(storage._cdata + offset)
        if found.data == found.context == address and found.deleter:
            return offset, found.deleter
    return 0, 0


def _frees_memory(descriptor):
    storage = _torch().ones(1000, device="cpu").untyped_storage()
    offset, deleter = storage_memory()
    if not offset or descriptor.__get__(storage) != storage._cdata:
        return False
    memory, freed = _Memory.from_address(storage._cdata + offset), []
    if memory.deleter != deleter:
        return False
    context = memory.context
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    instead = function(freed.append)
    memory.deleter = ctypes.cast(instead, ctypes.c_void_p).value
    storage.resize_(100_000)
    if not freed:
        memory.deleter = deleter
        return False
    function(deleter)(context)
    return freed == [context] and memory.deleter == deleter and memory.data == storage.data_ptr()


@lru_cache(maxsize=None)
def memory_layout():
    """A BodyLayout of pytorch.h; zeros where it cannot be told: each word there is compared with what PyTorch says."""
    torch = _torch()
    plain = torch.ones(1237, dtype=torch.float64, device="cpu")
    tensors = plain[3:], torch.ones(2, 3, device="cpu").t(), torch.nn.Parameter(torch.ones(5), requires_grad=False)
    complex = torch.ones(4, dtype=torch.complex64, device="cpu")
    lazy = complex.conj(), complex.conj().imag
    keys = {id(each): find(NAMES["dispatch_keys"].path)(each).raw_repr() for each in (complex, *tensors, *lazy)}
    storages = [each.untyped_storage() for each in tensors]
    layout = (
        _place([(each._cdata, storage._cdata) for each, storage in zip(tensors, storages)], 24),
        _place([(each._cdata, keys[id(each)]) for each in (*tensors, *lazy)], 24),
        storage_memory()[0],
        _place([(each._cdata, each.nbytes()) for each in storages], 8),
    )
    return *layout, (keys[id(lazy[0])] | keys[id(lazy[1])]) & ~keys[id(complex)] if all(layout) else 0


def _place(bodies, words):
    """At which byte every body, (address, value), has its value; 0 where there is none. words: how many a body has."""
    word = ctypes.sizeof(ctypes.c_void_p)
    for offset in range(2 * word, words * word, word):  # behind the table of virtual functions and the references
        if all(ctypes.c_uint64.from_address(address + offset).value == value for address, value in bodies):
            return offset
    return 0


def _reads_tensors(function):
    class Described(ctypes.Structure):  # DLPack's DLTensor
        _fields_ = [
            ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
            ("dtype", ctypes.c_uint8 * 4), ("shape", ctypes.POINTER(ctypes.c_int64)),
            ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
        ]  # fmt: skip

    tensor, found = _torch().ones(2, 3, dtype=_torch().float32, device="cpu")[1], Described()
    function(ctypes.byref(ctypes.c_void_p(tensor._cdata)), ctypes.byref(found))
    address = found.data + found.byte_offset
    return (address, found.ndim, found.shape[0], list(found.dtype)) == (tensor.data_ptr(), 1, 3, [2, 32, 1, 0])


def _counts_writes(function):
    tensor = _empty()
    version = native(_torch().Tensor, "_version").__get__
    before = version(tensor)
    function(ctypes.byref(ctypes.c_void_p(tensor._cdata)))
    return version(tensor) == before + 1


def _resizes(function):
    tensor, size = _empty(), (ctypes.c_int64 * 2)(2, 3)
    function(ctypes.byref(ctypes.c_void_p(tensor._cdata)), size, ctypes.c_size_t(2), ctypes.c_uint16(0))
    return tensor.shape == (2, 3) and tensor.stride() == (3, 1) and tensor.untyped_storage().nbytes() == 24


def _class_of_contexts():
    torch = _torch()
    seen = []

    class Look(torch.autograd.Function):
        @staticmethod
        def forward(ctx, input):
            seen.append(type(ctx).__base__)
            return input.clone()

    Look.apply(_empty())
    return seen[0]


NAMES = {
    "increment_version": Private(
        "torch._C._increment_version", "2.4 for a tensor, later for a tuple of them",
        "the version counters of all tensors that C wrote to, in one call",
        "torch.autograd.graph.increment_version, tensor by tensor",
        lambda found: found((_empty(),)) is None, lambda: _increment_each,
    ),
    "exchange_table": Private(
        "torch.Tensor.__dlpack_c_exchange_api__", "2.10",
        "a tensor's address, size and strides, read from C",
        "the tensor's attributes",
        lambda found: type(found).__name__ == "PyCapsule", lambda: None,
    ),
    "body": Private(
        "torch.Tensor._cdata", "2.4",
        "the four below, for the C++ body of a Python tensor",
        "what they do, by PyTorch's functions for Python, which takes longer",
        _is_body, lambda: None,
    ),
    "dispatch_keys": Private(
        "torch._C._dispatch_keys", "2.4",
        "where a tensor's C++ body has its conjugate and negative bits; tried with the place of its storage and its bytes",
        "PyTorch is asked by its functions for Python, before each tensor, which takes longer",
        lambda found: all(memory_layout()), lambda: None,
    ),
    "storage_body": Private(
        "torch.UntypedStorage._cdata", "2.4",
        "the memory of tensors that a callback of C resizes, until C has returned",
        "nothing: such a callback leaves C with memory that is gone",
        _frees_memory, lambda: None,
    ),
    "read_in_c": Private(
        "libtorch_cpu.so:_ZN2at17toDLPackNonOwningERKNS_6TensorEP8DLTensor", "2.10",
        "what the exchange table's function does, without its way from Python to C++",
        "the exchange table's function, which takes three times as long",
        _reads_tensors, lambda: None,
    ),
    "bump_version_in_c": Private(
        "libtorch_cpu.so:_ZN5torch8autograd4impl12bump_versionERKN2at6TensorE", "2.4",
        "the version counters of the tensors that C wrote to, without their way through an iterator",
        "torch._C._increment_version, which takes longer",
        _counts_writes, lambda: None,
    ),
    "resize_in_c": Private(
        "libtorch_cpu.so:_ZN2at4_ops7resize_4callERKNS_6TensorEN3c108ArrayRefINS5_6SymIntEEESt8optionalINS5_12MemoryFormatEE",
        "2.6",
        "a tensor gets the sizes that C gave its struct", "torch.Tensor.resize_, which takes three times as long",
        _resizes, lambda: None,
    ),
    "current_raw_stream": Private(
        "torch._C._cuda_getCurrentRawStream", "2.4; where PyTorch has CUDA",
        "the stream that C launches its kernels on",
        "torch.cuda.current_stream(device).cuda_stream",
        callable, lambda: lambda device: _torch().cuda.current_stream(device).cuda_stream,
    ),
    "exchange_device": Private(
        "torch._C._cuda_exchangeDevice", "2.4; where PyTorch has CUDA",
        "makes the tensors' device the current one during a call",
        "torch.cuda.current_device and set_device",
        callable, lambda: _exchange_device,
    ),
    "when_cuda_is_ready": Private(
        "torch.cuda._lazy_call", "2.4",
        "libthc's state is there as soon as PyTorch has made CUDA ready",
        "it is there from the first call with a tensor on a GPU on",
        callable, lambda: _call_when_ready,
    ),
    "view_base": Private(
        "torch.Tensor._base", "2.4",
        "C does not write to a view of a leaf that requires grad",
        "the leaf is looked for in the tensor's graph",
        _knows_bases, lambda: property(_base_in_graph),
    ),
    "is_zerotensor": Private(
        "torch._is_zerotensor", "2.4",
        "the message for a tensor without memory that was refused", "the message is less exact",
        _says_no, lambda: lambda tensor: False,
    ),
    **{
        name: Private(
            f"torch._C._functorch.{name}", "2.4",
            "a tensor inside a transform of torch.func is refused by the transform's name", "it is refused as any other",
            _says_no, lambda: lambda tensor: False,
        )
        for name in ("is_batchedtensor", "is_gradtrackingtensor", "is_functionaltensor")
    },
    "transform_level": Private(
        "torch._C._functorch.maybe_current_level", "2.4",
        "outside of torch.func's transforms, tensors without elements need no closer look",
        "each of them gets one, which takes longer",
        lambda found: isinstance(found(), (int, type(None))), lambda: lambda: 0,
    ),
    "mode_count_in_c": Private(
        "libc10.so:_ZN3c104impl20TorchDispatchModeTLS9stack_lenEv", "2.4",
        "a call under a dispatch mode, as in torch.export, goes to the operator; asked before every call",
        "torch._C._len_torch_dispatch_stack, which takes longer",
        _counts_modes, lambda: None,
    ),
    "mode_count": Private(
        "torch._C._len_torch_dispatch_stack", "2.4",
        "the same, where the C function is missing",
        "only fake tensors go to operators: make_fx and torch.export do not see calls with real tensors",
        lambda found: isinstance(found(), int), lambda: lambda: 0,
    ),
    "requires_grad_in_c": Private(
        "libc10.so:_ZNK3c1010TensorImpl13requires_gradEv", "2.4",
        "a kernel in C refuses tensors whose gradient it would lose; a call asks about what it writes to",
        "operators are computed by kernels in Python, and a call reads the attribute; both take longer",
        _tells_what_requires_grad, lambda: None,
    ),
    "tangent_in_c": Private(
        "libc10.so:_ZNK3c1010TensorImpl8_fw_gradEmRKN2at10TensorBaseE", "2.4",
        "the same of tensors with a tangent", "the same", _tells_tangents, lambda: None,
    ),
    "dispatch_mode": Private(
        "torch.utils._python_dispatch.TorchDispatchMode", "2.4",
        "check() of a function sees the calls of C, and makes them with filled outputs", "check() leaves these calls out",
        lambda found: hasattr(found, "__torch_dispatch__"), lambda: None,
    ),
    "operator_schemas": Private(
        "torch._C._jit_get_schemas_for_operator", "2.4",
        "a kernel in C is registered for an operator whose values are those that it takes",
        "operators are computed by kernels in Python, which take longer",
        lambda found: [str(each.type) for each in found("aten::is_nonzero")[0].arguments] == ["Tensor"],
    ),
    "check_value": Private(
        "torch._check_value", "2.4",
        "shapes of fake tensors are compared, also where a size is not known yet", "they are compared as numbers",
        lambda found: found(True, lambda: "") is None, lambda: _check_value,
    ),
    "current_transform": Private(
        "torch._functorch.pyfunctorch.retrieve_current_functorch_interpreter", "2.4",
        "operators inside transforms of torch.func", "they are refused there", callable,
    ),
    "unwrap_dead": Private(
        "torch._C._functorch.unwrap_if_dead", "2.4",
        "the same, for what backward saved inside a grad that has ended", "an error of PyTorch's own",
        lambda found: found(_empty()).shape == (0,), lambda: lambda tensor: tensor,
    ),
    "unwrap_batched": Private(
        "torch._C._functorch._unwrap_batched", "2.4", "the same, for vmap", "the same", callable,
    ),
    "add_batch_dim": Private(
        "torch._C._functorch._add_batch_dim", "2.4", "the same, for vmap", "the same", callable,
    ),
    "unwrap_for_grad": Private(
        "torch._C._functorch._unwrap_for_grad", "2.4", "the same, for grad and jvp", "the same", callable,
    ),
    "transforms_active": Private(
        "torch._C._are_functorch_transforms_active", "2.4",
        "differentiable operators: whether a call is inside a transform of torch.func; asked before every call",
        "every call takes the path of transforms, which takes longer",
        lambda found: isinstance(found(), bool), lambda: lambda: True,
    ),
    "autocast_active": Private(
        "torch._C._is_any_autocast_enabled", "2.4",
        "differentiable operators: whether a call is inside torch.autocast; asked before every call",
        "every call asks for its device's autocast, which takes longer",
        lambda found: isinstance(found(), bool), lambda: lambda: True,
    ),
    "dual_level": Private(
        "torch.autograd.forward_ad._current_level", "2.4",
        "differentiable operators: whether a call is in forward mode; asked before every call",
        "every call takes the path of transforms, which takes longer",
        lambda found: isinstance(found, int), lambda: 0,
    ),
    "is_batched_gradient": Private(
        "torch._C._functorch.is_legacy_batchedtensor", "2.4",
        "differentiable operators: a batch of gradients, of is_grads_batched=True, does not go to C",
        "PyTorch's own operators compute every gradient",
        _says_no, lambda: lambda tensor: True,
    ),
    "direct_call": Private(
        "torch.ops.aten.alias.default._op", "2.4",
        "differentiable operators: an operator called without the frame of its Python object",
        "with that frame, which takes longer",
        lambda found: found(_empty()).shape == (0,),
    ),
    "typed_storage": Private(
        "torch.Tensor._typed_storage", "2.4",
        "a storage that C returns, without PyTorch's warning that typed storages go", "torch.Tensor.storage, which warns",
        lambda found: isinstance(found(_empty()), _torch().TypedStorage), lambda: _torch().Tensor.storage,
    ),
    "without_subclasses": Private(
        "torch._C.DisableTorchFunctionSubclass", "2.4",
        "what volatile Variables are computed with; before PyTorch 2.10, tensors of subclasses are read with it for C",
        "nothing: the patch volatile is not available, and a subclass's own code runs while it is read",
        lambda found: found().__enter__ and found().__exit__,
    ),
    "variable_class": Private(
        "torch.autograd.variable.VariableMeta", "2.4",
        "Variable(x, volatile=True)", "nothing: the patch volatile is not available",
        lambda found: found is type(_torch().autograd.Variable) is not type(_torch().Tensor),
    ),
    "context": Private(
        "torch.autograd.function.BackwardCFunction", "2.4",
        "the class of every ctx, whose attributes are made assignable", "the same class, taken from a ctx",
        lambda found: issubclass(found, _torch().autograd.function.FunctionCtx), _class_of_contexts,
    ),
    "_input_metadata": Private(
        "torch.autograd.Function._input_metadata", "2.5",
        "can be assigned as an attribute of Functions", "an attribute that PyTorch lacks can be assigned anyhow",
        inspect.isgetsetdescriptor,
    ),
    "_raw_saved_tensors": Private(
        "torch.autograd.Function._raw_saved_tensors", "2.4",
        "can be assigned as an attribute of Functions", "an attribute that PyTorch lacks can be assigned anyhow",
        inspect.isgetsetdescriptor,
    ),
    "find_builtin": Private(
        "torch.jit._builtins._find_builtin", "2.4",
        "torch.jit.script recognises PyTorch's functions by identity: their wrappers are registered too",
        "scripts that use functions of the legacy semantics do not compile",
        lambda found: found(len) is None, lambda: lambda function: None,
    ),
    "register_builtin": Private(
        "torch.jit._builtins._register_builtin", "2.4",
        "the same", "the same", callable, lambda: lambda function, operator: None,
    ),
    "boolean_dispatched": Private(
        "torch._jit_internal.boolean_dispatched", "2.4",
        "the same, for functions that are one of two by an argument, as max_pool2d is", "the same",
        lambda found: found.get(len) is None, lambda: {},
    ),
}  # fmt: skip


def find(path):
    """What PyTorch has under a path, descriptors as such; _ABSENT where there is nothing."""
    _torch()
    if ":" in path:
        return _find_symbol(*path.split(":"))
    module = path
    while module not in sys.modules:
        module = module.rpartition(".")[0]
    found = sys.modules[module]
    for name in path.removeprefix(module).split(".")[1:]:
        look_up = native if isinstance(found, type) else getattr
        try:
            found = look_up(found, name)
        except AttributeError:
            return _ABSENT
    return found


def _find_symbol(library, symbol):
    """A C function of one of PyTorch's libraries, as one of ctypes."""
    path = os.path.join(os.path.dirname(_torch().__file__), "lib", library)
    try:
        function = ctypes.CDLL(path, os.RTLD_NOLOAD)[symbol]
    except (OSError, AttributeError):
        return _ABSENT
    function.restype = ctypes.c_int64
    return function


def native(owner, name):
    """The attribute of a class as C defined it, without what Python code assigned later; else as it is.

    A descriptor, which the public name ``owner.name`` gives only as long as nothing was put there.
    """
    for each in owner.__mro__:
        found = vars(each).get(name)
        if isinstance(found, (types.GetSetDescriptorType, types.MethodDescriptorType)):
            return found
    return inspect.getattr_static(owner, name)


def private_attributes(owner):
    """The private attributes of the class at path ``owner`` that PyTorch has."""
    paths = [private.path for name, private in NAMES.items() if private.path.startswith(owner + ".") and has(name)]
    return [path.rpartition(".")[2] for path in paths]


def _try_here(works, found):
    with _torch().inference_mode(False):
        return works(found)


def _try_elsewhere(works, found):
    """In a new thread, which is in no mode and no transform: C++ that throws because of one would end the process."""
    if is_being_imported(_torch()):  # by this thread, and the other would wait
        return _try_here(works, found)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(works, found).result()


def reason(name):
    """Why a name cannot be used as it is in this PyTorch, or None."""
    private = NAMES[name]
    if ":" in private.path and not USES_MANGLED_NAMES:
        return f"TORCHTHAW_NO_MANGLED_NAMES switches {private.path} off"
    found = find(private.path)
    if found is _ABSENT:
        return f"it has no {private.path}"
    try:
        works = (_try_elsewhere if ":" in private.path else _try_here)(private.works, found)
    except Exception:
        works = False
    return None if works else f"its {private.path} is not what it was"


@lru_cache(maxsize=None)
def get(name):
    """What to use: PyTorch's own, or its replacement; Missing where there is neither."""
    private, why = NAMES[name], reason(name)
    if why is None:
        return find(private.path)
    if private.stand_in is None:
        raise Missing(why)
    return private.stand_in()


def has(name):
    """Whether PyTorch has the name as it was."""
    return reason(name) is None


def attribute(name):
    """The last word of a name's path: its attribute where the owner is another object, or where its value changes."""
    return NAMES[name].path.rpartition(".")[2]


def missing():
    """{path: the replacement, described} of the names that this PyTorch should have and does not have as they were."""
    has_cuda = _torch().backends.cuda.is_built()
    return {
        private.path: private.without
        for name, private in NAMES.items()
        if not has(name) and (has_cuda or not private.path.startswith("torch._C._cuda_"))
    }
