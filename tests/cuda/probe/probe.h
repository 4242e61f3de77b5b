/* tests/cuda/probe/probe.h: the functions of probe.c that Python calls; probe.c says what for. */

int add_cuda(THCudaTensor *input1, THCudaTensor *input2, THCudaTensor *output);
void fill_cuda(THCudaTensor *tensor, float value);
float sum_cuda(THCudaTensor *tensor);
float sum_of_storage_cuda(THCudaStorage *storage);
double get_double_cuda(THCudaDoubleTensor *tensor, int index);
int get_byte_cuda(THCudaByteTensor *tensor, int index);
int get_char_cuda(THCudaCharTensor *tensor, int index);
int get_short_cuda(THCudaShortTensor *tensor, int index);
int get_int_cuda(THCudaIntTensor *tensor, int index);
long get_long_cuda(THCudaLongTensor *tensor, int index);
float get_half_cuda(void *tensor, int index);
float add_up(THFloatTensor *tensor);
int mixed(THCudaTensor *to, THFloatTensor *from);
int back(THFloatTensor *to, THCudaTensor *from);

void resize_cuda(THCudaTensor *tensor, int count);
void resize2d_cuda(THCudaTensor *tensor, int rows, int columns);
void resize_storage_cuda(THCudaStorage *storage, int count);
float resize_one_sum_other_cuda(THCudaTensor *resized, int count, THCudaTensor *other);
void lie_on_cuda(THCudaTensor *tensor, THCudaTensor *other);
void lie_on_own_cuda(THCudaTensor *tensor, int count, float value);
int same_pointer_cuda(THCudaTensor *tensor1, THCudaTensor *tensor2);
int dimensions_cuda(THCudaTensor *tensor);
long stride_cuda(THCudaTensor *tensor, int dimension);
int device_of_storage(THCudaTensor *tensor);
long size_below_cuda(THCudaTensor *tensor);
long offset_cuda(THCudaTensor *tensor);
int one_storage_cuda(THCudaTensor *a, THCudaTensor *b);
int is_set_to_cuda(THCudaTensor *a, THCudaTensor *b);
int lies_on_cuda(THCudaTensor *tensor, THCudaStorage *storage);
long size_after_cuda(THCudaTensor *resized, int count, THCudaTensor *other);
int device_of_memory(THCudaStorage *storage);

THCudaTensor *fresh_cuda(int count, float value);
THCudaTensor *no_memory_cuda(void);
THCudaTensor *row_cuda(THCudaTensor *tensor, int index);
THCudaTensor *same_cuda(THCudaTensor *tensor);
THCudaStorage *storage_cuda(THCudaTensor *tensor);
THCudaStorage *fresh_storage_cuda(int count, float value);

int free_argument_cuda(THCudaTensor *tensor, int times);
int free_storage_cuda(THCudaStorage *storage, int times);

void keep_cuda(THCudaTensor *tensor);
void keep_own_cuda(int count);
float sum_of_kept_cuda(void);
void resize_kept_cuda(int count);
void release_cuda(void);
void keep_until_exit_cuda(THCudaTensor *tensor);

int has_state(void);
int current_device(void);
int switch_device(THCudaTensor *tensor, int device);
void *stream_of(THCudaTensor *tensor);
void *stream_now(void);
void *stream_on_thread(THCudaTensor *tensor);
float call_between_cuda(THCudaTensor *tensor, void (*callback)(int), int value);
void allocate_and_free(long bytes);
void *allocate_block(THCudaTensor *tensor, long bytes);
void free_block(void *block);
int resize_on_thread_cuda(THCudaTensor *tensor, int count);

int fail_cuda(THCudaTensor *tensor, const char *message);
int fail_argument_cuda(THCudaTensor *tensor, int value);
int fail_after_resize_cuda(THCudaTensor *tensor, int count);
void check_cuda(THCudaTensor *tensor);
