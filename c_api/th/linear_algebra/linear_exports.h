// c_api/th/linear_algebra/linear_exports.h: what linear.cpp exports for each type.
TH_TENSOR(void, addmv, THTensor *, real, THTensor *, real, THTensor *, THTensor *)
TH_TENSOR(void, addmm, THTensor *, real, THTensor *, real, THTensor *, THTensor *)
TH_TENSOR(void, addr, THTensor *, real, THTensor *, real, THTensor *, THTensor *)
TH_TENSOR(void, addbmm, THTensor *, real, THTensor *, real, THTensor *, THTensor *)
TH_TENSOR(void, baddbmm, THTensor *, real, THTensor *, real, THTensor *, THTensor *)
TH_TENSOR(void, match, THTensor *, THTensor *, THTensor *, real)
