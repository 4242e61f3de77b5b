/* structs.h: a function for each way in which values cross to C of the legacy kind. */
int add(THFloatTensor *input1, THFloatTensor *input2, THFloatTensor *output);
double trace(THDoubleTensor *matrix);
int64_t largest(THLongTensor *tensor);
void fill_rows(THFloatTensor *matrix, THLongTensor *values);
float sum_of_storage(THFloatStorage *storage);
void resize(THByteTensor *tensor, int64_t rows, int64_t columns);
THFloatTensor *first_row(THFloatTensor *matrix);
THFloatTensor *same(THFloatTensor *tensor);
THIntStorage *sizes_of(THFloatTensor *tensor);
int same_tensor(THFloatTensor *tensor1, THFloatTensor *tensor2);
void keep(THFloatTensor *tensor);
float sum_of_kept(void);
const char *describe(THFloatTensor *tensor);
int call(int (*function)(int), int value);
int sum_of(int count, ...);
double mixed(int a, unsigned char b, short c, int64_t d, float e, double f);
void check_positive(THFloatTensor *tensor);
void sum_rows(THFloatTensor *matrix, THFloatTensor *sums, int threads);
