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


def splatted(means, scales, rotations, opacities, harmonics, view, projection, camera, background, tangents, size):
    """The image, (3, H, W), of Gaussians before a camera: Kerbl et al., 3D Gaussian Splatting, 2023, equations 3 to 6.

    means and scales (N, 3), rotations (N, 4) as w, x, y, z, opacities (N, 1), harmonics (N, 4, 3) of degree 1; view and
    projection (4, 4) for row vectors; camera, its place, (3); tangents of half the angles; size (H, W).
    """
    (height, width), (tan_x, tan_y) = size, tangents
    points = torch.cat([means, torch.ones_like(means[:, :1])], 1)
    seen, clip = points @ view, points @ view @ projection
    place = clip[:, :2] / (clip[:, 3:] + 1e-7)
    pixel_x, pixel_y = ((place[:, 0] + 1) * width - 1) / 2, ((place[:, 1] + 1) * height - 1) / 2
    w, x, y, z = rotations.unbind(1)
    turned = torch.stack(
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
         1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        1,
    ).view(-1, 3, 3) * scales[:, None]  # fmt: skip
    focal_x, focal_y = width / (2 * tan_x), height / (2 * tan_y)
    depth = seen[:, 2]
    limited_x = (seen[:, 0] / depth).clamp(-1.3 * tan_x, 1.3 * tan_x) * depth
    limited_y = (seen[:, 1] / depth).clamp(-1.3 * tan_y, 1.3 * tan_y) * depth
    zero = torch.zeros_like(depth)
    rows = [
        focal_x / depth,
        zero,
        -focal_x * limited_x / depth**2,
        zero,
        focal_y / depth,
        -focal_y * limited_y / depth**2,
    ]
    slope = torch.stack(rows, 1).view(-1, 2, 3) @ view[:3, :3].T @ turned
    inverse = (slope @ slope.mT + 0.3 * torch.eye(2, dtype=means.dtype)).inverse()
    towards = F.normalize(means - camera, dim=1)
    order_0, order_1 = 0.5 / torch.pi**0.5, (0.75 / torch.pi) ** 0.5
    basis = torch.stack(
        [torch.full_like(depth, order_0), *(order_1 * towards[:, i] * s for i, s in ((1, -1), (2, 1), (0, -1)))], 1
    )
    colours = (torch.einsum("nk,nkc->nc", basis, harmonics) + 0.5).clamp(min=0)
    grid_y, grid_x = torch.meshgrid(*(torch.arange(each, dtype=means.dtype) for each in size), indexing="ij")
    left, image = torch.ones_like(grid_x), means.new_zeros(3, height, width)
    for i in depth.argsort(stable=True).tolist():
        dx, dy = pixel_x[i] - grid_x, pixel_y[i] - grid_y
        a = inverse[i]
        power = -0.5 * (a[0, 0] * dx * dx + a[1, 1] * dy * dy) - a[0, 1] * dx * dy
        alpha = (opacities[i, 0] * power.exp()).clamp(max=0.99)
        alpha = torch.where((power > 0) | (alpha < 1 / 255) | (depth[i] <= 0.2), torch.zeros_like(alpha), alpha)
        image = image + colours[i][:, None, None] * alpha * left
        left = left * (1 - alpha)
    return image + background[:, None, None] * left
