# tests/support/tree.py: a project with what section 5 counts in real ones: one tree, four extensions, one build file.
BUILD = """
import os
import torch
from torch.utils.ffi import create_extension

this = os.path.dirname(os.path.realpath(__file__))
sources = ['src/all.c', 'src/host.cpp', 'src/host.cc', 'src/generic_code.c']
macros = []
with_cuda = False
if torch.cuda.is_available():
    sources += ['src/all_cuda.c']
    macros += [('WITH_CUDA', None)]
    with_cuda = True
objects = [os.path.join(this, name) for name in ('src/cuda/kernel.cu.o', 'src/cuda/never.cu.o', 'src/plain.o')]

ffi = create_extension(
    'native._ext.all', headers='src/all.h', sources=sources, define_macros=macros, relative_to=__file__,
    with_cuda=with_cuda, extra_objects=objects + ['made/libhelper.so', 'made/libarchive.a'],
    include_dirs=['include', os.path.join(this, 'src')], extra_compile_args=['-std=c99', '-fopenmp'], verbose=False)
first = create_extension(
    'native._ext.first', headers=['src/same.h'], sources=['src/first/same.c'], relative_to=__file__, langauge='c++',
    verbose=False)
second = create_extension(
    'native._ext.second', headers=['src/same.h'], sources=['src/second/same.c'], relative_to=__file__, language='c++',
    verbose=False)
alone = create_extension(
    'alone', headers=['src/same.h'], sources=[os.path.join(this, 'src/second/same.c')], relative_to=__file__,
    verbose=False)

if __name__ == '__main__':
    for each in (ffi, first, second, alone):
        each.build()
"""

HEADER = """
#ifndef ALL_H
#define ALL_H
#include <TH/TH.h>
#define LIMIT 9
#define AREA (LIMIT * 2)
typedef int status;
#ifdef __cplusplus
extern "C" {
#endif
status of_typedef(THFloatTensor *input, THFloatTensor *output);
float walk(THFloatTensor *matrix, int row, int column);
float first_of_storage(THFloatTensor *tensor);
int checked(THFloatTensor *matrix);
bool flip(bool value);
int threads(void);
int from_cpp(THFloatTensor *tensor);
int from_cc(THFloatTensor *tensor);
int from_object(void);
int from_shared(void);
int from_archive(void);
int from_include_folder(void);
void say(int number);
void leave(void);
void native_Float_scale(THFloatTensor *tensor, float factor);
void native_Double_scale(THDoubleTensor *tensor, double factor);
double native_Float_total(THFloatTensor *tensor);
double native_Double_total(THDoubleTensor *tensor);
#ifdef __cplusplus
}
#endif
#endif
"""

SOURCES = {
    "build.py": BUILD,
    "src/all.h": HEADER,
    "include/place.h": "#define PLACE 2 /* beside the build file */\n",
    "src/all.c": """
        #include <stdbool.h>
        #include <TH/TH.h>
        #include "all.h"
        #include "place.h"

        status of_typedef(THFloatTensor *input, THFloatTensor *output) {
          THFloatTensor_resize4d(output, 1, 1, THFloatTensor_size(input, 0), 1);
          THFloatTensor_copy(output, input);
          return LIMIT + AREA;
        }
        float walk(THFloatTensor *matrix, int row, int column) {
          float *data = matrix->storage->data + matrix->storageOffset;
          if (matrix->nDimension != 2 || row >= matrix->size[0]) return -1;
          return data[row * matrix->stride[0] + column * matrix->stride[1]];
        }
        float first_of_storage(THFloatTensor *tensor) { return tensor->storage->data[0]; }
        int checked(THFloatTensor *matrix) {
          THArgCheck(matrix->nDimension == 2, 1, "two dimensions expected, got %s", matrix->nDimension);
          return matrix->nDimension;
        }
        bool flip(bool value) { return !value; }
        int threads(void) {
          int count = 0;
          #pragma omp parallel num_threads(2) reduction(+ : count)
          count += 1;
          return count;
        }
        int from_include_folder(void) { return PLACE; }
        void say(int number) { printf("number %d\\n", number); }
        void leave(void) {
          fprintf(stderr, "cannot go on\\n");
          exit(-1);
        }
    """,
    "src/generic_code.c": """
        #include <TH/TH.h>
        #define native_(NAME) TH_CONCAT_4(native_, Real, _, NAME)
        #include "generic/native.c"
        #include "THGenerateFloatTypes.h"
    """,
    "src/generic/native.c": """
        #ifndef TH_GENERIC_FILE
        #define TH_GENERIC_FILE "generic/native.c"
        #else
        void native_(scale)(THTensor *tensor, real factor) {
          THTensor *contiguous = THTensor_(newContiguous)(tensor);
          real *data = THTensor_(data)(contiguous);
          for (int64_t i = 0; i < THTensor_(nElement)(contiguous); ++i) data[i] *= factor;
          THTensor_(freeCopyTo)(contiguous, tensor);
        }
        double native_(total)(THTensor *tensor) {
          accreal sum = 0;
          TH_TENSOR_APPLY(real, tensor, sum += *tensor_data;);
          return sum;
        }
        #endif
    """,
    "src/host.cpp": """
        #include <ATen/ATen.h>
        #include <TH/TH.h>
        #include <vector>
        using namespace at;
        extern "C" int from_cpp(THFloatTensor *tensor) {
          std::vector<int64_t> sizes(tensor->size, tensor->size + tensor->nDimension);
          return static_cast<int>(sizes.size());
        }
    """,
    "src/host.cc": """
        extern "C" {
        #include <TH/TH.h>
        int from_cc(THFloatTensor *tensor) { return (int)THFloatTensor_nElement(tensor); }
        }
    """,
    "src/plain.c": "int from_object(void) { return 21; }\n",
    "made/helper.c": "int from_shared(void) { return 22; }\n",
    "made/archive.c": "int from_archive(void) { return 23; }\n",
    "src/cuda/kernel.cu": "__global__ void kernel() {}\n",
    # What nvcc leaves in an object, as far as a linker sees it.
    "src/cuda/kernel.c": """
        void __cudaRegisterFatBinary(void *);
        void __cudaUnregisterFatBinary(void *);
        __attribute__((constructor)) static void start(void) { __cudaRegisterFatBinary(0); }
        __attribute__((destructor)) static void end(void) { __cudaUnregisterFatBinary(0); }
    """,
    "src/same.h": "int next(void);\nint which(void);\nextern int shared_state;\n",
    "src/first/same.c": """
        int shared_state = 100;
        int next(void) { return ++shared_state; }
        int which(void) { return 1; }
    """,
    "src/second/same.c": """
        int shared_state = 200;
        int next(void) { return ++shared_state; }
        int which(void) { return 2; }
    """,
}  # fmt: skip

COMMANDS = [
    ("gcc", "-fPIC", "-c", "src/plain.c", "-o", "src/plain.o"),
    ("gcc", "-fPIC", "-c", "src/cuda/kernel.c", "-o", "src/cuda/kernel.cu.o"),
    ("gcc", "-fPIC", "-shared", "made/helper.c", "-o", "made/libhelper.so"),  # without a soname
    ("gcc", "-fPIC", "-c", "made/archive.c", "-o", "made/archive.o"),
    ("ar", "rc", "made/libarchive.a", "made/archive.o"),
]

# Built and committed years ago, for another Python.
STALE = ("_all.so", "_all.abi3.so", "_all.cpython-35m-x86_64-linux-gnu.so")
