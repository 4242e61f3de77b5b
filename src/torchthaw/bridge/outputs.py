"""torchthaw/bridge/outputs.py: the arrays that a call makes where it leaves out its outputs."""

from . import errors

_dtypes = {}  # (DLPack's code, bits) -> NumPy's dtype


def empty(name, code, bits, shape):
    """A NumPy array for the output ``name``. ImportError where NumPy, or what has its dtype, is not installed."""
    try:
        import numpy

        if (code, bits) not in _dtypes:
            _dtypes[code, bits] = _dtype(errors.DTYPES[code, bits])
    except ImportError as error:
        raise ImportError(f"{name}: expected an output, or a package that makes one, got neither: {error}") from error
    return numpy.empty(shape, _dtypes[code, bits])


def _dtype(name):
    import numpy

    if name == "bfloat16":
        import ml_dtypes

        return numpy.dtype(ml_dtypes.bfloat16)
    return numpy.dtype(name)
