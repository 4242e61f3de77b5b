/* tests/bridge/probe_th/probe.h: the functions of probe.c that Python calls; probe.c says what for. */

int add(THFloatTensor *input1, THFloatTensor *input2, THFloatTensor *output);
void fill(THFloatTensor *tensor, float value);
float sum(THFloatTensor *tensor);
float sum_of_storage(THFloatStorage *storage);
float sum_of_longs(THLongTensor *tensor);
void resize(THFloatTensor *tensor, int count);
void resize2d(THFloatTensor *tensor, int rows, int columns);
void resize_storage(THFloatStorage *storage, int count);
float resize_one_sum_other(THFloatTensor *resized, int count, THFloatTensor *other);
float call_between(THFloatTensor *tensor, int count, void (*callback)(int), int value);
int same_pointer(THFloatTensor *tensor1, THFloatTensor *tensor2);
int count_of(void *pointer, const char *text, double *numbers, int count);

void keep(THFloatTensor *tensor);
void keep_storage(THFloatStorage *storage);
float sum_of_kept(void);
int size_of_kept(void);
void resize_kept(int count);
void release(void);
void keep_at(int place, THFloatTensor *tensor);
float release_at(int place);
void keep_until_exit(THFloatTensor *tensor);

int call_back(int (*callback)(int), int value);
int fail(const char *message);
int fail_if_negative(int value);
int fail_after_resize(THFloatTensor *tensor, int count);
int fail_after_keep(THFloatTensor *tensor);
int throw_exception(int kind);
int fail_on_thread(int joined);
int resize_on_thread(THFloatTensor *tensor, int count);
int wait_on_thread(THLongTensor *flag, int milliseconds);
int fail_in_region(THFloatTensor *rows, int bad_row, int threads);
int fail_in_dynamic_region(THFloatTensor *rows, int bad_row, int threads);
int fail_in_cxx_region(int threads);
int fail_in_region_of(void (*region)(void (*body)(void)));
int gather(THFloatTensor *output, THFloatTensor *input, THLongTensor *index);
int shift(int count);
float read_behind(THFloatTensor *tensor);
float read_freed(THFloatTensor *tensor);

int free_argument(THFloatTensor *tensor, int times);
int free_storage(THFloatStorage *storage, int times);
int free_storage_below(THFloatTensor *tensor);
int resize_and_free(THFloatTensor *tensor, int count);
int set_and_free(THFloatTensor *tensor, THFloatTensor *source);
int keep_and_free(THFloatTensor *tensor);
int fail_after_free(THFloatTensor *tensor);
THFloatTensor *free_and_return(THFloatTensor *tensor);
