"""examples/digits/serve.py: serves the model of to_onnx.py in ONNX Runtime, in a process without PyTorch.

    python examples/digits/serve.py FOLDER

FOLDER has model.onnx, digits.npz and libmy_lib_onnx.so.
"""

import sys
from pathlib import Path

import numpy
import onnxruntime

folder = Path(sys.argv[1])
options = onnxruntime.SessionOptions()
options.register_custom_ops_library(str(folder / "libmy_lib_onnx.so"))
session = onnxruntime.InferenceSession(folder / "model.onnx", options)

digits = numpy.load(folder / "digits.npz")
images, labels = digits["images"], digits["labels"]
for batch in (1, 100, len(images)):
    parts = [images[start : start + batch] for start in range(0, len(images), batch)]
    scores = numpy.concatenate([session.run(["scores"], {"images": part})[0] for part in parts])
    predictions = scores.argmax(1)
    print(f"batches of {batch}: {(predictions == digits['predictions']).sum()} of {len(labels)} as in PyTorch")
right = "more" if (predictions == labels).mean() > 0.9 else "fewer"
print(f"right: {right} than 9 of 10; PyTorch is {'' if 'torch' in sys.modules else 'not '}loaded")
