/* tests/cuda/probe/probe.c: a legacy extension with CUDA that tries what the bridge must stand. */
#include <THC/THC.h>
#include <pthread.h>

#include "kernel.h"

extern THCState *state;

int add_cuda(THCudaTensor *input1, THCudaTensor *input2, THCudaTensor *output) {
  THArgCheck(THCudaTensor_checkGPU(state, 3, input1, input2, output), 1, "tensors are on different GPUs");
  THArgCheck(THCudaTensor_isSameSizeAs(state, input1, input2), 2, "sizes do not match");
  THCudaTensor_resizeAs(state, output, input1);
  input1 = THCudaTensor_newContiguous(state, input1);
  input2 = THCudaTensor_newContiguous(state, input2);
  launch_add(THCudaTensor_data(state, input1), THCudaTensor_data(state, input2), THCudaTensor_data(state, output),
             THCudaTensor_nElement(state, output), THCState_getCurrentStream(state));
  THCudaTensor_free(state, input1);
  THCudaTensor_free(state, input2);
  THCudaCheck(cudaGetLastError());
  return 1;
}
void fill_cuda(THCudaTensor *tensor, float value) { THCudaTensor_fill(state, tensor, value); }
float sum_cuda(THCudaTensor *tensor) { return THCudaTensor_sumall(state, tensor); }
float sum_of_storage_cuda(THCudaStorage *storage) {
  float sum = 0;
  for (ptrdiff_t i = 0; i < storage->size; ++i) sum += THCudaStorage_get(state, storage, i);
  return sum;
}
double get_double_cuda(THCudaDoubleTensor *tensor, int index) { return THCudaDoubleTensor_get1d(state, tensor, index); }
int get_byte_cuda(THCudaByteTensor *tensor, int index) { return THCudaByteTensor_get1d(state, tensor, index); }
int get_char_cuda(THCudaCharTensor *tensor, int index) { return THCudaCharTensor_get1d(state, tensor, index); }
int get_short_cuda(THCudaShortTensor *tensor, int index) { return THCudaShortTensor_get1d(state, tensor, index); }
int get_int_cuda(THCudaIntTensor *tensor, int index) { return THCudaIntTensor_get1d(state, tensor, index); }
long get_long_cuda(THCudaLongTensor *tensor, int index) { return THCudaLongTensor_get1d(state, tensor, index); }
float get_half_cuda(void *tensor, int index) {
  return THC_half2float(THCudaHalfTensor_get1d(state, (THCudaHalfTensor *)tensor, index));
}
float add_up(THFloatTensor *tensor) { return THFloatTensor_sumall(tensor); }
int mixed(THCudaTensor *to, THFloatTensor *from) {
  THCudaTensor_resize1d(state, to, THFloatTensor_nElement(from));
  THCudaTensor_copyFloat(state, to, from);
  return 1;
}
int back(THFloatTensor *to, THCudaTensor *from) {
  THFloatTensor_resize1d(to, THCudaTensor_nElement(state, from));
  THFloatTensor_copyCuda(state, to, from);
  return 1;
}

/* ---- Sizes and memory ---- */

void resize_cuda(THCudaTensor *tensor, int count) { THCudaTensor_resize1d(state, tensor, count); }
void resize2d_cuda(THCudaTensor *tensor, int rows, int columns) { THCudaTensor_resize2d(state, tensor, rows, columns); }
void resize_storage_cuda(THCudaStorage *storage, int count) { THCudaStorage_resize(state, storage, count); }
float resize_one_sum_other_cuda(THCudaTensor *resized, int count, THCudaTensor *other) {
  THCudaTensor_resize1d(state, resized, count);
  return THCudaTensor_sumall(state, other);
}
void lie_on_cuda(THCudaTensor *tensor, THCudaTensor *other) { THCudaTensor_set(state, tensor, other); }
void lie_on_own_cuda(THCudaTensor *tensor, int count, float value) {
  THCudaTensor *own = THCudaTensor_newWithSize1d(state, count);
  THCudaTensor_fill(state, own, value);
  THCudaTensor_set(state, tensor, own);
  THCudaTensor_free(state, own);
}
int same_pointer_cuda(THCudaTensor *tensor1, THCudaTensor *tensor2) { return tensor1 == tensor2; }
int dimensions_cuda(THCudaTensor *tensor) { return tensor->nDimension; }
long stride_cuda(THCudaTensor *tensor, int dimension) { return THCudaTensor_stride(state, tensor, dimension); }
int device_of_storage(THCudaTensor *tensor) { return THCudaTensor_getDevice(state, tensor); }
long size_below_cuda(THCudaTensor *tensor) { return tensor->storage->size; }
int one_storage_cuda(THCudaTensor *a, THCudaTensor *b) { return a->storage == b->storage; }
int is_set_to_cuda(THCudaTensor *a, THCudaTensor *b) { return THCudaTensor_isSetTo(state, a, b); }
int lies_on_cuda(THCudaTensor *tensor, THCudaStorage *storage) { return tensor->storage == storage; }
long size_after_cuda(THCudaTensor *resized, int count, THCudaTensor *other) {
  THCudaTensor_resize1d(state, resized, count);
  return other->storage->size;
}
long offset_cuda(THCudaTensor *tensor) { return THCudaTensor_storageOffset(state, tensor); }
int device_of_memory(THCudaStorage *storage) { return storage->device; }

