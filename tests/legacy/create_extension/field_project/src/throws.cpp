/* tests/legacy/create_extension/field_project/src/throws.cpp: exceptions of the project's own. */
#include <stdexcept>

namespace {
struct Odd {};
}

extern "C" void throw_it(int kind) {
  if (kind == 0) throw std::runtime_error("a runtime error of the project");
  if (kind == 1) throw std::out_of_range("an index of the project");
  if (kind == 2) throw Odd();
}
