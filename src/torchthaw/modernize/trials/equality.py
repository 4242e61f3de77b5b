"""torchthaw/modernize/trials/equality.py: whether two results are the same, and how far apart."""

import torch

# Largest relative difference that counts as rounding.
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 1e-2}


def difference(old, new):
    """(why two values are different, or ""; the largest absolute difference)."""
    if not torch.is_tensor(old) or not torch.is_tensor(new):
        if isinstance(old, float) and isinstance(new, float):
            old, new = torch.tensor(old, dtype=torch.float64), torch.tensor(new, dtype=torch.float64)
        else:
            return ("" if type(old) is type(new) and (torch.is_tensor(old) or old == new)
                    else f"{_kind(old)} became {_kind(new)}"), 0.0  # fmt: skip
    if old.shape != new.shape or old.dtype != new.dtype:
        return f"{_kind(old)} became {_kind(new)}", 0.0
    if torch.equal(old, new) or not old.numel():
        return "", 0.0
    if not (old.is_floating_point() or old.is_complex()):
        return f"{int((old != new).sum())} of {old.numel()} elements differ", 0.0
    old, new, dtype = old.double(), new.double(), old.dtype
    if not torch.equal(old.isnan(), new.isnan()) or not torch.equal(old.isinf(), new.isinf()):
        return "not the same elements are finite", float("inf")
    same = old.isnan() | (old == new)
    apart = torch.where(same, 0.0, (old - new).abs())
    largest, scale = float(apart.max()), float(torch.where(old.isfinite(), old.abs(), 0.0).max())
    if largest <= TOLERANCE.get(dtype, 1e-4) * max(scale, 1e-6):
        return "", largest
    return f"{int((~same).sum())} of {old.numel()} elements differ, by up to {largest:.3g}", largest


def _kind(value):
    if torch.is_tensor(value):
        return f"{str(value.dtype).removeprefix('torch.')} {tuple(value.shape)}"
    return repr(value)[:60]


def compare(old, new, parts=("outputs", "gradients", "of_sum")):
    """(what is different between two results of ``calling.result_of``, or ""; the largest difference)."""
    largest = 0.0
    for part in parts:
        name = {"outputs": "output", "gradients": "gradient", "of_sum": "gradient of the sum for argument"}[part]
        left, right = old[part], new[part]
        if left is None or right is None:
            if left is not right:
                side, text = ("old", old["error"]) if left is None else ("new", new["error"])
                return f"{part}: none from the {side} one: {text}", largest
            continue
        if len(left) != len(right):
            return f"{len(left)} {part} became {len(right)}", largest
        for number, (before, after) in enumerate(zip(left, right), 1):
            why, apart = difference(before, after)
            if why:
                return f"{name} {number}: {why}", apart
            largest = max(largest, apart)
    return "", largest
