from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="scale_of_tests",
    ext_modules=[CUDAExtension("scale_of_tests", ["scale.cu", "headers.cpp"])],
    cmdclass={"build_ext": BuildExtension},
)
