/* tests/th/test_header_math.c: TH/THMath.h, which TH.h does not include. */
#include <TH/THMath.h>

static int differs(double got, double expected) { return !(fabs(got - expected) <= 1e-6 * fabs(expected)); }

int main(void) {
  int wrong = differs(TH_sigmoid(1), 0.7310585786) || differs(TH_sigmoidf(1), 0.7310585786);
  wrong |= differs(TH_frac(-2.75), -0.75) || differs(TH_fracf(-2.75f), -0.75);
  wrong |= differs(TH_rsqrt(4), 0.5) || differs(TH_rsqrtf(4), 0.5);
  wrong |= differs(TH_lerp(2, 6, 0.25), 3) || differs(TH_lerpf(2, 6, 0.25f), 3);
  wrong |= differs(TH_erfinv(0.5), 0.4769362762) || !isinf(TH_erfinv(1)) || !isnan(TH_erfinv(1.5));
  wrong |= differs(TH_digamma(1), -0.5772156649) || differs(TH_trigamma(1), 1.6449340668);
  wrong |= strcmp(torch_Generator, "torch.Generator") != 0;
  return wrong;
}
