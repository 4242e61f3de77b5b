"""torchthaw/library/compiler.py: what torch.compile leaves out of its graphs, with the reason."""


def disable(function, why):
    """``function``, at whose calls Dynamo breaks its graph. Imports Dynamo."""
    import torch

    def call(*arguments, **keywords):
        return function(*arguments, **keywords)

    try:
        return torch.compiler.disable(call, reason=why)
    except TypeError:  # PyTorch 2.7 and earlier take none
        return torch.compiler.disable(call)
