"""torchthaw/legacy/modernize/replacements.py: what PyTorch and torchvision have today of what old projects brought."""

import re
from typing import NamedTuple

from ...build import prototypes
from .remarks import Remark


class Replacement(NamedTuple):
    """What stands for an operator of old projects today.

    names: a regular expression for the whole name of a Function, a C function or an extension, as ``plain`` has it.
    call: what replaces it; "" where there is nothing. note: what is different about it, or why there is nothing.
    """

    what: str
    names: str
    call: str
    note: str = ""


ROIS = "boxes: rows (image, x1, y1, x2, y2)"

# The first row that fits a name counts.
TABLE = [
    Replacement(
        "position-sensitive RoI align", r"psroialign(pool)?",
        "torchvision.ops.ps_roi_align(input, boxes, output_size, spatial_scale, sampling_ratio)", ROIS,
    ),
    Replacement(
        "position-sensitive RoI pooling", r"ps(roi|crop)?(roi)?pool",
        "torchvision.ops.ps_roi_pool(input, boxes, output_size, spatial_scale)", ROIS,
    ),
    Replacement(
        "deformable RoI pooling", r"(deform|deformable|modulateddeform)(ps)?(roi|psroi)pool", "",
        "torchvision has no offsets for RoIs; deform_conv2d and roi_align are the parts that it has",
    ),
    Replacement(
        "rotated RoI align", r"(rroi|rotatedroi|roirotated|rotateroi)(align|pool)", "",
        "torchvision's boxes have no angle",
    ),
    Replacement(
        "RoI align", r"c?roialign(avg|max)?(pool)?|roialign2d",
        "torchvision.ops.roi_align(input, boxes, output_size, spatial_scale, sampling_ratio, aligned=False)",
        f"{ROIS}; versions that sample one point per corner, and pool, give other numbers",
    ),
    Replacement(
        "crop and resize", r"crop(and)?resize",
        "torchvision.ops.roi_align(input, boxes, output_size, sampling_ratio=1, aligned=True)",
        "boxes of crop and resize are normalized, (y1, x1, y2, x2), and aligned at corners: compare the numbers",
    ),
    Replacement(
        "RoI pooling", r"roipool|roipool2d|fastroipool",
        "torchvision.ops.roi_pool(input, boxes, output_size, spatial_scale)", ROIS,
    ),
    Replacement(
        "soft non-maximum suppression", r"(cpu|gpu|cython)?softnms(cpu|gpu|cython)?", "",
        "torchvision.ops.nms removes boxes; it does not lower their scores",
    ),
    Replacement(
        "rotated non-maximum suppression", r"(r|rotate|rotated|poly)nms|nmsrotated", "",
        "torchvision.ops.nms takes boxes without an angle",
    ),
    Replacement(
        "non-maximum suppression", r"nms|nmsnms|cnms|rnnnms|nmskernel|nmswrapper|(cpu|gpu|torch)nms|nmsapply|nmsoverlap",
        "torchvision.ops.nms(boxes, scores, iou_threshold)",
        "old versions take rows (x1, y1, x2, y2, score) and count pixels: width is x2 - x1 + 1",
    ),
    Replacement(
        "overlap of boxes", r"(bbox|box)(overlap|overlaps|iou)|(pairwise)?iou",
        "torchvision.ops.box_iou(boxes1, boxes2)", "old versions often count pixels: width is x2 - x1 + 1",
    ),
    Replacement(
        "modulated deformable convolution",
        r"(modulateddeform|modulateddeformable|mdeform|dcnv2)(conv|conv2d|convolution)?|dcnv2(conv|pool)?",
        "torchvision.ops.deform_conv2d(input, offset, weight, bias, stride, padding, dilation, mask)",
        "mask is what the old one multiplies with, after the sigmoid",
    ),
    Replacement(
        "deformable convolution", r"deform(able|ed)?(conv|conv2d|convolution)(2d)?(input|parameters)?|dcn(v1)?",
        "torchvision.ops.deform_conv2d(input, offset, weight, bias, stride, padding, dilation)",
    ),
    Replacement(
        "bilinear sampling on a grid",
        r"(bilinear|grid|stn|spatialtransform(er)?|bilinearsampler?|bhwd|bchw)*(sampler?|sampling|samplerbhwd|samplerbchw|stn)",
        'torch.nn.functional.grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=True)',
        "grid: (batch, height, width, 2), x before y, from -1 to 1; old ones have (y, x) or channels last at times",
    ),
    Replacement(
        "affine grid", r"affinegrid(gen|generator)?(bhwd|bchw|v2)?",
        "torch.nn.functional.affine_grid(theta, size, align_corners=True)",
    ),
    Replacement(
        "warping by optical flow", r"(backward|flow|image|bilinear)?warp(ing|ed)?(2d)?|resample2d",
        'torch.nn.functional.grid_sample(input, grid, mode="bilinear", padding_mode="border", align_corners=True)',
        "grid: each pixel's place plus its flow, scaled to -1 .. 1",
    ),
    Replacement(
        "columns of windows", r"(im2col|unfold|img2col)(2d)?",
        "torch.nn.functional.unfold(input, kernel_size, dilation, padding, stride)",
    ),
    Replacement(
        "sum of windows", r"(col2im|fold|col2img)(2d)?",
        "torch.nn.functional.fold(input, output_size, kernel_size, dilation, padding, stride)",
    ),
    Replacement(
        "CTC loss", r"(warp)?ctc(loss)?(cpu|gpu)?|(cpu|gpu)ctc|warpctc",
        "torch.nn.functional.ctc_loss(input.log_softmax(2), targets, input_lengths, target_lengths)",
        "the old one takes activations before the softmax, and sums over the batch: reduction=\"sum\"",
    ),
    Replacement(
        "RNN transducer loss", r"(warp)?(rnnt|transducer)(loss)?(cpu|gpu)?|warprnnt",
        "torchaudio.functional.rnnt_loss(logits, targets, logit_lengths, target_lengths)",
    ),
    Replacement(
        "group normalization", r"groupnorm(alization)?(2d)?", "torch.nn.functional.group_norm(input, num_groups, weight, bias, eps)",
    ),
    Replacement(
        "instance normalization", r"instancenorm(alization)?(2d)?",
        "torch.nn.functional.instance_norm(input, weight=weight, bias=bias, eps=eps)",
    ),
    Replacement(
        "layer normalization", r"layernorm(alization)?",
        "torch.nn.functional.layer_norm(input, normalized_shape, weight, bias, eps)",
    ),
    Replacement(
        "batch normalization over several GPUs", r"(sync|synchronized|inplace)(abn|bn|batchnorm)(alization)?(2d)?(sync)?|inplaceabn(sync)?|syncbn",
        "torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)",
        "one process per GPU; the activation that in-place versions compute as well stays a call of its own",
    ),
    Replacement(
        "correlation of two feature maps", r"(c|cuda)?corr(elation)?(1d|2d)?|correlation(cuda|1dcuda)",
        "", "neither PyTorch nor torchvision has it; keep the C code",
    ),
    Replacement(
        "focal loss of sigmoids", r"sigmoidfocal(loss)?|focal(loss)?(sigmoid)?|sigmoidfocalloss",
        "torchvision.ops.sigmoid_focal_loss(inputs, targets, alpha, gamma)", "targets are of one value per class, 0 or 1",
    ),
    Replacement(
        "focal loss of softmax", r"softmaxfocal(loss)?|focal(loss)?softmax", "",
        "torchvision has that of sigmoids only",
    ),
    Replacement(
        "furthest point sampling", r"(furthest|farthest)(point)?(sample|sampling)", "",
        "neither PyTorch nor torchvision has it; keep the C code",
    ),
    Replacement(
        "nearest neighbours", r"knn(search)?|knearest(neighbou?rs?)?",
        "torch.cdist(query, reference).topk(k, largest=False)", "all distances are in memory at once; positions count from 0",
    ),
    Replacement(
        "Chamfer distance", r"(chamfer|nnd|nndistance|nmdistance|cd)(distance|dist|loss)?|chamfer(distance|dist)?",
        "torch.cdist(a, b).min(2), torch.cdist(a, b).min(1)", "square the distances where the old one does",
    ),
    Replacement(
        "selection of rows", r"(gather|group)(ing)?(points?|operation)?|pointsgather",
        "torch.gather(features, 2, index.unsqueeze(1).expand(-1, features.size(1), -1))",
    ),
    Replacement(
        "pixel shuffle", r"(pixel)shuffle|depthtospace", "torch.nn.functional.pixel_shuffle(input, upscale_factor)",
    ),
    Replacement("reorganization of pixels", r"reorg(layer)?", "torch.nn.functional.pixel_unshuffle(input, downscale_factor)",
                "the channels come in another order: compare the numbers"),
    Replacement("channel shuffle", r"channelshuffle|shufflechannel", "torch.nn.functional.channel_shuffle(input, groups)"),
    Replacement(
        "max unpooling", r"(max)?unpool(ing)?(2d)?|maxunpool(2d)?",
        "torch.nn.functional.max_unpool2d(input, indices, kernel_size, stride)", "indices: as max_pool2d gives them",
    ),
    Replacement(
        "max pooling", r"maxpool(2d)?", "torch.nn.functional.max_pool2d(input, kernel_size, stride, return_indices=True)",
    ),
    Replacement("sum of two tensors", r"(my)?(static)?(lib)?add", "torch.add(input, other)"),
    Replacement("embedding of bags", r"embeddingbag", "torch.nn.functional.embedding_bag(input, weight, offsets)"),
    Replacement("swish", r"swish|silu", "torch.nn.functional.silu(input)"),
    Replacement("mish", r"mish", "torch.nn.functional.mish(input)"),
    Replacement(
        "quasi-recurrent or simple recurrent unit", r"(forget|)(mult|sru|qrnn)(compute)?(gpu)?", "",
        "PyTorch has no such layer; torch.compile fuses the loop over time",
    ),
    Replacement(
        "tree or segmentation by scatter", r"scatter(add|mean|max|min)?", "torch.scatter_reduce(input, dim, index, src, reduce)",
    ),
]  # fmt: skip

# Words of a name that say nothing about what is computed.
WORDS = r"function|fun|layer|module|forward|backward|updateoutput|updategradinput|accgradparameters|launcher|wrapper|laucher|apply"
WORDS += r"|cuda|cpu|gpu|float|double|ext|op|lib|kernel|my|static"


def plain(name):
    """``ROIPooling_forward_cuda`` as ``roipool``: small letters only, without words that many names have."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower().split("_")
    kept = [word for word in words if word and not re.fullmatch(WORDS, word)]
    return re.sub(r"pooling$", "pool", "".join(kept))
