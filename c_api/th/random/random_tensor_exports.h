// c_api/th/random/random_tensor_exports.h: what random_tensor.cpp exports for each type.
TH_TENSOR(void, random, THTensor *, THGenerator *)
TH_TENSOR(void, clampedRandom, THTensor *, THGenerator *, int64_t, int64_t)
TH_TENSOR(void, cappedRandom, THTensor *, THGenerator *, int64_t)
TH_EXPORT(void, THTensor_(geometric), ::th::fill_geometric<real>, THTensor *, THGenerator *, double)
TH_EXPORT(void, THTensor_(bernoulli), ::th::fill_bernoulli<real>, THTensor *, THGenerator *, double)
TH_EXPORT(void, THTensor_(bernoulli_FloatTensor), (::th::bernoulli_tensor<real, float>), THTensor *, THGenerator *,
          THFloatTensor *)
TH_EXPORT(void, THTensor_(bernoulli_DoubleTensor), (::th::bernoulli_tensor<real, double>), THTensor *, THGenerator *,
          THDoubleTensor *)
TH_TENSOR(void, randperm, THTensor *, THGenerator *, int64_t)

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
TH_EXPORT(void, THTensor_(bernoulli_Tensor), (::th::bernoulli_tensor<real, real>), THTensor *, THGenerator *,
          THTensor *)
TH_EXPORT(void, THTensor_(uniform), ::th::fill_uniform<real>, THTensor *, THGenerator *, double, double)
TH_EXPORT(void, THTensor_(normal), ::th::fill_normal<real>, THTensor *, THGenerator *, double, double)
TH_EXPORT(void, THTensor_(exponential), ::th::fill_exponential<real>, THTensor *, THGenerator *, double)
TH_EXPORT(void, THTensor_(cauchy), ::th::fill_cauchy<real>, THTensor *, THGenerator *, double, double)
TH_EXPORT(void, THTensor_(logNormal), ::th::fill_log_normal<real>, THTensor *, THGenerator *, double, double)
TH_TENSOR(void, normal_means, THTensor *, THGenerator *, THTensor *, double)
TH_TENSOR(void, normal_stddevs, THTensor *, THGenerator *, double, THTensor *)
TH_TENSOR(void, normal_means_stddevs, THTensor *, THGenerator *, THTensor *, THTensor *)
TH_EXPORT(void, THTensor_(standard_gamma), ::th::fill_standard_gamma<real>, THTensor *, THGenerator *, THTensor *)
TH_TENSOR(void, rand, THTensor *, THGenerator *, THLongStorage *)
TH_TENSOR(void, randn, THTensor *, THGenerator *, THLongStorage *)
TH_TENSOR(void, multinomial, THLongTensor *, THGenerator *, THTensor *, int, int)
TH_EXPORT_READER(THTensor_(multinomialAliasSetup), ::th::multinomialAliasSetup<real>, THTensor *, THLongTensor *,
                 THTensor *)
TH_TENSOR(void, multinomialAliasDraw, THLongTensor *, THGenerator *, THLongTensor *, THTensor *)
TH_TENSOR(void, dirichlet_grad, THTensor *, THTensor *, THTensor *, THTensor *)
TH_EXPORT(void, THVector_(normal_fill), ::th::normal_fill<real>, real *, const int64_t, THGenerator *, const real,
          const real)
#endif

#if defined(TH_REAL_IS_BYTE)
TH_EXPORT(void, THTensor_(getRNGState), ::th::getRNGState, THGenerator *, THTensor *)
TH_EXPORT(void, THTensor_(setRNGState), ::th::setRNGState, THGenerator *, THTensor *)
#endif
