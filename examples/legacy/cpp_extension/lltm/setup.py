import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

extension, sources, macros = CppExtension, ['csrc/lltm.cpp'], []
flags = {'cxx': ['-std=c++11']}
if torch.cuda.is_available() and CUDA_HOME is not None:
    extension = CUDAExtension
    sources += ['csrc/lltm_cuda.cu']
    macros += [('WITH_CUDA', None)]
    flags['nvcc'] = [
        '-std=c++11',
        '-D__CUDA_NO_HALF_OPERATORS__',
        '-gencode=arch=compute_35,code=sm_35',
        '-gencode=arch=compute_61,code=sm_61',
    ]

setup(
    name='lltm',
    version='0.1',
    py_modules=['lltm'],
    ext_modules=[extension('lltm_native', sources, define_macros=macros, extra_compile_args=flags)],
    cmdclass={'build_ext': BuildExtension},
)
