// c_api/th/index/masks_exports.h: what masks.cpp exports for each type.
TH_TENSOR(void, maskedFill, THTensor *, THByteTensor *, real)
TH_TENSOR(void, maskedCopy, THTensor *, THByteTensor *, THTensor *)
TH_TENSOR(void, maskedSelect, THTensor *, THTensor *, THByteTensor *)
TH_TENSOR(void, nonzero, THLongTensor *, THTensor *)
