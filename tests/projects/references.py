"""tests/projects/references.py: what layers of the projects compute, in PyTorch's operators; the steps of records import it.

Arrays have the layouts of the projects. All functions but ``kept`` can be differentiated.
"""

import torch
import torch.nn.functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"


def agree(layer, reference, *inputs, atol=1e-4, rtol=1e-4):
    """Asserts that layer, on copies of the inputs on the device, gives the results and gradients of reference on the CPU.

    Gradients are those of the inputs that require them. Results are tensors, or tuples of them.
    """
    there = [tensor.detach().clone().to(device).requires_grad_(tensor.requires_grad) for tensor in inputs]
    here = [tensor.detach().clone().requires_grad_(tensor.requires_grad) for tensor in inputs]
    found, expected = _listed(layer(*there)), _listed(reference(*here))
    assert len(found) == len(expected) and all(tensor.device.type == device for tensor in found)
    if any(tensor.requires_grad for tensor in here):
        grads = [torch.randn(tensor.shape, dtype=tensor.dtype) for tensor in expected]  # contiguous
        torch.autograd.backward(expected, grads)
        torch.autograd.backward(
            found, [grad.clone().to(device).view(tensor.shape) for grad, tensor in zip(grads, found)]
        )
    pairs = [*zip(found, expected), *((a.grad, b.grad) for a, b in zip(there, here) if b.requires_grad)]
    for ours, theirs in pairs:
        torch.testing.assert_close(ours.detach().cpu(), theirs.detach().view(ours.shape), atol=atol, rtol=rtol)


def _listed(given):
    return list(given) if isinstance(given, (tuple, list)) else [given]


def sampled(image, y, x):
    """Bilinear samples of image, (N, C, H, W), at the pixels y and x, (N, …); zero outside: (N, C, …)."""
    height, width = image.shape[-2:]
    grid = torch.stack([x * 2 / (width - 1) - 1, y * 2 / (height - 1) - 1], -1)
    found = F.grid_sample(image, grid.flatten(1, -2)[:, None], align_corners=True)
    return found.view(*image.shape[:2], *y.shape[1:])


def deform_conv(image, offset, mask, weight, bias, padding=1):
    """Modulated deformable convolution with stride 1 and one group.

    image (N, C, H, W); offset (N, 2K, H, W) with y and x of each of the K places of the kernel; mask (N, K, H, W);
    weight (O, C, kernel, kernel); bias (O).
    """
    rows, columns = weight.shape[-2:]
    height, width = offset.shape[-2:]
    place = torch.arange(rows * columns)[:, None, None]
    y = torch.arange(height)[:, None] - padding + place // columns + offset[:, 0::2]
    x = torch.arange(width) - padding + place % columns + offset[:, 1::2]
    patches = sampled(image, y, x) * mask[:, None]
    return torch.einsum("nckhw,ock->nohw", patches, weight.flatten(2)) + bias[:, None, None]


def crops(image, boxes, index, height, width):
    """Samples of image in boxes, (B, 4): y1, x1, y2, x2 as parts of the image; index (B) says of which image."""
    steps = torch.linspace(0, 1, height)[:, None], torch.linspace(0, 1, width)[None]
    y1, x1, y2, x2 = boxes.T[..., None, None]
    y = (y1 + (y2 - y1) * steps[0]) * (image.shape[2] - 1)
    x = (x1 + (x2 - x1) * steps[1]) * (image.shape[3] - 1)
    return sampled(image[index.long()], *torch.broadcast_tensors(y, x))


def roi_align(image, rois, height, width, samples):
    """Means of samples × samples samples in each bin of the rois, (R, 5): the image's index, x1, y1, x2, y2."""

    def centres(low, high, bins):
        return low + (torch.arange(bins * samples) + 0.5) * (high - low) / (bins * samples)

    index, x1, y1, x2, y2 = rois.T[..., None]
    y, x = centres(y1, y2, height)[..., None], centres(x1, x2, width)[:, None]
    return F.avg_pool2d(sampled(image[index.long()[:, 0]], *torch.broadcast_tensors(y, x)), samples)


def kept(boxes, scores, most):
    """The sorted indices that suppression of boxes, (N, 4): x1, y1, x2, y2, keeps; sides count one pixel more."""
    found, rest = [], scores.argsort(descending=True).tolist()
    while rest:
        first, rest = rest[0], rest[1:]
        found.append(first)
        low, high = torch.max(boxes[first, :2], boxes[rest, :2]), torch.min(boxes[first, 2:], boxes[rest, 2:])
        both, area = (high - low + 1).clamp(min=0).prod(1), (boxes[:, 2:] - boxes[:, :2] + 1).prod(1)
        rest = [i for i, share in zip(rest, both / (area[first] + area[rest] - both)) if share < most]
    return sorted(found)
