// c_api/th/math/pointwise_types.h: which operations exist for a type.
TH_ARITHMETIC(TH_SAME)
TH_COMPARISONS(TH_SAME)
#if !defined(TH_REAL_IS_BYTE)
TH_COMPARISONS(TH_BYTE)
#endif
#if !defined(TH_REAL_IS_BYTE) && !defined(TH_REAL_IS_CHAR)
TH_SIGNED_ARITHMETIC(TH_SAME)
#endif
#if !defined(TH_REAL_IS_FLOAT) && !defined(TH_REAL_IS_DOUBLE)
TH_BITWISE(TH_SAME)
#endif
