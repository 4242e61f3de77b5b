# tests/contract/legacy_project.py: a legacy project to build, and its C code.
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
int dimensions(THFloatTensor *tensor);
int64_t stride(THFloatTensor *tensor, int dimension);
int identity(int value);
unsigned identity_unsigned(unsigned value);
float half_of(float value);
double sum_of(double *values, int count);
int sum_of_ints(int *values, int count);
char first(char *text);
char *pass_text(char *text);
void *pass(void *pointer);
bool negate(bool value);
void nothing(void);
void throw_project_error(void);
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
int same_pointer(THFloatTensor *a, THFloatTensor *b) { return a == b; }
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
char first(char *text) { return text[0]; }
char *pass_text(char *text) { return text; }
void *pass(void *pointer) { return pointer; }
bool negate(bool value) { return !value; }
void nothing(void) {}
"""

THROWING = """
#include <stdexcept>
extern "C" void throw_project_error(void) { throw std::runtime_error("the project's own"); }
"""


def write(folder):
    (folder / "src").mkdir()
    (folder / "src" / "calls.h").write_text(HEADER)
    (folder / "src" / "calls.c").write_text(SOURCE)
    (folder / "src" / "throwing.cpp").write_text(THROWING)
    (folder / "build.py").write_text("")
    return folder
