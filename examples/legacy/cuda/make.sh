#!/usr/bin/env bash
# make.sh: compiles the kernel; run it before build.py.
set -e
cd "$(dirname "$0")/src"
echo "Compiling the kernel by nvcc..."
nvcc -c -o add_kernel.cu.o add_kernel.cu -x cu -Xcompiler -fPIC -arch=sm_52
