/* tests/bridge/probe_misuse/throwing.cpp */
#include <stdexcept>

extern "C" int call_and_throw(int (*function)(int)) {
    function(0);
    throw std::runtime_error("from C");
}
