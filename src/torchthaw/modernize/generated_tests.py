"""torchthaw/modernize/generated_tests.py: writes tests of the new project's Functions, with inputs that work."""

from ..base.writing import write as write_file
from .remarks import Remark
from .trials import survey

HEAD = '''"""tests/{file}: {what} of {name}."""
# Written by python -m torchthaw modernize.

from pathlib import Path

{imports}
from {module} import {name}

# {origin}
RECORDED = torch.load(Path(__file__).with_name("recorded") / "{key}.pt", weights_only=True)
'''

GRADIENTS = '''

def test_gradients():
    """Backward is the derivative of forward{precision}."""
    assert torch.autograd.gradcheck({call}, RECORDED["gradcheck"], eps={eps}, atol={atol}, rtol={rtol})
'''

OPERATORS = '''

@pytest.mark.parametrize("operator", RECORDED["opchecks"])
def test_operator(operator):
    """{operator}, as an operator of PyTorch."""
    namespace, name, overload = operator.split(".")
    operator_of_c = getattr(getattr(getattr(torch.ops, namespace), name), overload)
    torch.library.opcheck(operator_of_c, tuple(RECORDED["opchecks"][operator]))
'''

VALUES = '''

@pytest.mark.parametrize("case", RECORDED["cases"])
def test_recorded_values(case):
    """Outputs and gradients are those that the old project gave."""
    arguments = [each.clone() if torch.is_tensor(each) else each for each in case["arguments"]]
    outputs = {call}(*arguments)
    outputs = list(outputs) if isinstance(outputs, tuple) else [outputs]
    torch.testing.assert_close(outputs, case["outputs"], rtol=1e-4, atol=1e-5)
    if case["gradients"]:
        inputs = [each for each in case["arguments"] if torch.is_tensor(each) and each.requires_grad]
        used = [each for each in outputs if torch.is_tensor(each) and each.requires_grad]
        gradients = torch.autograd.grad(used, inputs, case["weights"])
        torch.testing.assert_close(list(gradients), case["gradients"], rtol=1e-4, atol=1e-5)
'''

VALUES_OF_C = '''

@pytest.mark.parametrize("case", RECORDED["cases"])
def test_recorded_values(case):
    """The result, and the tensors as C leaves them, are those that the old project gave."""
    arguments = [each.clone() if torch.is_tensor(each) else each for each in case["arguments"]]
    result = {name}(*arguments)
    tensors = [each for each in arguments if torch.is_tensor(each)]
    torch.testing.assert_close([result, *tensors], case["outputs"], rtol=1e-4, atol=1e-5)
'''

ORIGINS = {
    True: "Inputs that the project's scripts call it with, and random ones of the same shapes.",
    False: "Inputs that were found by trying: replace them where others say more.",
}


def write(result):
    """Writes ``tests/test_<function>.py`` and its inputs into the new project; returns Remarks.

    A Function gets a test if arguments are found that it works with, and it passes gradcheck or opcheck with them. Why
    it gets none, or none of the gradient, is a Remark.
    """
    found = survey.survey(result)
    places = {(each.module, each.name): (each.path, each.line) for each in result.functions}
    build_file = result.build_files[0] if result.build_files else ""
    remarks = [Remark(build_file, 0, "new-build", found.error, "look")] if found.error and not found.rows else []
    for target, row in found.rows.items():
        place = places.get((target.module, target.name), (build_file, 0))
        if row is None:
            remarks.append(_look(place, f"{target.name} has no test: {found.error}"))
            continue
        if row["gradcheck"] or row["opchecks"]:
            _write(result, target, row, [])
        remarks += [_look(place, message) for message in _missing(target, row)]
        for name, why in row["refused"]:
            message = f"{name}: torch.library.opcheck refuses its operator: {why}"
            remarks.append(Remark(*place, "operator", message, "hint"))
        if row["cases"] and not row["recorded"]:
            message = f"{target.name}: no script calls it; the inputs in its test, {_shapes(row)}, were found by trying"
            remarks.append(Remark(*place, "chosen-inputs", message, "hint"))
    return remarks


def _look(place, message):
    return Remark(*place, "generated-test", message, "look")


def _missing(target, row):
    """What the test of a Target lacks, and why."""
    if not row["cases"]:
        yield (f"{target.name} has no test: {survey.why_no_cases(target, row)}; write "
               f"tests/test_{target.key}.py, with {target.name}{'' if target.is_c else '.apply'}")  # fmt: skip
    elif not target.is_c and not row["gradcheck"]:
        yield f"{target.name} has no gradcheck with {_shapes(row)}: {row['why']}"


def _shapes(row):
    """The arguments of the first case, as text."""
    from .trials import calling  # imports PyTorch

    return calling.text(row["cases"][0])


def record(result, target, row, values):
    """Adds to a Target's test what the old project gave. values: a dict of ``calling.result_of`` for each case."""
    cases = []
    for arguments, value in zip(row["cases"], values):
        gradients = value["gradients"] or []
        for argument, gradient in zip(arguments, gradients):
            if gradient is not None:
                argument.requires_grad_()
        case = {"arguments": arguments, "outputs": value["outputs"], "weights": value["weights"]}
        cases.append({**case, "gradients": [each for each in gradients if each is not None]})
    _write(result, target, row, cases)


def _write(result, target, row, cases):
    """Writes the test of a Target and the file of its inputs, anew where it was written before."""
    import torch  # the command line does without it

    folder = result.folder / "tests"
    if "file" not in row:
        row["file"] = f"test_{target.key}.py"
        if (folder / row["file"]).exists():  # the project's own
            row["file"] = f"test_{target.key}_generated.py"
    (folder / "recorded").mkdir(parents=True, exist_ok=True)
    recorded = {"cases": cases, "opchecks": row["opchecks"]}
    if row["gradcheck"]:
        recorded["gradcheck"] = tuple(row["gradcheck"]["arguments"])
    torch.save(recorded, folder / "recorded" / f"{target.key}.pt")
    write_file(folder / row["file"], _text(target, row, cases))


def _text(target, row, cases):
    """The text of a test file. cases: the recorded values; without them only what the Function must fulfil anyway."""
    parts = {"gradients": row["gradcheck"], "operators": row["opchecks"], "recorded values": cases}
    names = [name for name, part in parts.items() if part]
    settings = row["gradcheck"]["settings"] if row["gradcheck"] else {}
    is_float = settings.get("dtype") == "float32"
    fields = {
        "file": row["file"], "key": target.key, "module": target.module, "name": target.name,
        "call": target.name if target.is_c else f"{target.name}.apply",
        "what": ", ".join(names),
        "operator": "It" if target.is_c else "A C function that it calls",
        "imports": "import pytest\nimport torch" if row["opchecks"] or cases else "import torch",
        "origin": ORIGINS[row["recorded"]],
        "precision": ", as far as float32 tells: the Function does not work with float64" if is_float else "",
    }  # fmt: skip
    sections = [HEAD, GRADIENTS if row["gradcheck"] else "", OPERATORS if row["opchecks"] else ""]
    sections.append((VALUES_OF_C if target.is_c else VALUES) if cases else "")
    return "".join(sections).format(**fields, **settings)
