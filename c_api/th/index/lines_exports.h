// c_api/th/index/lines_exports.h: what lines.cpp exports for each type.
TH_TENSOR(void, gather, THTensor *, THTensor *, int, THLongTensor *)
TH_TENSOR(void, scatter, THTensor *, int, THLongTensor *, THTensor *)
TH_TENSOR(void, scatterAdd, THTensor *, int, THLongTensor *, THTensor *)
TH_TENSOR(void, scatterFill, THTensor *, int, THLongTensor *, real)
