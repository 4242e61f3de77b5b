/* tests/legacy/create_extension/field_project/src/own.cpp: compiled by the build file; names no library that it needs.
 * */
#include <ATen/ATen.h>
#include <TH/TH.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

using namespace at;

extern "C" int sort_values(THFloatTensor *tensor) {
  std::vector<float> values;
  TH_TENSOR_APPLY(float, tensor, values.push_back(*tensor_data););
  std::sort(values.begin(), values.end());
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads += 1;
#pragma omp parallel for
  for (long i = 0; i < (long)values.size(); ++i) THFloatTensor_data(tensor)[i] = values[i];
  std::cerr << std::string() << std::flush;
  return threads;
}

extern "C" long const_elements(const THFloatTensor *tensor) { return THFloatTensor_nElement(tensor); }
