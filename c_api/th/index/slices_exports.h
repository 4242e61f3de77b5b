// c_api/th/index/slices_exports.h: what slices.cpp exports for each type.
TH_TENSOR(void, indexSelect, THTensor *, THTensor *, int, THLongTensor *)
TH_TENSOR(void, indexCopy, THTensor *, int, THLongTensor *, THTensor *)
TH_TENSOR(void, indexAdd, THTensor *, int, THLongTensor *, THTensor *)
TH_TENSOR(void, indexFill, THTensor *, int, THLongTensor *, real)
