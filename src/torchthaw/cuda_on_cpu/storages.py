"""torchthaw/cuda_on_cpu/storages.py: torch.UntypedStorage on CUDA, which a PyTorch for CPUs neither makes nor resizes."""


def serve(torch):
    """Replaces the constructor and resize_ of torch.UntypedStorage for storages on CUDA."""
    Storage = torch.UntypedStorage
    base = Storage.__mro__[1]
    resize = Storage.resize_

    def new(cls, *args, device=None, **options):
        if device is None or torch.device(device).type != "cuda":
            return base.__new__(cls, *args, **options, **({} if device is None else {"device": device}))
        if args and not isinstance(args[0], int):
            return torch.tensor(args[0], dtype=torch.uint8, device=device).untyped_storage()
        return torch.empty(*(args or [0]), dtype=torch.uint8, device=device).untyped_storage()

    def resize_(self, size):
        if self.device.type != "cuda":
            return resize(self, size)
        torch.ops.cuda_on_cpu.resize_storage(self, size)
        return self

    Storage.__new__, Storage.resize_ = new, resize_
