/* tests/th/test_svd.c: singular values of a matrix, put together again. */
#include <TH/TH.h>

static void without_library(const char *message, void *data) {
  (void)data;
  if (strstr(message, "LAPACK library")) {
    printf("%s\n", message);
    exit(77); /* skipped */
  }
  printf("%s\n", message);
  exit(1);
}

int main(void) {
  THGenerator *generator = THGenerator_new();
  THDoubleTensor *a = THDoubleTensor_newWithSize2d(7, 4), *u = THDoubleTensor_new(), *s = THDoubleTensor_new();
  THDoubleTensor *v = THDoubleTensor_new(), *scaled, *v_t, *again = THDoubleTensor_new(), *gram = THDoubleTensor_new();
  THDoubleTensor *u_t, *identity = THDoubleTensor_new();
  double off;
  int64_t i;

  THSetErrorHandler(without_library, NULL);
  THRandom_manualSeed(generator, 2);
  THDoubleTensor_normal(a, generator, 0, 1);
  THDoubleTensor_gesvd(u, s, v, a, "S");

  scaled = THDoubleTensor_newClone(u);
  for (i = 0; i < 4; i++) {
    THDoubleTensor *column = THDoubleTensor_newSelect(scaled, 1, i);
    THDoubleTensor_mul(column, column, THDoubleTensor_get1d(s, i));
    THDoubleTensor_free(column);
    if (i && THDoubleTensor_get1d(s, i) > THDoubleTensor_get1d(s, i - 1)) return 1;
  }
  v_t = THDoubleTensor_newTranspose(v, 0, 1);
  THDoubleTensor_resizeAs(again, a);
  THDoubleTensor_addmm(again, 0, again, 1, scaled, v_t);
  off = THDoubleTensor_dist(again, a, 2);
  u_t = THDoubleTensor_newTranspose(u, 0, 1);
  THDoubleTensor_eye(identity, 4, 4);
  THDoubleTensor_addmm(gram, 0, identity, 1, u_t, u);
  printf("|U S V' - A| = %g, |U'U - 1| = %g\n", off, THDoubleTensor_dist(gram, identity, 2));
  if (off > 1e-12 || THDoubleTensor_dist(gram, identity, 2) > 1e-12) return 1;

  THDoubleTensor_free(a), THDoubleTensor_free(u), THDoubleTensor_free(s), THDoubleTensor_free(v);
  THDoubleTensor_free(scaled), THDoubleTensor_free(v_t), THDoubleTensor_free(again), THDoubleTensor_free(gram);
  THDoubleTensor_free(u_t), THDoubleTensor_free(identity);
  THGenerator_free(generator);
  return 0;
}
