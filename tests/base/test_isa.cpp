// tests/base/test_isa.cpp: a library's environment variable chooses its instruction set, where the CPU has it.
// Arguments: the variable, and the last instruction set that the library has.
#include "base/isa.h"

#include "base/unknown_isa.h"

#include "../support/check.h"

#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

// The number of what a new process chooses, in which the variable has this value; nullptr: it has none.
static int chosen(const char *variable, const char *value) {
    const pid_t child = fork();
    if (child == 0) {
        if (value) setenv(variable, value, 1);
        else unsetenv(variable);
        _exit(static_cast<int>(base::isa()));
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    const char *variable = arguments[1];
    const char *names[] = {"portable", "avx2", "avx512", "avx512_bf16", "amx_bf16"};
    const int best = chosen(variable, nullptr);
    CHECK(best >= 0 && best <= static_cast<int>(base::last_isa));
    CHECK(std::string(names[static_cast<int>(base::last_isa)]) == arguments[2]);
    for (int i = 0; i < 5; ++i) CHECK(chosen(variable, names[i]) == (i <= best ? i : best));
    CHECK(chosen(variable, "") == best);
    char text[256] = "";
    setenv(variable, "sse9", 1);
    CHECK(base::is_unknown_isa(text, sizeof text));
    const std::string said = text, expected = std::string(variable) + ": expected portable, avx2";
    CHECK(said.compare(0, expected.size(), expected) == 0);
    CHECK(said.find(std::string(" or ") + arguments[2] + ", got 'sse9'") != std::string::npos);
    for (const char *name : names) {
        setenv(variable, name, 1);
        CHECK(!base::is_unknown_isa(text, sizeof text));
    }
    setenv(variable, "", 1);
    CHECK(!base::is_unknown_isa(text, sizeof text));
    setenv(variable, "portable", 1);
    CHECK(std::string(base::isa_name()) == "portable");
    return failures() != 0;
}
