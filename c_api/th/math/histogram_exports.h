// c_api/th/math/histogram_exports.h: TH<Real>Tensor functions that count elements in bins.
TH_TENSOR(void, histc, THTensor *, THTensor *, int64_t, real, real)
TH_TENSOR(void, bhistc, THTensor *, THTensor *, int64_t, real, real)
