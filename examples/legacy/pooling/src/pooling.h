int pooling_version(void);

int pooling_Float_forward(THFloatTensor *input, THFloatTensor *output, THLongTensor *indices, int kernel, int stride);
int pooling_Double_forward(THDoubleTensor *input, THDoubleTensor *output, THLongTensor *indices, int kernel, int stride);

int pooling_Byte_unpool(THByteTensor *values, THLongTensor *indices, THByteTensor *output, int height, int width);
int pooling_Char_unpool(THCharTensor *values, THLongTensor *indices, THCharTensor *output, int height, int width);
int pooling_Short_unpool(THShortTensor *values, THLongTensor *indices, THShortTensor *output, int height, int width);
int pooling_Int_unpool(THIntTensor *values, THLongTensor *indices, THIntTensor *output, int height, int width);
int pooling_Long_unpool(THLongTensor *values, THLongTensor *indices, THLongTensor *output, int height, int width);
int pooling_Float_unpool(THFloatTensor *values, THLongTensor *indices, THFloatTensor *output, int height, int width);
int pooling_Double_unpool(THDoubleTensor *values, THLongTensor *indices, THDoubleTensor *output, int height, int width);

int pooling_Float_take(THFloatTensor *input, THLongTensor *indices, THFloatTensor *output);
int pooling_Double_take(THDoubleTensor *input, THLongTensor *indices, THDoubleTensor *output);

double pooling_Float_robust(THFloatTensor *input, THFloatTensor *slope, double width);
double pooling_Double_robust(THDoubleTensor *input, THDoubleTensor *slope, double width);
