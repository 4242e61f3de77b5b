"""torchthaw/modernize/replacement_table.py: operators that old projects brought, and what has them today."""

from typing import NamedTuple


class Replacement(NamedTuple):
    """What PyTorch or torchvision has today for an operator of old projects.

    names: a regular expression for the whole name of a Function, a C function or an extension, as ``plain`` gives it.
    call: an expression that replaces it; "" where nothing does. note: what is different about it, or why nothing does.
    """

    what: str
    names: str
    call: str = ""
    note: str = ""


ROIS = "boxes are rows (image, x1, y1, x2, y2)"
PIXELS = "old versions count pixels, the width is x2 - x1 + 1, and give other numbers"
NONE = "neither PyTorch nor torchvision has it; keep the C code"

# The first row that fits a name counts.
TABLE = [
    # Regions and boxes
    Replacement(
        "position-sensitive RoI align", r"psroialign(pool)?",
        "torchvision.ops.ps_roi_align(input, boxes, output_size, spatial_scale, sampling_ratio)", ROIS,
    ),
    Replacement(
        "position-sensitive RoI pooling", r"psroi(pool)?",
        "torchvision.ops.ps_roi_pool(input, boxes, output_size, spatial_scale)", ROIS,
    ),
    Replacement(
        "deformable RoI pooling", r"(modulated)?deform(able)?(ps)?roipool|dcnv2pool",
        note="torchvision has no offsets for RoIs; it has roi_align and deform_conv2d",
    ),
    Replacement(
        "rotated RoI align or pooling", r"(rroi|rotatedroi|roi(align|pool)?rotated)(align|pool)?",
        note="torchvision's boxes have no angle",
    ),
    Replacement(
        "RoI align", r"roialign(ment)?(avg|max)?(pool)?|roialign2d",
        "torchvision.ops.roi_align(input, boxes, output_size, spatial_scale, sampling_ratio, aligned=False)",
        f"{ROIS}; versions that sample corners and pool them afterwards give other numbers",
    ),
    Replacement(
        "crop and resize", r"crop(and)?resize",
        "torchvision.ops.roi_align(input, boxes, output_size, sampling_ratio=1, aligned=True)",
        "boxes of crop and resize are (y1, x1, y2, x2) from 0 to 1, corners aligned: convert them, compare the numbers",
    ),
    Replacement(
        "RoI pooling", r"(fast|faster)?roipool(2d)?",
        "torchvision.ops.roi_pool(input, boxes, output_size, spatial_scale)", ROIS,
    ),
    Replacement(
        "soft non-maximum suppression", r"softnms",
        note="torchvision.ops.nms removes boxes and leaves scores as they are",
    ),
    Replacement(
        "rotated non-maximum suppression", r"(r|rotate|rotated|poly|polygon)nms|nmsrotated",
        note="torchvision's boxes have no angle",
    ),
    Replacement(
        "non-maximum suppression", r"(c|torch|rcnn)?nms(overlap)?",
        "torchvision.ops.nms(boxes, scores, iou_threshold)",
        f"old versions take rows (x1, y1, x2, y2, score); {PIXELS}",
    ),
    Replacement(
        "overlap of boxes", r"b?box(es)?(overlaps?|iou)|pairwiseiou",
        "torchvision.ops.box_iou(boxes1, boxes2)", PIXELS,
    ),
    # Convolution and windows
    Replacement(
        "modulated deformable convolution", r"modulateddeform(able)?(conv(olution)?(2d)?)?|dcnv2(conv)?",
        "torchvision.ops.deform_conv2d(input, offset, weight, bias, stride, padding, dilation, mask)",
        "mask is what the old one multiplies with, after the sigmoid",
    ),
    Replacement(
        "deformable convolution", r"deform(able|ed)?conv(olution)?(2d)?|dcn(v1)?",
        "torchvision.ops.deform_conv2d(input, offset, weight, bias, stride, padding, dilation)",
    ),
    Replacement(
        "columns of windows", r"(im|img|image)2col|unfold(2d)?",
        "torch.nn.functional.unfold(input, kernel_size, dilation, padding, stride)",
    ),
    Replacement(
        "sum of columns into an image", r"col2(im|img|image)|fold(2d)?",
        "torch.nn.functional.fold(input, output_size, kernel_size, dilation, padding, stride)",
    ),
    Replacement(
        "max pooling", r"maxpool(2d)?",
        "torch.nn.functional.max_pool2d(input, kernel_size, stride, return_indices=True)",
    ),
    Replacement(
        "max unpooling", r"maxunpool(2d)?", "torch.nn.functional.max_unpool2d(input, indices, kernel_size, stride)",
        "indices are those of max_pool2d: positions in a plane",
    ),
    Replacement(
        "correlation of two feature maps", r"corr(elation)?(1d|2d)?|spatialcorrelation(sampler)?", note=NONE,
    ),
    # Sampling
    Replacement(
        "bilinear sampling on a grid",
        r"bilinearsampl(er|ing)(bhwd|bchw)?|gridsampl(er?|ing)(2d)?|stn|stnm|spatialtransformer|roicrop",
        'torch.nn.functional.grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=True)',
        "grid is (batch, height, width, 2) with x before y, from -1 to 1; some old ones have y first, or channels last",
    ),
    Replacement(
        "affine grid", r"affinegrid(gen|generator)?(bhwd|bchw|v2)?",
        "torch.nn.functional.affine_grid(theta, size, align_corners=True)",
    ),
    Replacement(
        "warping by optical flow", r"(flow|image|backward)?warp(ing)?(2d)?|resample2d",
        'torch.nn.functional.grid_sample(input, grid, mode="bilinear", padding_mode="border", align_corners=True)',
        "grid is each pixel's position plus its flow, scaled to -1 .. 1, x before y",
    ),
    Replacement(
        "pixel shuffle", r"pixelshuffle|depthtospace", "torch.nn.functional.pixel_shuffle(input, upscale_factor)",
    ),
    Replacement(
        "reorganization of pixels into channels", r"reorg|spacetodepth",
        "torch.nn.functional.pixel_unshuffle(input, downscale_factor)",
        "the channels may come in another order: compare the numbers",
    ),
    Replacement(
        "channel shuffle", r"channelshuffle|shufflechannels?", "torch.nn.functional.channel_shuffle(input, groups)",
    ),
    # Losses
    Replacement(
        "CTC loss", r"(warp)?ctc(loss)?",
        'torch.nn.functional.ctc_loss(input.log_softmax(2), targets, input_lengths, target_lengths, reduction="sum")',
        "the old one takes activations before the softmax",
    ),
    Replacement(
        "RNN transducer loss", r"(warp)?(rnnt|transducer)(loss)?",
        "torchaudio.functional.rnnt_loss(logits, targets, logit_lengths, target_lengths)",
    ),
    Replacement(
        "focal loss of sigmoids", r"sigmoidfocal(loss)?",
        "torchvision.ops.sigmoid_focal_loss(inputs, targets, alpha, gamma)",
        "targets are 0 or 1 for each class, not the class's number",
    ),
    Replacement("focal loss of the softmax", r"softmaxfocal(loss)?", note="torchvision has that of sigmoids"),
    # Normalization and activations
    Replacement(
        "group normalization", r"groupnorm(alization)?(2d)?",
        "torch.nn.functional.group_norm(input, num_groups, weight, bias, eps)",
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
        "batch normalization over several GPUs", r"(sync|synchronized|inplace)(a?bn|batchnorm)(sync)?(2d)?",
        "torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)",
        "it runs with one process per GPU, and does no activation",
    ),
    Replacement("SiLU, or swish", r"swish|silu", "torch.nn.functional.silu(input)"),
    Replacement("Mish", r"mish", "torch.nn.functional.mish(input)"),
    # Points
    Replacement("furthest point sampling", r"(furthest|farthest)(point)?(sample|sampling)|fps", note=NONE),
    Replacement("ball query", r"(ball|query)(point|query)", note=NONE),
    Replacement(
        "nearest neighbours", r"knn(search|query)?|knearest(neighbou?rs?)?",
        "torch.cdist(query, reference).topk(k, largest=False)",
        "positions count from 0; all distances are in memory at once",
    ),
    Replacement(
        "Chamfer distance", r"chamfer(distance|dist|loss)?|nnd(istance)?",
        "(torch.cdist(a, b).min(2), torch.cdist(a, b).min(1))", "square the distances where the old one does",
    ),
    Replacement(
        "selection of points", r"gather(ing)?(points?|operation)?",
        "torch.gather(features, 2, index[:, None].expand(-1, features.size(1), -1))",
    ),
    # Elements
    Replacement("sum of two tensors", r"add", "torch.add(input, other)"),
    Replacement(
        "reduction into positions", r"scatter(add|mean|max|min)?",
        "torch.scatter_reduce(input, dim, index, src, reduce)",
        "index has the shape of src: expand it",
    ),
    Replacement("sums of embeddings", r"embeddingbag", "torch.nn.functional.embedding_bag(input, weight, offsets)"),
]  # fmt: skip
