// c_api/th/index/elements_exports.h: what elements.cpp exports for each type.
TH_TENSOR(void, take, THTensor *, THTensor *, THLongTensor *)
TH_TENSOR(void, put, THTensor *, THLongTensor *, THTensor *, int)
