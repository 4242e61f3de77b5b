// tests/bridge/probe_th/throwing.cpp: C++ in a legacy extension: its exceptions, its threads, its parallel regions.
#include <TH/TH.h>
#include <future>
#include <new>
#include <stdexcept>
#include <thread>

extern "C" {

int throw_exception(int kind) {
  switch (kind) {
  case 0: return 0;
  case 1: throw std::runtime_error("a runtime error");
  case 2: throw std::bad_alloc();
  default: throw kind;
  }
}

int fail_on_thread(int joined) {
  auto body = [] { THError("on a thread"); };
  if (joined) std::async(std::launch::async, body).get();
  else std::thread(body).join();
  return 1;
}

int fail_in_cxx_region(int threads) {
#pragma omp parallel num_threads(threads)
#pragma omp master  // of two threads that end the process, the second may keep the first from saying why
  THError("in a region of C++");
  return 1;
}

}
