// c_api/thc/math/math_exports.h: what math.cpp exports for each type.
THC_EXPORT(void, THCTensor_(fill), ::th::fill<real>, THCTensor *, real)
THC_EXPORT(void, THCTensor_(zero), ::th::zero<real>, THCTensor *)
THC_EXPORT(ptrdiff_t, THCTensor_(numel), ::th::elements_of, THCTensor *)
THC_EXPORT(void, THCTensor_(cadd), ::th::cadd<real>, THCTensor *, THCTensor *, real, THCTensor *)
THC_EXPORT(void, THCTensor_(csub), ::th::csub<real>, THCTensor *, THCTensor *, real, THCTensor *)
THC_EXPORT(accreal, THCTensor_(sumall), ::th::sumall<real>, THCTensor *)
THC_EXPORT(void, THCTensor_(scatterAdd), ::th::scatterAdd<real>, THCTensor *, int, THCudaLongTensor *, THCTensor *)
THC_EXPORT(void, THCTensor_(bernoulli), ::th::bernoulli<real>, THCTensor *, double)
#if defined(THC_REAL_IS_HALF) || defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_DOUBLE)
THC_EXPORT(accreal, THCTensor_(normall), ::th::normall<real>, THCTensor *, real)
#endif
