# tests/support/legacy_project.py: a legacy project to build, its C code, and how a user runs such projects.
import importlib
import os
import subprocess
import sys

from support import SRC

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SRC), "CUDA_VISIBLE_DEVICES": ""}

HEADER = """
int add_forward(THFloatTensor *input1, THFloatTensor *input2, THFloatTensor *output);
THFloatTensor *same(THFloatTensor *matrix);
THFloatTensor *fresh(int count);
THFloatTensor *first_row(THFloatTensor *matrix);
THFloatStorage *storage_of(THFloatTensor *tensor);
float storage_sum(THFloatStorage *storage);
void keep(THFloatTensor *tensor);
float kept_sum(void);
void grow_kept(int count);
void resize1d(THFloatTensor *tensor, int count);
void resize2d(THFloatTensor *tensor, int rows, int columns);
void set(THFloatTensor *tensor, THFloatTensor *source);
void fail_after_resize(THFloatTensor *tensor);
int same_pointer(THFloatTensor *a, THFloatTensor *b);
int is_null(THFloatTensor *tensor);
int dimensions(THFloatTensor *tensor);
int64_t stride(THFloatTensor *tensor, int dimension);
int identity(int value);
unsigned identity_unsigned(unsigned value);
float half_of(float value);
double sum_of(double *values, int count);
int sum_of_ints(int *values, int count);
float sum_of_floats(float *values, int count);
char first(char *text);
char *pass_text(char *text);
void *pass(void *pointer);
bool negate(bool value);
void nothing(void);
void throw_project_error(void);
void throw_number(void);
void fail_below(int depth);
void narrow_badly(THFloatTensor *tensor);
void leave(int status);
int wait_for(THFloatTensor *flag, double seconds);
void double_raw(THFloatTensor *input, THFloatTensor *output);
void keyword_names(THFloatTensor *lambda, THFloatTensor *);
void THFloat_double_it(THFloatTensor *tensor);
void THDouble_double_it(THDoubleTensor *tensor);
extern int counter;
enum colour { RED, GREEN = 5 };
#define MAGIC 42
"""

