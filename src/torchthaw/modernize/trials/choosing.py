"""torchthaw/modernize/trials/choosing.py: arguments to try for a Function that no script of the project calls.

A tensor's shape goes by its name, in one of several settings such as a convolution or points of a cloud; a number goes
by its name or default. Most choices fit nothing: the Function is called with each until one works.
"""

import inspect
import itertools
import random
import re

import torch

# In each setting: pattern of names -> shape; "" is for all other names.
SETTINGS = [
    {"": (2, 3, 6, 6)},
    {"": (4, 6)},
    {"": (2, 3, 6)},
    {"": (6,)},
    {"": (2, 3, 4, 4, 4)},
    {"roi|box|proposal|region": "rois", "": (2, 3, 8, 8)},
    {"": "boxes"},
    {"weight|filter": (5, 3, 3, 3), "bias": (5,), "offset": (2, 18, 6, 6), "mask": (2, 9, 6, 6), "": (2, 3, 6, 6)},
    {"weight|filter": (5, 3, 3, 3), "bias": (5,), "offset": (2, 18, 4, 4), "mask": (2, 9, 4, 4), "": (2, 3, 6, 6)},
    {"weight|gamma|scale|bias|beta|shift|mean|var|std": (3,), "": (2, 3, 6, 6)},
    {"weight": (5, 6), "bias": (5,), "": (4, 6)},
    {"grid|flow": (2, 6, 6, 2), "": (2, 3, 6, 6)},
    {"grid|flow|disp|theta|warp": (2, 2, 6, 6), "": (2, 3, 6, 6)},
    {"target|label|ind|idx": (4,), "": (4, 6)},
    {"ind|idx": (2, 4), "feature|point": (2, 3, 8), "new|query|cent": (2, 4, 3), "": (2, 8, 3)},
    {"ind|idx": (2, 4, 3), "weight": (2, 4, 3), "feature|point": (2, 3, 8), "new|query|cent": (2, 4, 3), "": (2, 8, 3)},
    {"target|gt|2$|b$": (2, 5, 3), "": (2, 6, 3)},
]  # fmt: skip
# Names of what counts or points at something.
INTEGERS = r"ind(ex|ices|s)?$|idx|index|label|target|argmax|lengths?$|sizes?$|counts?$|order|batch_id|assign"
# Names of numbers -> values to try; the first fitting row counts.
NUMBERS = [
    (r"kernel|^k[hw]$|window|pool", [3, 2]),
    (r"scale$|ratio|momentum|alpha|beta|gamma|lambda|sigma|margin|^width$|thresh|radius", [0.5, 1.0, 2]),
    (r"^eps|epsilon", [1e-3]),
    (r"height|width|^h$|^w$|out.*(h|w)$|_size$|num_|^n$|^k$|sample|channels|output", [6, 3, 8, 2]),
    (r"stride|^[sd][hw]$|dilation|groups?$|step", [1, 2]),
    (r"pad|^p[hw]$|displacement|offset", [1, 0, 2]),
    (r"training|inplace|average|normali|flag|^is_|^use_|^with_|bias$|reduce|align", [True, False]),
    (r"^dim|axis", [1, 0, -1]),
]
UNKNOWN = [1, 2, 0.5]
# For what __init__ took in any number, which is a tuple or a dict now.
STARRED = {"*": [(), (1,), (2,), (1, 1), (2, 2)], "**": [()]}
MOST = 240


def candidates(target, function):
    """Argument lists to try, likely ones first. function: the Function's class in the new project."""
    parameters = list(inspect.signature(function.forward).parameters.values())[1:]
    if any(each.kind == each.VAR_POSITIONAL for each in parameters):
        parameters = [each for each in parameters if each.kind == each.POSITIONAL_OR_KEYWORD] + [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in ("input1", "input2")
        ]  # fmt: skip
    first_constant = len(parameters) - target.constants
    stars = ["" for _ in range(first_constant)] + list(target.stars)
    choices = [STARRED.get(star) or _roles(each, number >= first_constant)
               for number, (each, star) in enumerate(itertools.zip_longest(parameters, stars))]  # fmt: skip
    plans = list(itertools.islice(itertools.product(*choices), 100_000))
    ordered = plans[:40] + random.Random(0).sample(plans[40:], min(len(plans) - 40, 60)) if len(plans) > 40 else plans
    tries = itertools.product(ordered[:15], SETTINGS)
    tries = itertools.chain(tries, itertools.product(ordered[15:], SETTINGS[:3]))
    names = [each.name for each in parameters]
    seen = set()
    for plan, setting in itertools.islice(tries, MOST):
        generator = torch.Generator().manual_seed(len(seen))
        values = [_value(role, name, setting, generator) for role, name in zip(plan, names)]
        kinds = tuple((each.dtype, each.shape) if torch.is_tensor(each) else (type(each), each) for each in values)
        if kinds not in seen:
            seen.add(kinds)
            yield values


def _roles(parameter, is_constant):
    """What an argument may be: "float", "long", "int" for tensors of these types, or a number itself."""
    given = [] if parameter.default is parameter.empty else [parameter.default]
    name = parameter.name.lower()
    fitting = next((values for pattern, values in NUMBERS if re.search(pattern, name)), None)
    if is_constant or given and not torch.is_tensor(given[0]) and given[0] is not None:
        return [*given, *(value for value in fitting or UNKNOWN if value not in given)]
    if re.search(INTEGERS, name):
        return ["long", "int", "float"]
    tensors = ["float", "long"]
    return [*given, *tensors, *(fitting or UNKNOWN[:1])] if fitting is None else [*tensors[:1], *fitting]


def _value(role, name, setting, generator):
    if role not in ("float", "long", "int") or isinstance(role, (bool, float)):
        return role
    shape = next(shape for pattern, shape in setting.items() if not pattern or re.search(pattern, name.lower()))
    if shape in ("rois", "boxes"):
        return boxes(generator, with_image=shape == "rois")
    if role == "float":
        return torch.randn(shape, generator=generator)
    whole = torch.randint(0, min(3, *shape) if len(shape) > 1 else 2, shape, generator=generator)
    return whole if role == "long" else whole.int()


def boxes(generator, with_image):
    """Four boxes (x1, y1, x2, y2) in an image of 8 by 8; with the image's number before them, or a score behind."""
    corner = torch.rand(4, 2, generator=generator) * 3
    size = 1 + torch.rand(4, 2, generator=generator) * 3
    number, score = torch.tensor([[0.0], [1.0], [0.0], [1.0]]), torch.rand(4, 1, generator=generator)
    parts = [number, corner, corner + size] if with_image else [corner, corner + size, score]
    return torch.cat(parts, 1)
