/* throwing.cpp: a C++ exception for pointers.c. */
#include <stdexcept>

extern "C" void throw_error(const char *message) { throw std::runtime_error(message); }
