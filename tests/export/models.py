"""tests/export/models.py: makes ONNX models of single operators, or runs them; in processes with the packages of a host.

    python models.py make CASES.json FOLDER        FOLDER/<case>.onnx; needs onnx
    python models.py serve LIBRARY CASES.json FOLDER   reads FOLDER/<case>.npz, writes FOLDER/<case>.out.npz and report.json

A case is {"domain", "operator", "inputs": [[name or "", dtype, shape]], "outputs": [name or ""], "attributes", "dtypes"}.
Arrays of 16 bits are float32 outside of the model. Neither needs PyTorch.
"""

import json
import sys
from pathlib import Path

import numpy

HALVES = ("float16", "bfloat16")
TYPES = {"float32": 1, "float64": 11, "float16": 10, "bfloat16": 16, "bool": 9, "int8": 3, "int16": 5, "int32": 6, "int64": 7,
         "uint8": 2, "uint16": 4, "uint32": 12, "uint64": 13}  # fmt: skip


def make(cases, folder):
    import onnx
    from onnx import helper

    for name, case in cases.items():
        nodes, inputs, words = [], [], []
        for word, dtype, shape in case["inputs"]:
            words.append(word)
            if not word:
                continue
            inputs.append(helper.make_tensor_value_info(word, TYPES["float32" if dtype in HALVES else dtype], shape))
            if dtype in HALVES:
                words[-1] = f"{word}_16"
                nodes.append(helper.make_node("Cast", [word], [words[-1]], to=TYPES[dtype]))
        attributes = {}
        for word, value in case["attributes"].items():
            if isinstance(value, float):
                value = {"type": "float64", "shape": [], "values": [value]}
            if isinstance(value, dict):
                value = helper.make_tensor(word, TYPES[value["type"]], value["shape"], value["values"])
            attributes[word] = value
        given, outputs = [], []
        for word, dtype in zip(case["outputs"], case["dtypes"]):
            given.append(f"{word}_16" if word and dtype in HALVES else word)
            if word:
                outputs.append(
                    helper.make_tensor_value_info(word, TYPES["float32" if dtype in HALVES else dtype], None)
                )
        nodes.append(helper.make_node(case["operator"], words, given, domain=case["domain"], **attributes))
        nodes += [
            helper.make_node("Cast", [f"{word}_16"], [word], to=TYPES["float32"])
            for word, dtype in zip(case["outputs"], case["dtypes"]) if word and dtype in HALVES
        ]  # fmt: skip
        nodes += [helper.make_node(op, words, [out]) for op, words, out in case.get("then", [])]
        outputs += [helper.make_tensor_value_info(out, TYPES["float32"], None) for _, _, out in case.get("then", [])]
        graph = helper.make_graph(nodes, name, inputs, outputs)
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid(case["domain"], 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), folder / f"{name}.onnx")


def serve(library, cases, folder):
    import onnxruntime

    assert "torch" not in sys.modules
    report = {"version": onnxruntime.__version__}
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.register_custom_ops_library(library)
    for name in cases:
        try:
            session = onnxruntime.InferenceSession(folder / f"{name}.onnx", options)
            found = report[name] = {"shapes": {each.name: each.shape for each in session.get_outputs()}}
            given = dict(numpy.load(folder / f"{name}.npz"))
            outputs = session.run(None, given)
            numpy.savez(folder / f"{name}.out.npz", **dict(zip(found["shapes"], outputs)))
        except Exception as error:
            report[name] = {"error": f"{type(error).__name__}: {error}"}
    (folder / "report.json").write_text(json.dumps(report))


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    *library, path, folder = rest
    {"make": make, "serve": serve}[what](*library, json.loads(Path(path).read_text()), Path(folder))
