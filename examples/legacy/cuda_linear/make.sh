#!/usr/bin/env bash
# make.sh: compiles the kernels, then builds the extension.
set -e
cd "$(dirname "$0")"
nvcc -c -o src/linear_kernel.cu.o src/linear_kernel.cu -x cu -Xcompiler -fPIC \
  -gencode arch=compute_52,code=sm_52 -gencode arch=compute_61,code=sm_61
python build.py
