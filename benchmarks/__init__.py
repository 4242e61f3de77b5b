"""benchmarks/__init__.py: one script per benchmark; `python -m benchmarks` runs them all."""

BENCHMARKS = (
    "lltm",
    "lltm_gemm",
    "lltm_sequence",
    "lltm_threads",
    "fused_conv_batch_norm2d",
    "operators",
    "compiled",
    "bridge_calls",
    "bridge_build",
    "hosts",
    "legacy_calls",
    "legacy_build",
    "th",
    "cuda_on_cpu",
)
