#!/usr/bin/env bash
# make.sh: compiles the CUDA kernels, where there is CUDA, then builds the extension.
set -e
cd "$(dirname "$0")"
if command -v nvcc > /dev/null; then
  nvcc -c -o src/cuda/pooling_kernel.cu.o src/cuda/pooling_kernel.cu -x cu -Xcompiler -fPIC -arch=sm_52
fi
python build.py
