// tests/th/fuzz_functions.h: the functions that random_calls.cpp knows; X(Real, name) for each, or X(whole name).
//
// ADAPTED: through a function of random_calls.cpp whose arguments can be drawn by their types. NEW: what these return
// is to be released.

// TH<Real>Tensor_<name> of every type.
#define FUZZ_VIEWS(X, Real)                                                                                            \
    X(Real, storage) X(Real, storageOffset) X(Real, nDimension) X(Real, size) X(Real, stride) X(Real, data)            \
    X(Real, expand) X(Real, resize) X(Real, resizeAs) X(Real, resize1d) X(Real, resize2d) X(Real, resize3d)            \
    X(Real, resize4d) X(Real, resize5d) X(Real, set) X(Real, narrow) X(Real, select) X(Real, transpose)                \
    X(Real, unfold) X(Real, squeeze) X(Real, squeeze1d) X(Real, unsqueeze1d) X(Real, isContiguous)                     \
    X(Real, isSameSizeAs) X(Real, isSetTo) X(Real, isSize) X(Real, nElement) X(Real, set1d) X(Real, set2d)             \
    X(Real, set3d) X(Real, set4d) X(Real, get1d) X(Real, get2d) X(Real, get3d) X(Real, get4d) X(Real, desc)            \
    X(Real, sizeDesc) X(Real, copy) X(Real, copyByte) X(Real, copyChar) X(Real, copyShort) X(Real, copyInt)            \
    X(Real, copyLong) X(Real, copyFloat) X(Real, copyDouble) X(Real, copyHalf) X(Real, setStorage)                     \
    X(Real, setStorage1d) X(Real, setStorage2d) X(Real, setStorage3d) X(Real, setStorage4d)

#define FUZZ_VIEWS_ADAPTED(X, Real)                                                                                    \
    X(Real, setStorageNd) X(Real, resizeNd) X(Real, expandNd) X(Real, retain) X(Real, freeCopyTo)

#define FUZZ_VIEWS_NEW(X, Real)                                                                                        \
    X(Real, newWithTensor) X(Real, newSizeOf) X(Real, newStrideOf) X(Real, newClone) X(Real, newContiguous)            \
    X(Real, newSelect) X(Real, newNarrow) X(Real, newTranspose) X(Real, newUnfold) X(Real, newView)                    \
    X(Real, newExpand) X(Real, newWithSize) X(Real, newWithSize1d) X(Real, newWithSize2d) X(Real, newWithSize3d)       \
    X(Real, newWithSize4d) X(Real, new) X(Real, newWithStorage) X(Real, newWithStorage1d) X(Real, newWithStorage2d)    \
    X(Real, newWithStorage3d) X(Real, newWithStorage4d)

