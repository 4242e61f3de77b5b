// c_api/th/index/sort_exports.h: TH<Real>Tensor functions of order along a dimension.
TH_EXPORT(void, THTensor_(sort), ::th::sort_along<real>, THTensor *, THLongTensor *, THTensor *, int, int)
TH_TENSOR(void, topk, THTensor *, THLongTensor *, THTensor *, int64_t, int, int, int)
TH_TENSOR(void, kthvalue, THTensor *, THLongTensor *, THTensor *, int64_t, int, int)
TH_TENSOR(void, median, THTensor *, THLongTensor *, THTensor *, int, int)
TH_TENSOR(real, medianall, THTensor *)
TH_TENSOR(void, mode, THTensor *, THLongTensor *, THTensor *, int, int)
