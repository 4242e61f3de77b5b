from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="softmax_cuda",
    py_modules=["softmax"],
    ext_modules=[CUDAExtension("softmax_cuda", ["bindings.cpp", "softmax.cu"])],
    cmdclass={"build_ext": BuildExtension},
)