// Of every type but Half.
#define FUZZ_NUMBERS(X, Real)                                                                                          \
    X(Real, random) X(Real, clampedRandom) X(Real, cappedRandom) X(Real, geometric) X(Real, bernoulli)                 \
    X(Real, bernoulli_FloatTensor) X(Real, bernoulli_DoubleTensor) X(Real, fill) X(Real, zero) X(Real, maskedFill)     \
    X(Real, maskedCopy) X(Real, maskedSelect) X(Real, nonzero) X(Real, indexSelect) X(Real, indexCopy)                 \
    X(Real, indexAdd) X(Real, indexFill) X(Real, take) X(Real, put) X(Real, gather) X(Real, scatter)                   \
    X(Real, scatterAdd) X(Real, scatterFill) X(Real, dot) X(Real, minall) X(Real, maxall) X(Real, medianall)           \
    X(Real, sumall) X(Real, prodall) X(Real, add) X(Real, sub) X(Real, add_scaled) X(Real, sub_scaled) X(Real, mul)    \
    X(Real, div) X(Real, lshift) X(Real, rshift) X(Real, fmod) X(Real, remainder) X(Real, clamp) X(Real, bitand)       \
    X(Real, bitor) X(Real, bitxor) X(Real, cadd) X(Real, csub) X(Real, cmul) X(Real, cpow) X(Real, cdiv)               \
    X(Real, clshift) X(Real, crshift) X(Real, cfmod) X(Real, cremainder) X(Real, cbitand) X(Real, cbitor)              \
    X(Real, cbitxor) X(Real, addcmul) X(Real, addcdiv) X(Real, addmv) X(Real, addmm) X(Real, addr) X(Real, addbmm)     \
    X(Real, baddbmm) X(Real, match) X(Real, numel) X(Real, max) X(Real, min) X(Real, kthvalue) X(Real, mode)           \
    X(Real, median) X(Real, sum) X(Real, prod) X(Real, cumsum) X(Real, cumprod) X(Real, sign) X(Real, trace)           \
    X(Real, cross) X(Real, cmax) X(Real, cmin) X(Real, cmaxValue) X(Real, cminValue) X(Real, zeros)                    \
    X(Real, zerosLike) X(Real, ones) X(Real, onesLike) X(Real, diag) X(Real, eye) X(Real, arange) X(Real, range)       \
    X(Real, randperm) X(Real, reshape) X(Real, sort) X(Real, topk) X(Real, tril) X(Real, triu) X(Real, cat)            \
    X(Real, equal) X(Real, ltValue) X(Real, leValue) X(Real, gtValue) X(Real, geValue) X(Real, neValue)                \
    X(Real, eqValue) X(Real, ltValueT) X(Real, leValueT) X(Real, gtValueT) X(Real, geValueT) X(Real, neValueT)         \
    X(Real, eqValueT) X(Real, ltTensor) X(Real, leTensor) X(Real, gtTensor) X(Real, geTensor) X(Real, neTensor)        \
    X(Real, eqTensor) X(Real, ltTensorT) X(Real, leTensorT) X(Real, gtTensorT) X(Real, geTensorT) X(Real, neTensorT)   \
    X(Real, eqTensorT) X(Real, tpow) X(Real, conv2DRevger) X(Real, conv2DRevgerm) X(Real, conv2Dger)                   \
    X(Real, conv2Dmv) X(Real, conv2Dmm) X(Real, conv2Dmul) X(Real, conv2Dcmul) X(Real, conv3DRevger)                   \
    X(Real, conv3Dger) X(Real, conv3Dmv) X(Real, conv3Dmul) X(Real, conv3Dcmul)

#define FUZZ_NUMBERS_ADAPTED(X, Real)                                                                                  \
    X(Real, catArray)

// Of Float and Double.
#define FUZZ_FLOATING(X, Real)                                                                                         \
    X(Real, uniform) X(Real, normal) X(Real, normal_means) X(Real, normal_stddevs) X(Real, normal_means_stddevs)       \
    X(Real, exponential) X(Real, standard_gamma) X(Real, cauchy) X(Real, logNormal) X(Real, multinomial)               \
    X(Real, multinomialAliasSetup) X(Real, multinomialAliasDraw) X(Real, cinv) X(Real, sigmoid) X(Real, log)           \
    X(Real, lgamma) X(Real, log1p) X(Real, exp) X(Real, cos) X(Real, acos) X(Real, cosh) X(Real, sin) X(Real, asin)    \
    X(Real, sinh) X(Real, tan) X(Real, atan) X(Real, atan2) X(Real, tanh) X(Real, erf) X(Real, erfinv) X(Real, pow)    \
    X(Real, sqrt) X(Real, rsqrt) X(Real, ceil) X(Real, floor) X(Real, round) X(Real, trunc) X(Real, frac)              \
    X(Real, lerp) X(Real, mean) X(Real, std) X(Real, var) X(Real, norm) X(Real, renorm) X(Real, dist) X(Real, histc)   \
    X(Real, bhistc) X(Real, meanall) X(Real, varall) X(Real, stdall) X(Real, normall) X(Real, linspace)                \
    X(Real, logspace) X(Real, rand) X(Real, randn) X(Real, gesv) X(Real, trtrs) X(Real, gels) X(Real, syev)            \
    X(Real, geev) X(Real, gesvd) X(Real, gesvd2) X(Real, getri) X(Real, potrf) X(Real, potrs) X(Real, potri)           \
    X(Real, qr) X(Real, geqrf) X(Real, orgqr) X(Real, ormqr) X(Real, pstrf) X(Real, btrifact) X(Real, btrisolve)       \
    X(Real, bernoulli_Tensor) X(Real, digamma) X(Real, trigamma) X(Real, polygamma) X(Real, log10) X(Real, log2)       \
    X(Real, expm1) X(Real, dirichlet_grad)

