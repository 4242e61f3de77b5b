/* TH/generic/THTensorRandom.h: fills with random numbers, drawn in row-major order, one after another. */
#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THTensorRandom.h"
#else

/* ---- Integers and coins, for every type -------------------------------------------------------------------------- */

/* Over the whole range of the type; floats get integers up to 2^24, doubles up to 2^53. */
TH_API void THTensor_(random)(THTensor *self, THGenerator *_generator);

/* Integers in [min, max), or [0, max). Errors: argument 2 or 1, an empty range. In float and double tensors a number below
 * zero comes out as 2^64 more, as it always has. */
TH_API void THTensor_(clampedRandom)(THTensor *self, THGenerator *_generator, int64_t min, int64_t max);
TH_API void THTensor_(cappedRandom)(THTensor *self, THGenerator *_generator, int64_t max);

/* See THRandom.h. Error: argument 1, p out of range. */
TH_API void THTensor_(geometric)(THTensor *self, THGenerator *_generator, double p);
TH_API void THTensor_(bernoulli)(THTensor *self, THGenerator *_generator, double p);

/* 1 with the probability at the same position of p. */
TH_API void THTensor_(bernoulli_FloatTensor)(THTensor *self, THGenerator *_generator, THFloatTensor *p);
TH_API void THTensor_(bernoulli_DoubleTensor)(THTensor *self, THGenerator *_generator, THDoubleTensor *p);

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

TH_API void THTensor_(bernoulli_Tensor)(THTensor *self, THGenerator *_generator, THTensor *p);

#endif

/* ---- Continuous distributions ------------------------------------------------------------------------------------ */

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

/* See THRandom.h. Error: argument 2, stdv <= 0. */
TH_API void THTensor_(uniform)(THTensor *self, THGenerator *_generator, double a, double b);
TH_API void THTensor_(normal)(THTensor *self, THGenerator *_generator, double mean, double stdv);
TH_API void THTensor_(exponential)(THTensor *self, THGenerator *_generator, double lambda);
TH_API void THTensor_(cauchy)(THTensor *self, THGenerator *_generator, double median, double sigma);
TH_API void THTensor_(logNormal)(THTensor *self, THGenerator *_generator, double mean, double stdv);

/* Mean or deviation, or both, from tensors, which self may be; self gets their size. */
TH_API void THTensor_(normal_means)(THTensor *self, THGenerator *gen, THTensor *means, double stddev);
TH_API void THTensor_(normal_stddevs)(THTensor *self, THGenerator *gen, double mean, THTensor *stddevs);
TH_API void THTensor_(normal_means_stddevs)(THTensor *self, THGenerator *gen, THTensor *means, THTensor *stddevs);

/* self gets the size of alpha. */
TH_API void THTensor_(standard_gamma)(THTensor *self, THGenerator *_generator, THTensor *alpha);

#endif

/* ---- Multinomial: positions drawn with the probabilities in prob_dist -------------------------------------------- */

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

/* n_sample positions for the vector prob_dist, or for each row of a matrix; prob_dist need not sum to one. Errors:
 * argument 2, n_sample < 1 or more than there are without replacement; a sum of probabilities <= 0 or NaN. */
TH_API void THTensor_(multinomial)(THLongTensor *self, THGenerator *_generator, THTensor *prob_dist, int n_sample,
                                   int with_replacement);

/* Walker's alias method: tables J and q from a vector of probabilities, then draws that fill self. A draw picks i
 * evenly and gives i with probability q[i], otherwise J[i] - 1: it takes J to count from 1, while the setup counts from
 * 0, as it always has. Errors: argument 2, a probability <= 0; 3 and 4, tables that are empty or of different sizes. */
TH_API void THTensor_(multinomialAliasSetup)(THTensor *prob_dist, THLongTensor *J, THTensor *q);
TH_API void THTensor_(multinomialAliasDraw)(THLongTensor *self, THGenerator *_generator, THLongTensor *J, THTensor *q);

#endif

/* ---- State of the generator -------------------------------------------------------------------------------------- */

#if defined(TH_REAL_IS_BYTE)

/* The THGenerator as bytes. Errors: argument 1, another number of bytes, not contiguous, no state of a seeded
 * generator. */
TH_API void THTensor_(getRNGState)(THGenerator *_generator, THTensor *self);
TH_API void THTensor_(setRNGState)(THGenerator *_generator, THTensor *self);

#endif

#endif
