/* tests/bridge/probe_th/probe.c: a legacy extension that tries what the bridge must stand. */
#include <TH/TH.h>
#include <pthread.h>
#include <time.h>

int add(THFloatTensor *input1, THFloatTensor *input2, THFloatTensor *output) {
  THArgCheck(THFloatTensor_isSameSizeAs(input1, input2), 2, "sizes do not match");
  THFloatTensor_resizeAs(output, input1);
  TH_TENSOR_APPLY3(float, output, float, input1, float, input2, *output_data = *input1_data + *input2_data;);
  return 1;
}
void fill(THFloatTensor *tensor, float value) { THFloatTensor_fill(tensor, value); }
float sum(THFloatTensor *tensor) { return THFloatTensor_sumall(tensor); }
float sum_of_storage(THFloatStorage *storage) {
  float sum = 0;
  for (ptrdiff_t i = 0; i < storage->size; ++i) sum += storage->data[i];
  return sum;
}
float sum_of_longs(THLongTensor *tensor) { return THLongTensor_sumall(tensor); }
void resize(THFloatTensor *tensor, int count) { THFloatTensor_resize1d(tensor, count); }
void resize2d(THFloatTensor *tensor, int rows, int columns) { THFloatTensor_resize2d(tensor, rows, columns); }
void resize_storage(THFloatStorage *storage, int count) { THFloatStorage_resize(storage, count); }
float resize_one_sum_other(THFloatTensor *resized, int count, THFloatTensor *other) {
  THFloatTensor_resize1d(resized, count);
  return THFloatTensor_sumall(other);
}
float call_between(THFloatTensor *tensor, int count, void (*callback)(int), int value) {
  THFloatTensor_resize1d(tensor, count);
  callback(value);
  return THFloatTensor_sumall(tensor);
}
int same_pointer(THFloatTensor *tensor1, THFloatTensor *tensor2) { return tensor1 == tensor2; }
int count_of(void *pointer, const char *text, double *numbers, int count) {
  return (pointer != NULL) + (text != NULL) + (numbers != NULL) + count;
}

/* ---- What C keeps ---- */

static THFloatTensor *kept;
static THFloatStorage *kept_storage;

void keep(THFloatTensor *tensor) {
  THFloatTensor_retain(tensor);
  THFloatTensor_free(kept);
  kept = tensor;
}
void keep_storage(THFloatStorage *storage) {
  THFloatStorage_retain(storage);
  THFloatStorage_free(kept_storage);
  kept_storage = storage;
}
float sum_of_kept(void) { return kept ? THFloatTensor_sumall(kept) : sum_of_storage(kept_storage); }
int size_of_kept(void) { return kept ? kept->size[0] : kept_storage->size; }
void resize_kept(int count) {
  if (kept) THFloatTensor_resize1d(kept, count);
  else THFloatStorage_resize(kept_storage, count);
}
void release(void) {
  THFloatTensor_free(kept);
  THFloatStorage_free(kept_storage);
  kept = NULL;
  kept_storage = NULL;
}
static THFloatTensor *places[16];
void keep_at(int place, THFloatTensor *tensor) {
  THFloatTensor_retain(tensor);
  places[place] = tensor;
}
float release_at(int place) {
  const float sum = THFloatTensor_sumall(places[place]);
  THFloatTensor_free(places[place]);
  return sum;
}
void keep_until_exit(THFloatTensor *tensor) {
  keep(tensor);
  atexit(release);
}

/* ---- Errors ---- */

int call_back(int (*callback)(int), int value) { return callback(value); }
int fail(const char *message) {
  THError("%s", message);
  return 1;
}
int fail_if_negative(int value) {
  THArgCheck(value >= 0, 1, "expected no negative number, got %d", value);
  return value;
}
int fail_after_resize(THFloatTensor *tensor, int count) {
  THFloatTensor_resize1d(tensor, count);
  THError("after the resize");
  return 1;
}
int fail_after_keep(THFloatTensor *tensor) {
  keep(tensor);
  THError("after it was kept");
  return 1;
}

