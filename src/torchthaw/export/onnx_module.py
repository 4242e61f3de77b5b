"""torchthaw/export/onnx_module.py: what the generated Python module has besides the data of a header."""

from typing import Any

DOMAIN, OPERATORS, COMPOSED = "", dict[str, Any](), dict[str, Any]()  # the header's, above the line below

# ---- The same for every header --------------------------------------------------------------------------------------

DTYPES = {
    "float32": "float", "float64": "double", "float16": "float16", "bfloat16": "bfloat16", "complex64": "complex64",
    "complex128": "complex128", "bool": "bool",
    **{f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}  # fmt: skip


def schemas():
    """An onnx.defs.OpSchema for each operator."""
    from onnx.defs import OpSchema

    kinds = {"int": OpSchema.AttrType.INT, "ints": OpSchema.AttrType.INTS, "float64": OpSchema.AttrType.TENSOR}
    made = []
    for name, row in OPERATORS.items():
        constraints = {}  # dtypes, one for each variant -> name of the type

        def parameter(each):
            word, dtypes, is_optional = each
            if len({*dtypes}) == 1:
                type = f"tensor({DTYPES[dtypes[0]]})"
            else:
                type = constraints.setdefault(dtypes, f"T{len(constraints)}")
            option = OpSchema.FormalParameterOption.Optional if is_optional else OpSchema.FormalParameterOption.Single
            return OpSchema.FormalParameter(word, type, param_option=option)

        inputs, outputs = ([parameter(each) for each in row[key]] for key in ("inputs", "outputs"))
        made.append(OpSchema(
            name, DOMAIN, 1, doc=row["doc"], inputs=inputs, outputs=outputs,
            attributes=[OpSchema.Attribute(word, kinds[kind], required=True) for word, kind in row["attributes"]],
            type_constraints=[(type, [f"tensor({DTYPES[each]})" for each in dtypes], "")
                              for dtypes, type in constraints.items()],
        ))  # fmt: skip
    return made


def register():
    """Makes the schemas known to the package onnx; again is nothing."""
    from onnx import defs

    for schema in schemas():
        if not defs.has(schema.name, 1, DOMAIN):
            defs.register_schema(schema)


def translations():
    """For ``torch.onnx.export(custom_translation_table=...)``: {operator of torch.ops: a function that makes the node}.

    Registers the schemas. The extension with the operators is loaded before.
    """
    import torch

    register()
    namespace, made = getattr(torch.ops, DOMAIN), {}
    for name, row in OPERATORS.items():
        made[getattr(namespace, name).default] = _node(name, [(word, None) for word, _, _ in row["outputs"]])
    for name, (forward, results, read) in COMPOSED.items():
        packet = getattr(namespace, name)
        made[packet.default] = _node(forward, results)
        if "outputs" in packet.overloads():  # before a program is decomposed, it also gives what backward would read
            others = [(word, None) for word in [*read, *(word for word, _ in results)]]
            made[packet.outputs] = _node(forward, [*results, *others][: len(packet.outputs._schema.returns)])
    return made


def _node(name, results):
    """What makes a node of an operator, and gives the results (output, None or the number of an entry)."""
    row = OPERATORS[name]
    arrays = {word for word, _, _ in row["inputs"]}
    names = [word for word, _, _ in row["outputs"]]
    kinds = dict(row["attributes"])

    def make(*arguments):
        import numpy
        from onnx import numpy_helper
        from onnxscript import opset18
        from onnxscript.values import Opset

        inputs, attributes = [], {}
        for word, value in zip(row["order"], [*arguments, *[None] * (len(row["order"]) - len(arguments))]):
            if word in arrays:
                inputs.append(value)
            elif kinds[word] == "float64":
                attributes[word] = numpy_helper.from_array(numpy.array(value, numpy.float64))
            else:
                attributes[word] = [*value] if kinds[word] == "ints" else int(value)
        while inputs and inputs[-1] is None:
            inputs.pop()
        outputs = getattr(Opset(DOMAIN, 1), name)(*inputs, **attributes, _outputs=len(names))
        outputs = dict(zip(names, outputs if len(names) > 1 else [outputs]))
        found = tuple(
            outputs[word] if index is None else opset18.Gather(outputs[word], opset18.Constant(value_int=index), axis=0)
            for word, index in results
        )
        return found if len(found) > 1 else found[0]

    return make
