import os

import torch
from setuptools import find_packages, setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

here = os.path.dirname(os.path.abspath(__file__))
extension, sources, macros = CppExtension, ['csrc/pairwise.cpp'], []
flags = ['-std=c++11', '-O2']
if torch.cuda.is_available() and CUDA_HOME is not None:
    extension = CUDAExtension
    sources += ['csrc/pairwise_cuda.cu']
    macros += [('WITH_CUDA', None)]
    flags = {'cxx': flags, 'nvcc': ['--std', 'c++11', '-O2', '-arch=sm_52']}

setup(
    name='pairwise',
    version='0.2',
    packages=find_packages(),
    ext_modules=[
        extension(
            'pairwise._native', sources, define_macros=macros, extra_compile_args=flags,
            include_dirs=[os.path.join(here, 'csrc')],
        )
    ],
    cmdclass={'build_ext': BuildExtension},
)
