"""torchthaw/header/folding.py: how one call of a C function serves a batch: along which size entries are independent."""

from . import dimensions, matching


def along(pair, function):
    """The rule of a function of a pairs.Pair, by THAW_ELEMENTWISE or THAW_BATCH, as the JSON has it.

    True: its arrays have one shape, of any number of dimensions. {array: dimension}: the arrays that have the size along
    which entries are independent, and where; another array serves all entries. None: each entry needs a call.
    """
    arrays = matching.arrays(function)
    if pair.is_elementwise and all("like" in shape for each in arrays for shape in each.shapes):
        return True
    sizes = {each.name: next((shape["dims"] for shape in each.shapes if "dims" in shape), []) for each in arrays}
    first = next((dims[0] for dims in sizes.values() if dims), None)
    size = pair.batch or (first if pair.is_elementwise else None)
    # A number that the caller gives would not grow with the arrays.
    is_determined = any(each.name == size and each.source for each in function.parameters)
    if not is_determined or not _stands_alone(size, arrays):
        return None
    return {name: dims.index(size) for name, dims in sizes.items() if size in dims}


def _stands_alone(size, arrays):
    """Whether a size is at most once in each shape, and no part of another: else it cannot grow alone."""
    every = [shape.get("parsed", ()) for each in arrays for shape in each.shapes]
    return all([each for each in sizes if size in dimensions.names(each)] in ([], [size]) for sizes in every)