/* ---- Results ---- */

THCudaTensor *fresh_cuda(int count, float value) {
  THCudaTensor *tensor = THCudaTensor_newWithSize1d(state, count);
  THCudaTensor_fill(state, tensor, value);
  return tensor;
}
THCudaTensor *no_memory_cuda(void) { return THCudaTensor_new(state); }
THCudaTensor *row_cuda(THCudaTensor *tensor, int index) { return THCudaTensor_newSelect(state, tensor, 0, index); }
THCudaTensor *same_cuda(THCudaTensor *tensor) {
  THCudaTensor_retain(state, tensor);
  return tensor;
}
THCudaStorage *storage_cuda(THCudaTensor *tensor) {
  THCudaStorage_retain(state, tensor->storage);
  return tensor->storage;
}
THCudaStorage *fresh_storage_cuda(int count, float value) {
  THCudaStorage *storage = THCudaStorage_newWithSize(state, count);
  THCudaStorage_fill(state, storage, value);
  return storage;
}

/* ---- References of the caller that C gives up ---- */

int free_argument_cuda(THCudaTensor *tensor, int times) {
  while (times-- > 0) THCudaTensor_free(state, tensor);
  return 1;
}
int free_storage_cuda(THCudaStorage *storage, int times) {
  while (times-- > 0) THCudaStorage_free(state, storage);
  return 1;
}

/* ---- What C keeps ---- */

static THCudaTensor *kept;

void release_cuda(void) {
  if (kept) THCudaTensor_free(state, kept);
  kept = NULL;
}
void keep_cuda(THCudaTensor *tensor) {
  THCudaTensor_retain(state, tensor);
  release_cuda();
  kept = tensor;
}
void keep_own_cuda(int count) {
  release_cuda();
  kept = THCudaTensor_newWithSize1d(state, count);
  THCudaTensor_fill(state, kept, 2);
  atexit(release_cuda);
}
float sum_of_kept_cuda(void) { return THCudaTensor_sumall(state, kept); }
void resize_kept_cuda(int count) { THCudaTensor_resize1d(state, kept, count); }
void keep_until_exit_cuda(THCudaTensor *tensor) {
  keep_cuda(tensor);
  atexit(release_cuda);
}

/* ---- Devices, streams, memory of PyTorch's ---- */

int has_state(void) { return state != NULL; }
int current_device(void) {
  int device = -1;
  cudaGetDevice(&device);
  return device;
}
int switch_device(THCudaTensor *tensor, int device) {
  cudaSetDevice(device);
  return THCudaTensor_getDevice(state, tensor);
}
void *stream_of(THCudaTensor *tensor) { return tensor ? THCState_getCurrentStream(state) : NULL; }
void *stream_now(void) { return THCState_getCurrentStream(state); }
static void *stream_there(void *unused) {
  (void)unused;
  return THCState_getCurrentStream(state);
}
static void *on_thread(void *(*body)(void *), void *argument) {
  pthread_t thread;
  void *result = NULL;
  if (pthread_create(&thread, NULL, body, argument) == 0) pthread_join(thread, &result);
  return result;
}
void *stream_on_thread(THCudaTensor *tensor) { return on_thread(stream_there, tensor); }
float call_between_cuda(THCudaTensor *tensor, void (*callback)(int), int value) {
  callback(value);
  return THCudaTensor_sumall(state, tensor);
}
void allocate_and_free(long bytes) {
  void *block = NULL;
  THCudaCheck(THCudaMalloc(state, &block, bytes));
  THCudaCheck(THCudaFree(state, block));
}
void *allocate_block(THCudaTensor *tensor, long bytes) {
  void *block = NULL;
  (void)tensor;
  THCudaCheck(THCudaMalloc(state, &block, bytes));
  return block;
}
void free_block(void *block) { THCudaCheck(THCudaFree(state, block)); }

typedef struct {
  THCudaTensor *tensor;
  int count;
} work;

static void *resize_there(void *argument) {
  work *given = argument;
  THCudaTensor_resize1d(state, given->tensor, given->count);
  return NULL;
}
int resize_on_thread_cuda(THCudaTensor *tensor, int count) {
  work given = {tensor, count};
  on_thread(resize_there, &given);
  return 1;
}

/* ---- Errors ---- */

int fail_cuda(THCudaTensor *tensor, const char *message) {
  (void)tensor;
  THError("%s", message);
  return 1;
}
int fail_argument_cuda(THCudaTensor *tensor, int value) {
  THArgCheck(value >= 0, 2, "expected no negative number, got %d", value);
  return THCudaTensor_nDimension(state, tensor);
}
int fail_after_resize_cuda(THCudaTensor *tensor, int count) {
  THCudaTensor_resize1d(state, tensor, count);
  THError("after the resize");
  return 1;
}
void check_cuda(THCudaTensor *tensor) {
  (void)tensor;
  THCudaCheck(cudaGetLastError());
}
