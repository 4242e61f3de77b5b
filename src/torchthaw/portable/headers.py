"""torchthaw/portable/headers.py: the folder of headers by the names that extensions include."""

from importlib import metadata
from pathlib import Path

from ..base import cache, installed_torch

OWN = Path(__file__).resolve().parent / "include"
OLDEST = (2, 10)  # of PyTorch whose torch/headeronly has all that portable/core/base.h includes

# Header of portable/ -> names that extensions include for what it has. docs/reference/portable.md shows them.
NAMES = {
    "extension.h": (
        "torch/extension.h", "torch/python.h", "torch/torch.h", "torch/all.h", "torch/types.h", "torch/utils.h",
    ),
    "library.h": ("torch/library.h", "torch/script.h", "ATen/core/op_registration/op_registration.h", "ATen/core/function_schema.h", "ATen/core/enum_tag.h"),
    "custom_class.h": ("torch/custom_class.h", "torch/custom_class_detail.h"),
    "dispatcher.h": ("ATen/core/dispatch/Dispatcher.h", "ATen/core/stack.h"),
    "nn.h": ("torch/nn/functional.h", "torch/nn.h", *(f"torch/nn/functional/{name}.h" for name in (
        "activation", "batchnorm", "conv", "distance", "dropout", "embedding", "fold", "instancenorm", "linear", "loss",
        "normalization", "padding", "pixelshuffle", "pooling", "upsampling", "vision",
    ))),
    "core/enums.h": ("torch/enum.h",),
    "aten.h": (
        "torch/cuda.h", "ATen/ATen.h", "ATen/Functions.h",
        "ATen/Operators.h", "ATen/NativeFunctions.h", "ATen/TensorOperators.h", "ATen/ExpandUtils.h", "ATen/Utils.h",
        "ATen/ScalarOps.h", "ATen/Config.h", "ATen/Version.h", "ATen/native/Resize.h", "torch/csrc/autograd/variable.h",
        "torch/serialize/tensor.h", "torch/csrc/utils/tensor_flatten.h",
    ),
    "core/base.h": (
        "ATen/core/ATen_fwd.h", "ATen/core/Reduction.h", "c10/core/ScalarType.h", "c10/core/DeviceType.h", "c10/core/Layout.h",
        "c10/core/MemoryFormat.h", "c10/macros/Macros.h", "c10/macros/Export.h", "c10/util/Optional.h", "c10/util/Half.h",
        "c10/util/BFloat16.h", "c10/util/string_view.h", "c10/util/StringUtil.h", "c10/util/Metaprogramming.h",
        "torch/macros.h", "torch/version.h",
    ),
    "core/complex.h": ("c10/util/complex.h",),
    "core/error.h": ("c10/util/Exception.h", "ATen/Error.h"),
    "core/logging.h": ("c10/util/Logging.h", "ATen/record_function.h"),
    "core/intrusive.h": ("c10/util/intrusive_ptr.h",),
    "core/memory.h": ("c10/core/Allocator.h", "c10/core/CPUAllocator.h", "c10/core/impl/alloc_cpu.h"),
    "dlpack.h": ("ATen/DLConvertor.h", "ATen/dlpack.h"),
    "core/sizes.h": (
        "c10/util/ArrayRef.h", "ATen/ArrayRef.h", "c10/util/SmallVector.h", "c10/core/SymInt.h", "c10/core/SymIntArrayRef.h",
        "c10/util/irange.h", "ATen/ceil_div.h", "ATen/div_rtn.h", "ATen/core/IListRef.h",
        "c10/util/OptionalArrayRef.h",
    ),
    "core/collections.h": ("ATen/core/List.h", "ATen/core/Dict.h"),
    "core/scalar.h": ("c10/core/Scalar.h", "ATen/Scalar.h", "ATen/core/Scalar.h"),
    "core/options.h": (
        "c10/core/TensorOptions.h", "c10/core/Device.h", "c10/util/typeid.h", "ATen/Device.h", "ATen/DeviceType.h",
        "ATen/ScalarType.h", "ATen/TensorOptions.h",
    ),
    "tensor.h": (
        "ATen/core/Tensor.h", "ATen/core/TensorBase.h", "ATen/core/TensorBody.h", "ATen/Tensor.h", "ATen/Type.h",
        "ATen/core/DeprecatedTypeProperties.h", "ATen/Storage.h", "c10/core/TensorImpl.h", "c10/core/Storage.h",
    ),
    "generator.h": (
        "ATen/Generator.h", "ATen/core/Generator.h", "ATen/CPUGenerator.h", "ATen/CPUGeneratorImpl.h", "c10/core/GeneratorImpl.h",
    ),
    "accessor.h": ("ATen/core/TensorAccessor.h", "ATen/TensorAccessor.h"),
    "indexing.h": ("ATen/TensorIndexing.h",),
    "dispatch.h": ("ATen/Dispatch.h",),
    "dispatch_v2.h": ("ATen/Dispatch_v2.h",),
    "parallel.h": ("ATen/Parallel.h", "ATen/ParallelOpenMP.h"),
    "modes.h": (
        "ATen/DeviceGuard.h", "c10/core/DeviceGuard.h", "c10/core/GradMode.h", "c10/core/InferenceMode.h",
        "torch/csrc/autograd/grad_mode.h", "ATen/OptionalDeviceGuard.h",
    ),
    "checks.h": (
        "ATen/TensorUtils.h", "ATen/AccumulateType.h", "ATen/OpMathType.h", "ATen/WrapDimUtils.h", "ATen/Context.h",
    ),
    "cuda/device.h": (
        "c10/cuda/CUDAException.h", "c10/cuda/CUDAFunctions.h", "c10/cuda/CUDAMacros.h", "ATen/cuda/Exceptions.h",
        "ATen/cuda/ATenCUDAGeneral.h", "ATen/cuda/CUDADevice.h",
    ),
    "cuda/streams.h": (
        "c10/cuda/CUDAStream.h", "c10/cuda/CUDAGuard.h", "c10/core/Stream.h", "c10/core/StreamGuard.h", "ATen/cuda/CUDAEvent.h",
        "c10/cuda/CUDAEvent.h",
    ),
    "cuda/memory.h": ("c10/cuda/CUDACachingAllocator.h",),
    "cuda/launches.h": ("ATen/cuda/detail/KernelUtils.h", "ATen/cuda/ApplyGridUtils.cuh"),
    "cuda/atomics.h": ("ATen/cuda/Atomic.cuh", "THC/THCAtomics.cuh", "ATen/native/cuda/KernelUtils.cuh"),
    "cuda/warps.h": (
        "ATen/cuda/DeviceUtils.cuh", "c10/cuda/CUDAMathCompat.h", "ATen/cuda/NumericLimits.cuh",
    ),
    "cuda/index.h": (
        "ATen/cuda/detail/TensorInfo.cuh", "ATen/cuda/detail/IndexUtils.cuh", "ATen/cuda/detail/IntegerDivider.cuh",
        "ATen/native/CanUse32BitIndexMath.h",
    ),
    "cuda/random.h": (
        "ATen/cuda/CUDAGeneratorImpl.h", "ATen/CUDAGeneratorImpl.h", "ATen/CUDAGenerator.h", "ATen/cuda/PhiloxCudaState.h",
        "ATen/cuda/PhiloxUtils.cuh", "ATen/cuda/CUDAGraphsUtils.cuh", "ATen/cuda/detail/UnpackRaw.cuh",
    ),
    "cuda/blas.h": ("ATen/cuda/CUDABlas.h",),
    "cuda/context.h": (
        "ATen/cuda/CUDAContext.h", "ATen/cuda/CUDAContextLight.h", "ATen/cuda/CUDAUtils.h", "ATen/cuda/CUDAApplyUtils.cuh",
    ),
    "cuda/thc.h": ("THC/THC.h", "THC/THCGeneral.h", "THC/THCDeviceUtils.cuh", "THC/THCNumerics.cuh", "THC/THCBlas.h"),
    "autograd.h": (
        "torch/csrc/autograd/custom_function.h", "torch/csrc/autograd/function.h", "torch/csrc/autograd/autograd.h",
        "torch/autograd.h", "torch/csrc/autograd/VariableTypeUtils.h",
    ),
    "value.h": ("ATen/core/ivalue.h", "ATen/core/jit_type.h"),
    "python/pybind11.h": (
        *(f"pybind11/{name}.h" for name in (
            "pybind11", "cast", "pytypes", "embed", "attr", "options", "gil", "common", "buffer_info",
            "gil_safe_call_once", "critical_section", "type_caster_pyobject_ptr", "detail/common", "detail/internals",
            "detail/typeid",
        )),
        "torch/csrc/utils/pybind.h", "torch/csrc/Exceptions.h",
    ),
    "python/stl/chrono.h": ("pybind11/chrono.h",),
    "python/stl/complex.h": ("pybind11/complex.h",),
    "python/stl/containers.h": ("pybind11/stl.h",),
    "python/objects/eval.h": ("pybind11/eval.h",),
    "python/stl/filesystem.h": ("pybind11/stl/filesystem.h",),
    "python/stl/functional.h": ("pybind11/functional.h",),
    "python/stl/iostream.h": ("pybind11/iostream.h",),
    "python/numpy/numpy.h": ("pybind11/numpy.h",),
    "python/operators.h": ("pybind11/operators.h",),
    "python/stl/stl_bind.h": ("pybind11/stl_bind.h",),
    "python/objects/typing.h": ("pybind11/typing.h",),
    "python/objects/warnings.h": ("pybind11/warnings.h",),
}  # fmt: skip


def folder():
    """The folder with the names above and torch/headeronly, in the cache. ImportError without a PyTorch that has it."""
    found = installed_torch.folder()
    version = metadata.version("torch") if found else None
    if version is None or tuple(int(part) for part in version.split("+")[0].split(".")[:2]) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise ImportError(
            f"portable: expected PyTorch ≥ {oldest} to build with, found {version or 'none'}; what is built runs with 2.4 and later"
        )
    headeronly = found / "include" / "torch" / "headeronly"
    files = {name: f"#include <portable/{own}>\n" for own, names in NAMES.items() for name in names}
    return cache.layout("portable_headers", files, {"torch/headeronly": headeronly})


def include_paths():
    """The folders of headers for a compiler, besides the one that operators.write() writes."""
    return [folder(), OWN]
