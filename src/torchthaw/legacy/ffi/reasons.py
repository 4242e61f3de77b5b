"""torchthaw/legacy/ffi/reasons.py: why old code did not compile, where the compiler's messages do not say it."""

import re

# What is searched for in the messages; what follows from it.
REASONS = (
    (
        r"unknown type name .THCuda|.THCuda\w+. (?:has not been|was not) declared",
        "headers or sources name THC's types, and this is a build for the CPU, without with_cuda=True. For build files "
        "that ask torch.cuda.is_available(), TORCHTHAW_BUILD_CUDA=1 makes it a build for CUDA: "
        "TORCHTHAW_BUILD_CUDA=1 python -m torchthaw run build.py",
    ),
    (
        r"has not been declared in .at.|in namespace .at. does not name|is not a member of .at.|.at. has not been declared|"
        r"ATen/\S+: No such file",
        "the sources call ATen, which torch.utils.ffi had up to PyTorch 0.4 and has no more: call TH instead, or port "
        "them to torch.utils.cpp_extension",
    ),
)  # fmt: skip


def found(messages):
    """The sentences that follow from a compiler's messages, as the lines below them; "" without any."""
    return "".join(f"\n{sentence}" for pattern, sentence in REASONS if re.search(pattern, messages))
