# tests/legacy/modernize/test_modernize_replacements.py: the table of what has the old operators today, and the hints.
import importlib.util
import inspect

import pytest
import torch

from support.legacy_project import files
from torchthaw.modernize.remarks import FunctionClass
from torchthaw.modernize.replacements import TABLE, find, functions_of_tensors, hints
from torchthaw.modernize.result import Result

# Names as projects have them -> what they are in the table.
NAMES = {
    "roi_align_forward_cuda": "RoI align", "RoIAlignFunction": "RoI align", "RoIAlignAvg": "RoI align",
    "ROIPoolingFunction": "RoI pooling", "roi_pooling_backward_cuda": "RoI pooling", "RoIPoolFunction": "RoI pooling",
    "_RoIPooling": "RoI pooling", "psroi_pooling_forward_cuda": "position-sensitive RoI pooling",
    "PSRoIAlignFunction": "position-sensitive RoI align", "crop_and_resize_gpu_forward": "crop and resize",
    "CropAndResizeFunction": "crop and resize", "deform_psroi_pooling_cuda_forward": "deformable RoI pooling",
    "gpu_nms": "non-maximum suppression", "cpu_nms": "non-maximum suppression", "nms_cuda": "non-maximum suppression",
    "cpu_soft_nms": "soft non-maximum suppression", "bbox_overlaps": "overlap of boxes",
    "deform_conv_backward_parameters_cuda": "deformable convolution", "DeformConvFunction": "deformable convolution",
    "modulated_deform_conv_cuda_forward": "modulated deformable convolution",
    "DCNv2Function": "modulated deformable convolution", "dcn_v2_cuda_forward": "modulated deformable convolution",
    "BilinearSamplerBHWD_updateOutput_cuda": "bilinear sampling on a grid",
    "RoICropFunction": "bilinear sampling on a grid",
    "STNFunction": "bilinear sampling on a grid", "AffineGridGenFunction": "affine grid",
    "Resample2dFunction": "warping by optical flow", "cpu_ctc": "CTC loss", "gpu_ctc": "CTC loss", "_CTC": "CTC loss",
    "warp_ctc": "CTC loss", "warp_rnnt": "RNN transducer loss", "GroupNormFunction": "group normalization",
    "InPlaceABNSync": "batch normalization over several GPUs",
    "Correlation_forward_cuda": "correlation of two feature maps",
    "CorrelationFunction": "correlation of two feature maps", "SigmoidFocalLossFunction": "focal loss of sigmoids",
    "furthest_point_sampling_wrapper": "furthest point sampling", "gather_points_wrapper": "selection of points",
    "nnd_forward_cuda": "Chamfer distance", "knn_gpu": "nearest neighbours",
    "reorg_cuda": "reorganization of pixels into channels",
    "im2col_cuda": "columns of windows", "MaxPoolFunction": "max pooling", "MaxUnpoolFunction": "max unpooling",
    "my_lib_add_forward": "sum of two tensors", "MyStaticAddFunction": "sum of two tensors",
    "ball_query_wrapper": "ball query",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    found = find(name)
    assert found and found.what == NAMES[name]


@pytest.mark.parametrize("name", ["", "forward", "LSTMFunction", "addmm", "pooling_Float_robust", "correct", "address"])
def test_other_names_mean_nothing(name):
    assert find(name) is None


# What the calls of the table name -> arguments that show that such a call is possible.
BATCH = torch.randn(2, 4, 6, 6)
VALUES = {
    "input": BATCH, "other": BATCH, "kernel_size": 2, "dilation": 1, "padding": 0, "stride": 2, "output_size": (6, 6),
    "grid": torch.zeros(2, 3, 3, 2), "theta": torch.randn(2, 2, 3), "size": (2, 4, 5, 5), "upscale_factor": 2,
    "downscale_factor": 2, "groups": 2, "num_groups": 2, "weight": torch.ones(4), "bias": torch.zeros(4), "eps": 1e-5,
    "normalized_shape": (4,), "model": torch.nn.BatchNorm2d(3), "query": torch.randn(5, 3),
    "reference": torch.randn(7, 3), "k": 2, "a": torch.randn(1, 5, 3), "b": torch.randn(1, 7, 3), "dim": 0,
    "features": torch.randn(2, 3, 8),
    "index": torch.zeros(2, 4, dtype=torch.long), "src": torch.randn(2, 4), "reduce": "sum",
}  # fmt: skip
SPECIAL = {
    "sum of columns into an image": {"input": torch.randn(2, 16, 9)},
    "max unpooling": {"input": BATCH[:, :, :3, :3], "indices": torch.arange(9).view(1, 1, 3, 3).expand(2, 4, 3, 3)},
    "layer normalization": {"input": torch.randn(2, 4)},
    "CTC loss": {"input": torch.randn(6, 2, 4), "targets": torch.ones(2, 3, dtype=torch.long),
                 "input_lengths": torch.tensor([6, 6]), "target_lengths": torch.tensor([3, 2])},
    "reduction into positions": {"input": torch.zeros(2, 4)},
    "sums of embeddings": {"input": torch.tensor([0, 1]), "weight": torch.randn(4, 3), "offsets": torch.tensor([0])},
}  # fmt: skip
OF_PYTORCH = [row for row in TABLE if row.call and not row.call.startswith(("torchvision", "torchaudio"))]


@pytest.mark.parametrize("row", OF_PYTORCH, ids=lambda row: row.what)
def test_calls_of_pytorch_work(row):
    assert eval(row.call, {"torch": torch, **VALUES, **SPECIAL.get(row.what, {})}) is not None


@pytest.mark.skipif(not importlib.util.find_spec("torchvision"), reason="torchvision is not installed")
@pytest.mark.parametrize("row", [row for row in TABLE if row.call.startswith("torchvision")], ids=lambda row: row.what)
def test_calls_of_torchvision_have_its_arguments(row):
    import torchvision.ops

    call, _, arguments = row.call.removeprefix("torchvision.ops.").rstrip(")").partition("(")
    parts = [each.strip() for each in arguments.split(",")]
    keywords = dict(part.split("=") for part in parts if "=" in part)
    positional = [part for part in parts if "=" not in part]
    bound = inspect.signature(getattr(torchvision.ops, call)).bind(*positional, **keywords)
    assert all(name == value or name in keywords for name, value in bound.arguments.items())


def test_rows_without_a_call_say_why():
    assert all(row.call or row.note for row in TABLE) and len({row.what for row in TABLE}) == len(TABLE)


HEADER = """
/* int roi_pooling_forward(THFloatTensor *old); is commented out */
int nms(THLongTensor *keep, THLongTensor *count,
        THFloatTensor *boxes, float threshold);
int add(int a, int b);
extern "C" void im2col(const float *image);
"""


def test_functions_of_headers_that_take_tensors():
    assert list(functions_of_tensors(HEADER)) == ["nms"]


def result(tmp_path, functions=(), extensions=("_ext.lib",)):
    new = tuple(f"lib.{name}" for name in extensions)
    return Result(tmp_path, tmp_path / "new", "lib", new, extensions, ("build.py",), {}, list(functions), [])


def test_hints(tmp_path):
    """One for each operator, at the Function before the C function."""
    files(tmp_path, {"src/nms.h": HEADER, "src/roi.h": "int roi_align_forward(THFloatTensor *x);\n"})
    calls = ("roi_align_forward", "roi_align_backward", "roi_pooling_forward")
    function = FunctionClass("lib.functions.align", "AlignFunction", ("input",), (), calls, "functions/align.py", 9)
    align, pool, nms = hints(result(tmp_path, [function]))
    assert {align.kind, pool.kind, nms.kind} == {"hint"} and align.rule == "replacement"
    assert (align.path, align.line, pool.path, pool.line) == ("functions/align.py", 9) * 2
    assert (nms.path, nms.line) == ("src/nms.h", 3)
    assert nms.message.startswith("nms, non-maximum suppression: torchvision.ops.nms(boxes, scores, iou_threshold)")
    assert "boxes are rows (image, x1, y1, x2, y2)" in align.message


def test_a_hint_for_an_extension_and_one_without_a_replacement(tmp_path):
    (found,) = hints(result(tmp_path, extensions=("_ext.correlation",)))
    assert (found.path, found.line) == ("build.py", 0)
    expected = "correlation, correlation of two feature maps: nothing replaces it; neither PyTorch nor torchvision has"
    assert found.message.startswith(expected)


def test_headers_that_are_no_text_or_not_there(tmp_path):
    (tmp_path / "data.h").write_bytes(b"/* caf\xe9 */ int nms(THFloatTensor *boxes);\n")
    (tmp_path / "gone.h").symlink_to(tmp_path / "nowhere.h")
    (found,) = hints(result(tmp_path))
    assert (found.path, found.line) == ("data.h", 1)
    assert hints(result(tmp_path / "nothing")) == []
