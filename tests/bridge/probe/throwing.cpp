// tests/bridge/probe/throwing.cpp: the functions of probe.h that throw C++ exceptions.
#include <new>
#include <stdexcept>

extern "C" {

int throw_exception(int kind, float *output) {
    if (output != nullptr) *output = 1;
    switch (kind) {
    case 0: return 0;
    case 1: throw std::runtime_error("a runtime error");
    case 2: throw std::bad_alloc();
    default: throw kind;
    }
}

int throw_at(const char *text) { throw std::runtime_error(text); }

}