/* ---- Threads of C's own ---- */

typedef struct {
  THFloatTensor *tensor;
  const volatile int64_t *flag;
  int count;
} work;

static void *resize_there(void *argument) {
  work *given = argument;
  THFloatTensor_resize1d(given->tensor, given->count);
  THFloatTensor_fill(given->tensor, 2);
  return NULL;
}
static int run(void *(*body)(void *), work *given) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, given)) return 0;
  pthread_join(thread, NULL);
  return 1;
}
int resize_on_thread(THFloatTensor *tensor, int count) {
  work given = {tensor, NULL, count};
  return run(resize_there, &given);
}
static void *wait_there(void *argument) {
  work *given = argument;
  struct timespec millisecond = {0, 1000000};
  while (*given->flag == 0 && given->count-- > 0) nanosleep(&millisecond, NULL);
  return NULL;
}
int wait_on_thread(THLongTensor *flag, int milliseconds) {
  work given = {NULL, THLongTensor_data(flag), milliseconds};
  run(wait_there, &given);
  return given.count > 0;
}

static void double_row(THFloatTensor *rows, int index, int bad_row) {
  THFloatTensor *row = THFloatTensor_newSelect(rows, 0, index);
  THFloatTensor_mul(row, row, 2);
  THFloatTensor_free(row);
  if (index == bad_row) THFloatTensor_newSelect(rows, 0, rows->size[0]);
}
int fail_in_region(THFloatTensor *rows, int bad_row, int threads) {
  int i;
#pragma omp parallel for num_threads(threads)
  for (i = 0; i < rows->size[0]; ++i) double_row(rows, i, bad_row);
  return 1;
}
int fail_in_dynamic_region(THFloatTensor *rows, int bad_row, int threads) {
  int i;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (i = 0; i < rows->size[0]; ++i) double_row(rows, i, bad_row);
  return 1;
}
static void fail_there(void) { THError("in a region of others"); }
int fail_in_region_of(void (*region)(void (*body)(void))) {
  region(fail_there);
  return 1;
}
int gather(THFloatTensor *output, THFloatTensor *input, THLongTensor *index) {
  THFloatTensor_gather(output, input, 1, index);
  return 1;
}

/* ---- What a sanitizer must find ---- */

int shift(int count) { return 1 << count; }
float read_freed(THFloatTensor *tensor) {
  const volatile float *data = THFloatTensor_data(tensor);
  THFloatTensor_resize1d(tensor, 1000000);
  return data[0];
}
float read_behind(THFloatTensor *tensor) { return THFloatTensor_data(tensor)[THFloatTensor_nElement(tensor)]; }

/* ---- References of the caller that C gives up ---- */

int free_argument(THFloatTensor *tensor, int times) {
  while (times-- > 0) THFloatTensor_free(tensor);
  return 1;
}
int free_storage(THFloatStorage *storage, int times) {
  while (times-- > 0) THFloatStorage_free(storage);
  return 1;
}
int free_storage_below(THFloatTensor *tensor) { return free_storage(tensor->storage, 1); }
int resize_and_free(THFloatTensor *tensor, int count) {
  THFloatTensor_resize1d(tensor, count);
  THFloatTensor_fill(tensor, 5);
  return free_argument(tensor, 1);
}
int set_and_free(THFloatTensor *tensor, THFloatTensor *source) {
  THFloatTensor_set(tensor, source);
  return free_argument(tensor, 1);
}
int keep_and_free(THFloatTensor *tensor) {
  keep(tensor);
  return free_storage_below(tensor);
}
int fail_after_free(THFloatTensor *tensor) {
  THFloatTensor_free(tensor);
  THError("after it was freed");
  return 1;
}
THFloatTensor *free_and_return(THFloatTensor *tensor) {
  THFloatTensor_free(tensor);
  return tensor;
}
