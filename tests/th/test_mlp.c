/* tests/th/test_mlp.c: a two-layer perceptron learns XOR, by calls of TH alone. */
#include <TH/TH.h>

enum { INPUTS = 2, HIDDEN = 8, EXAMPLES = 4 };

static THFloatTensor *of(int64_t rows, int64_t columns) { return THFloatTensor_newWithSize2d(rows, columns); }

int main(void) {
  const float x_values[] = {0, 0, 0, 1, 1, 0, 1, 1}, y_values[] = {0, 1, 1, 0};
  THGenerator *generator = THGenerator_new();
  THFloatTensor *x = of(EXAMPLES, INPUTS), *y = of(EXAMPLES, 1), *w1 = of(INPUTS, HIDDEN), *w2 = of(HIDDEN, 1);
  THFloatTensor *b1 = of(1, HIDDEN), *b2 = of(1, 1), *h = THFloatTensor_new(), *out = THFloatTensor_new();
  THFloatTensor *wide = THFloatTensor_new(), *error = THFloatTensor_new(), *back = THFloatTensor_new();
  THFloatTensor *slope = THFloatTensor_new(), *w2_t = THFloatTensor_newTranspose(w2, 0, 1), *x_t, *h_t, *sum;
  THLongStorage *hidden_size = THLongStorage_newWithSize2(EXAMPLES, HIDDEN);
  THLongStorage *out_size = THLongStorage_newWithSize2(EXAMPLES, 1);
  double loss = 0;
  int step, i;

  memcpy(THFloatTensor_data(x), x_values, sizeof x_values);
  memcpy(THFloatTensor_data(y), y_values, sizeof y_values);
  x_t = THFloatTensor_newTranspose(x, 0, 1);
  sum = THFloatTensor_new();
  THRandom_manualSeed(generator, 1);
  THFloatTensor_normal(w1, generator, 0, 1);
  THFloatTensor_normal(w2, generator, 0, 1);

  for (step = 0; step < 2000; step++) {
    THFloatTensor_expand(wide, b1, hidden_size);
    THFloatTensor_addmm(h, 1, wide, 1, x, w1);
    THFloatTensor_tanh(h, h);
    THFloatTensor_expand(wide, b2, out_size);
    THFloatTensor_addmm(out, 1, wide, 1, h, w2);
    THFloatTensor_sigmoid(out, out);
    THFloatTensor_csub(error, out, 1, y); /* of the logits, under cross entropy */
    loss = THFloatTensor_normall(error, 2);

    h_t = THFloatTensor_newTranspose(h, 0, 1);
    THFloatTensor_addmm(back, 0, h, 1, error, w2_t);
    THFloatTensor_cmul(slope, h, h);
    THFloatTensor_mul(slope, slope, -1);
    THFloatTensor_add(slope, slope, 1);
    THFloatTensor_cmul(back, back, slope);
    THFloatTensor_addmm(w2, 1, w2, -0.5f, h_t, error);
    THFloatTensor_sum(sum, error, 0, 1);
    THFloatTensor_cadd(b2, b2, -0.5f, sum);
    THFloatTensor_addmm(w1, 1, w1, -0.5f, x_t, back);
    THFloatTensor_sum(sum, back, 0, 1);
    THFloatTensor_cadd(b1, b1, -0.5f, sum);
    THFloatTensor_free(h_t);
  }

  printf("loss %g\n", loss);
  for (i = 0; i < EXAMPLES; i++)
    if (fabsf(THFloatTensor_get2d(out, i, 0) - y_values[i]) > 0.1f) return 1;

  THFloatTensor_free(x), THFloatTensor_free(y), THFloatTensor_free(w1), THFloatTensor_free(w2);
  THFloatTensor_free(b1), THFloatTensor_free(b2), THFloatTensor_free(h), THFloatTensor_free(out);
  THFloatTensor_free(wide), THFloatTensor_free(error), THFloatTensor_free(back), THFloatTensor_free(slope);
  THFloatTensor_free(w2_t), THFloatTensor_free(x_t), THFloatTensor_free(sum);
  THLongStorage_free(hidden_size), THLongStorage_free(out_size);
  THGenerator_free(generator);
  return 0;
}
