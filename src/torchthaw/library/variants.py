"""torchthaw/library/variants.py: which of an operator's C functions computes in a dtype."""


class Variants:
    """The C functions of one operator on one device."""

    def __init__(self, functions):
        self.functions = list(functions)

    def of(self, values):
        """The function for the tensors among ``values``, {parameter: argument}; ValueError: no function is for one."""
        fitting = self.functions
        for parameter in fitting[0].tensors:
            tensor = values.get(parameter.name)
            if tensor is None:
                continue
            dtype = str(tensor.dtype).removeprefix("torch.")
            left = [each for each in fitting if dtype_of(each, parameter.name) in (None, dtype)]
            if not left:
                known = [*dict.fromkeys(f"torch.{dtype_of(each, parameter.name)}" for each in fitting)]
                said = f"{parameter.name}: expected dtype {' or '.join(known)}, got torch.{dtype}"
                raise ValueError(f"{said}; pass tensor.to({known[0]})")
            fitting = left
        return fitting[0]


def dtype_of(function, name):
    """The dtype of a parameter, by name; None for ``void *``."""
    return next(each.dtype for each in function.tensors if each.name == name)
