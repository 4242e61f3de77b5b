/* tests/th/test_file_round_trip.c: a tensor written to a file and read again, as Torch7 code does it. */
#include <TH/TH.h>

static void save(const char *name, THFloatTensor *t, int binary) {
  THFile *file = THDiskFile_new(name, "w", 0);
  THLongStorage *size = THFloatTensor_newSizeOf(t);
  THFloatTensor *dense = THFloatTensor_newContiguous(t);
  if (binary) THFile_binary(file);
  THFile_writeIntScalar(file, t->nDimension);
  THFile_writeLong(file, size);
  THFile_writeFloatRaw(file, THFloatTensor_data(dense), (size_t)THFloatTensor_nElement(dense));
  THFloatTensor_free(dense);
  THLongStorage_free(size);
  THFile_free(file);
}

static THFloatTensor *load(const char *name, int binary) {
  THFile *file = THDiskFile_new(name, "r", 0);
  THLongStorage *size;
  THFloatTensor *t;
  if (binary) THFile_binary(file);
  size = THLongStorage_newWithSize(THFile_readIntScalar(file));
  THFile_readLong(file, size);
  t = THFloatTensor_newWithSize(size, NULL);
  THFile_readFloatRaw(file, THFloatTensor_data(t), (size_t)THFloatTensor_nElement(t));
  THLongStorage_free(size);
  THFile_free(file);
  return t;
}

int main(void) {
  THFloatTensor *t = THFloatTensor_newWithSize3d(2, 3, 4), *turned, *again;
  THGenerator *generator = THGenerator_new();
  int binary, failed = 0;
  THRandom_manualSeed(generator, 3);
  THFloatTensor_normal(t, generator, 0, 1e10);
  turned = THFloatTensor_newTranspose(t, 0, 2);
  for (binary = 0; binary < 2; binary++) {
    save("test_file_round_trip.tmp", turned, binary);
    again = load("test_file_round_trip.tmp", binary);
    failed += !THFloatTensor_equal(turned, again);
    THFloatTensor_free(again);
  }
  remove("test_file_round_trip.tmp");
  THFloatTensor_free(turned);
  THFloatTensor_free(t);
  THGenerator_free(generator);
  return failed;
}
