// c_api/th/math/conv_exports.h: what conv.cpp exports for each type.
#define TH_PLANES(name, Mode)                                                                                          \
    TH_EXPORT(void, THTensor_(name##2Dptr), (::th::planes2d<::th::Mode, real>), real *, real, real *, int64_t,         \
              int64_t, real *, int64_t, int64_t, int64_t, int64_t)                                                     \
    TH_EXPORT(void, THTensor_(name##3Dptr), (::th::planes3d<::th::Mode, real>), real *, real, real *, int64_t,         \
              int64_t, int64_t, real *, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t)
TH_PLANES(validXCorr, ValidCorrelation)
TH_PLANES(validConv, ValidConvolution)
TH_PLANES(fullXCorr, FullCorrelation)
TH_PLANES(fullConv, FullConvolution)
#undef TH_PLANES
TH_EXPORT(void, THTensor_(validXCorr2DRevptr), (::th::planes2d<::th::ReversedCorrelation, real>), real *, real, real *,
          int64_t, int64_t, real *, int64_t, int64_t, int64_t, int64_t)
TH_EXPORT(void, THTensor_(validXCorr3DRevptr), (::th::planes3d<::th::ReversedCorrelation, real>), real *, real, real *,
          int64_t, int64_t, int64_t, real *, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t)

#define TH_CONV2D(name)                                                                                                \
    TH_TENSOR(void, name, THTensor *, real, real, THTensor *, THTensor *, int64_t, int64_t, const char *, const char *)
#define TH_CONV3D(name)                                                                                                \
    TH_TENSOR(void, name, THTensor *, real, real, THTensor *, THTensor *, int64_t, int64_t, int64_t, const char *,     \
              const char *)
TH_CONV2D(conv2Dmul)
TH_CONV2D(conv2Dcmul)
TH_CONV2D(conv2Dmv)
TH_CONV2D(conv2Dmm)
TH_CONV2D(conv2Dger)
TH_TENSOR(void, conv2DRevger, THTensor *, real, real, THTensor *, THTensor *, int64_t, int64_t)
TH_TENSOR(void, conv2DRevgerm, THTensor *, real, real, THTensor *, THTensor *, int64_t, int64_t)
TH_CONV3D(conv3Dmul)
TH_CONV3D(conv3Dcmul)
TH_CONV3D(conv3Dmv)
TH_CONV3D(conv3Dger)
TH_TENSOR(void, conv3DRevger, THTensor *, real, real, THTensor *, THTensor *, int64_t, int64_t, int64_t)
#undef TH_CONV2D
#undef TH_CONV3D
