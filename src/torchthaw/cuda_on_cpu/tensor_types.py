"""torchthaw/cuda_on_cpu/tensor_types.py: torch.cuda.FloatTensor and the others make tensors, as in a PyTorch for GPUs."""

NAMES = "Double", "Float", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool"


def serve(torch):
    """Replaces the types of torch.cuda, which a PyTorch for CPUs refuses to call, and what takes one as the default."""
    for name in NAMES:
        name = f"{name}Tensor"
        setattr(torch.cuda, name, _tensor_type(torch, getattr(torch, name), getattr(torch.cuda, name)))
    torch.set_default_tensor_type = _setter(torch)


def _tensor_type(torch, on_cpu, given):
    """A type like ``given``. PyTorch goes by the name where a type is an argument, as in tensor.type()."""

    class Meta(type):
        def __call__(cls, *args, **kwargs):
            kwargs.pop("device", None)
            return on_cpu(*args, **kwargs).cuda()

        def __instancecheck__(cls, value):
            return isinstance(value, given)

        def __repr__(cls):
            return f"<class 'torch.cuda.{on_cpu.__name__}'>"

    return Meta(
        f"torch.cuda.{on_cpu.__name__}", (),
        {"__module__": "torch.cuda", "dtype": given.dtype, "layout": given.layout, "is_cuda": True, "is_sparse": False},
    )  # fmt: skip


def _setter(torch):
    set_type = torch.set_default_tensor_type

    def set_default_tensor_type(t):
        """Sets the default dtype, and the device of new tensors where it is a type of torch.cuda."""
        name = t if isinstance(t, str) else t.__name__
        is_cuda = "cuda." in name or getattr(t, "is_cuda", False)
        if is_cuda or torch.get_default_device().type == "cuda":
            torch.set_default_device("cuda" if is_cuda else "cpu")
        set_type(f"torch.{name.rpartition('.')[2]}" if is_cuda else t)

    return set_default_tensor_type