SOURCE = """
#include <stdbool.h>
#include <TH/TH.h>

int counter = 3;
static THFloatTensor *kept;

int add_forward(THFloatTensor *input1, THFloatTensor *input2, THFloatTensor *output) {
  if (!THFloatTensor_isSameSizeAs(input1, input2)) return 0;
  THFloatTensor_resizeAs(output, input1);
  TH_TENSOR_APPLY3(float, output, float, input1, float, input2, *output_data = *input1_data + *input2_data;);
  return 1;
}
THFloatTensor *same(THFloatTensor *matrix) {
  THArgCheck(matrix->nDimension == 2, 1, "expected %d dimensions", 2);
  THFloatTensor_retain(matrix);
  return matrix;
}
THFloatTensor *fresh(int count) {
  if (count < 0) THError("count %d", count);
  THFloatTensor *tensor = THFloatTensor_newWithSize1d(count);
  TH_TENSOR_APPLY(float, tensor, *tensor_data = 7;);
  return tensor;
}
THFloatTensor *first_row(THFloatTensor *matrix) { return THFloatTensor_newSelect(matrix, 0, 0); }
THFloatStorage *storage_of(THFloatTensor *tensor) {
  THFloatStorage_retain(tensor->storage);
  return tensor->storage;
}
float storage_sum(THFloatStorage *storage) {
  float sum = 0;
  for (ptrdiff_t i = 0; i < storage->size; ++i) sum += storage->data[i];
  return sum;
}
void keep(THFloatTensor *tensor) {
  THFloatTensor_retain(tensor);
  THFloatTensor_free(kept);
  kept = tensor;
}
float kept_sum(void) {
  float sum = 0;
  TH_TENSOR_APPLY(float, kept, sum += *kept_data;);
  return sum;
}
void grow_kept(int count) { THFloatTensor_resize1d(kept, count); }
void resize1d(THFloatTensor *tensor, int count) { THFloatTensor_resize1d(tensor, count); }
void resize2d(THFloatTensor *tensor, int rows, int columns) { THFloatTensor_resize2d(tensor, rows, columns); }
void set(THFloatTensor *tensor, THFloatTensor *source) { THFloatTensor_set(tensor, source); }
void fail_after_resize(THFloatTensor *tensor) {
  THFloatTensor_resize1d(tensor, 9);
  THError("too late");
}
void fail_below(int depth) {
  if (depth) fail_below(depth - 1);
  else THError("deep");
}
void narrow_badly(THFloatTensor *tensor) { THFloatTensor_free(THFloatTensor_newNarrow(tensor, 7, 0, 1)); }
void leave(int status) {
  printf("leaving\\n");
  exit(status);
}
int wait_for(THFloatTensor *flag, double seconds) {
  volatile float *value = flag->storage->data + flag->storageOffset;
  time_t end = time(NULL) + (time_t)seconds;
  while (!*value && time(NULL) < end) {}
  return *value == 1;
}
int same_pointer(THFloatTensor *a, THFloatTensor *b) { return a == b; }
int is_null(THFloatTensor *tensor) { return tensor == NULL; }
int dimensions(THFloatTensor *tensor) { return tensor->nDimension; }
int64_t stride(THFloatTensor *tensor, int dimension) { return tensor->stride[dimension]; }
int identity(int value) { return value; }
unsigned identity_unsigned(unsigned value) { return value; }
float half_of(float value) { return value / 2; }
double sum_of(double *values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}
int sum_of_ints(int *values, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}
float sum_of_floats(float *values, int count) { return count ? *values + sum_of_floats(values + 1, count - 1) : 0; }
char first(char *text) { return text[0]; }
char *pass_text(char *text) { return text; }
void *pass(void *pointer) { return pointer; }
bool negate(bool value) { return !value; }
void nothing(void) {}
void double_raw(THFloatTensor *input, THFloatTensor *output) {
  THFloatTensor_resizeAs(output, input);
  for (ptrdiff_t i = 0; i < THFloatTensor_nElement(input); ++i)
    THFloatTensor_data(output)[i] = 2 * THFloatTensor_data(input)[i];
}
void keyword_names(THFloatTensor *lambda, THFloatTensor *other) {}
#define DOUBLE_IT(Real, type)                                       \\
  void TH##Real##_double_it(TH##Real##Tensor *tensor) {             \\
    TH_TENSOR_APPLY(type, tensor, *tensor_data = *tensor_data * 2;); \\
  }
DOUBLE_IT(Float, float)
DOUBLE_IT(Double, double)
"""

THROWING = """
#include <stdexcept>
extern "C" void throw_project_error(void) { throw std::runtime_error("the project's own"); }
extern "C" void throw_number(void) { throw 5; }
"""


TWICE_H = "int twice(int value);\n#define MAGIC 42\n"
TWICE_C = "#include <TH/TH.h>\nint twice(int value) { return 2 * value; }\n"


def files(folder, contents):
    """Writes {relative path: text}."""
    for name, text in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def write(folder):
    return files(folder, {"src/calls.h": HEADER, "src/calls.c": SOURCE, "src/throwing.cpp": THROWING, "build.py": ""})


def run_compiler(folder, *words):
    """A compiler that the project runs itself."""
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def python(folder, *arguments, **environment):
    """The finished ``python -m torchthaw run ARGUMENTS…`` in ``folder``."""
    return subprocess.run(
        [sys.executable, "-m", "torchthaw", "run", *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, timeout=280, env={**ENVIRONMENT, **environment},
    )  # fmt: skip


def output(folder, text, **environment):
    """What a script with this text prints, run in ``folder``; it must end well."""
    (folder / "script.py").write_text(text)
    result = python(folder, "script.py", **environment)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def imported(name):
    """The module, also where it was made a moment ago."""
    importlib.invalidate_caches()
    return importlib.import_module(name)