// Of Short, Int, Long, Float and Double.
#define FUZZ_SIGNED(X, Real)                                                                                           \
    X(Real, neg) X(Real, abs)

// Of Byte.
#define FUZZ_BYTE(X, Real)                                                                                             \
    X(Real, logicalall) X(Real, logicalany) X(Real, getRNGState) X(Real, setRNGState)

// TH<Real>Storage_<name> of every type.
#define FUZZ_STORAGE(X, Real)                                                                                          \
    X(Real, data) X(Real, size) X(Real, elementSize) X(Real, set) X(Real, get) X(Real, resize) X(Real, fill)           \
    X(Real, swap) X(Real, copy) X(Real, copyByte) X(Real, copyChar) X(Real, copyShort) X(Real, copyInt)                \
    X(Real, copyLong) X(Real, copyFloat) X(Real, copyDouble) X(Real, copyHalf)

#define FUZZ_STORAGE_NEW(X, Real)                                                                                      \
    X(Real, new) X(Real, newWithSize) X(Real, newWithSize1) X(Real, newWithSize2) X(Real, newWithSize3)                \
    X(Real, newWithSize4)

// THFile_<read or write><Real><Scalar, nothing or Raw> of every type, on files in memory.
#define FUZZ_FILE(X, Real)                                                                                             \
    X(THFile_read##Real##Scalar) X(THFile_write##Real##Scalar) X(THFile_read##Real) X(THFile_write##Real)
#define FUZZ_FILE_ADAPTED(X, Real)                                                                                     \
    X(THFile_read##Real##Raw) X(THFile_write##Real##Raw)

// The rest.
#define FUZZ_OTHER(X)                                                                                                  \
    X(THFile_isOpened) X(THFile_isQuiet) X(THFile_isReadable) X(THFile_isWritable) X(THFile_isBinary)                  \
    X(THFile_isAutoSpacing) X(THFile_hasError) X(THFile_binary) X(THFile_ascii) X(THFile_autoSpacing)                  \
    X(THFile_noAutoSpacing) X(THFile_quiet) X(THFile_pedantic) X(THFile_clearError) X(THFile_synchronize)              \
    X(THFile_seek) X(THFile_seekEnd) X(THFile_position) X(THFile_close) X(THRandom_random) X(THRandom_random64)        \
    X(THRandom_standard_uniform) X(THRandom_uniform) X(THRandom_uniformFloat) X(THRandom_normal)                       \
    X(THRandom_exponential) X(THRandom_standard_gamma) X(THRandom_cauchy) X(THRandom_logNormal) X(THRandom_geometric)  \
    X(THRandom_bernoulli) X(THRandom_manualSeed) X(THRandom_initialSeed) X(THGenerator_isValid)                        \
    X(THGeneratorState_isValid) X(THLongStorage_sizeDesc) X(THMemoryFile_storage) X(THMemoryFile_longSize)             \
    X(TH_float2half) X(TH_half2float) X(THLogAdd) X(THLogSub) X(THExpMinusApprox) X(THLog1p) X(THLog2) X(THExpm1)

#define FUZZ_OTHER_ADAPTED(X)                                                                                          \
    X(THFile_readStringRaw) X(THFile_writeStringRaw) X(THLongStorage_newInferSize) X(THLongStorage_inferSize2)         \
    X(THLongStorage_inferSizeN) X(THLongStorage_inferExpandGeometry) X(THSize_isSameSizeAs) X(THSize_nElement)
