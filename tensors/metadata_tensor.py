# tensors/metadata_tensor.py: a tensor together with what is known about it.
import torch

from .tensor_like import TensorLike, leaves, map_nested, written


class MetadataTensor(TensorLike):
    """A wrapper around ``data`` (anything ``torch.as_tensor`` takes, with its keyword arguments) and a dict of
    ``metadata`` that survives operations.

    * Every tensor that comes out of a function is a ``MetadataTensor`` with the metadata of all arguments, those in
      nested sequences and keywords included; where two arguments disagree about a key, the one further left wins.
      Other results (sizes, numbers, bools) come out as they are.
    * A function that writes into an argument (``add_``, ``out=``) returns that very object. In place, metadata of the
      other arguments is added; ``out`` takes the metadata of the inputs in the place of its own, as it takes values.
    * Each result has a dict of its own; the values in it are shared.

    ``tensor`` is the wrapped tensor: values, memory and autograd history are its own.
    """

    def __init__(self, data, metadata=None, **kwargs):
        if isinstance(data, MetadataTensor):
            metadata = {**data.metadata, **(metadata or {})}
            data = data.tensor
        self._tensor = torch.as_tensor(data, **kwargs)
        self._metadata = dict(metadata or {})

    @property
    def tensor(self):
        return self._tensor

    @property
    def metadata(self):
        return self._metadata

    def __repr__(self):
        return f"{type(self).__name__}({self._tensor!r}, metadata={self._metadata!r})"

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if not all(issubclass(type_, (torch.Tensor, MetadataTensor)) for type_ in types):
            return NotImplemented
        result = func(*map_nested(_unwrap, args), **map_nested(_unwrap, kwargs))

        metadata = {}
        inputs = leaves([args, {key: value for key, value in kwargs.items() if key != "out"}])
        for argument in reversed(inputs):
            if isinstance(argument, MetadataTensor):
                metadata.update(argument._metadata)

        targets = written(func, args, kwargs)
        for target in targets:
            if isinstance(target, MetadataTensor):
                target._metadata = dict(metadata)

        def wrap(value):
            if not isinstance(value, torch.Tensor):
                return value
            for target in targets:
                if _unwrap(target) is value:
                    return target
            return cls(value, metadata=metadata)

        return map_nested(wrap, result)


def _unwrap(value):
    return value._tensor if isinstance(value, MetadataTensor) else value
