// c_api/thc/math/linear_exports.h: what linear.cpp exports for each type.
THC_EXPORT(accreal, THCTensor_(dot), ::th::dot<real>, THCTensor *, THCTensor *)
THC_EXPORT(void, THCTensor_(addmv), ::th::addmv<real>, THCTensor *, real, THCTensor *, real, THCTensor *, THCTensor *)
THC_EXPORT(void, THCTensor_(addmm), ::th::addmm<real>, THCTensor *, real, THCTensor *, real, THCTensor *, THCTensor *)
THC_EXPORT(void, THCTensor_(addr), ::th::addr<real>, THCTensor *, real, THCTensor *, real, THCTensor *, THCTensor *)
THC_EXPORT(void, THCTensor_(addbmm), ::th::addbmm<real>, THCTensor *, real, THCTensor *, real, THCTensor *, THCTensor *)
THC_EXPORT(void, THCTensor_(baddbmm), ::th::baddbmm<real>, THCTensor *, real, THCTensor *, real, THCTensor *,
           THCTensor *)
THC_EXPORT(void, THCTensor_(btrifact), ::th::btrifact<real>, THCTensor *, THCudaIntTensor *, THCudaIntTensor *, int,
           THCTensor *)
THC_EXPORT(void, THCTensor_(btrisolve), ::th::btrisolve<real>, THCTensor *, THCTensor *, THCTensor *, THCudaIntTensor *)
