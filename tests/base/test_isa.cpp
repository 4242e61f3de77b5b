// tests/base/test_isa.cpp: a library's environment variable chooses its instruction set; what the CPU lacks is refused.
// Arguments: the variable, and the last instruction set that the library has.
#include "base/isa.h"

#include "base/refused_isa.h"

#include "../support/check.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

// The number of what a new process chooses, in which the variable has this value; nullptr: it has none. -1: it ends.
static int chosen(const char *variable, const char *value) {
    const pid_t child = fork();
    if (child == 0) {
        if (value) setenv(variable, value, 1);
        else unsetenv(variable);
        char text[256];
        _exit(base::is_refused_isa(text, sizeof text) ? 255 : static_cast<int>(base::isa()));
    }
    int status = -1;
    waitpid(child, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
    return code == 255 ? -1 : code;
}

// What is wrong with the value; "" where nothing is.
static std::string refusal(const char *variable, const char *value) {
    char text[256] = "";
    setenv(variable, value, 1);
    return base::is_refused_isa(text, sizeof text) ? text : "";
}

#if defined(__x86_64__)
// Whether Linux says that the CPU, and each below it, has what an instruction set needs.
static bool linux_has(int isa) {
    static const char *const needs[] = {"", " avx2 fma f16c ", " avx512f avx512bw avx512dq avx512vl ", " avx512_bf16 ",
                                        " amx_bf16 "};
    std::ifstream cpuinfo("/proc/cpuinfo");
    std::string line;
    while (std::getline(cpuinfo, line) && line.rfind("flags", 0) != 0) continue;
    line += " ";
    for (int i = 1; i <= isa; ++i) {
        std::istringstream words(needs[i]);
        for (std::string word; words >> word;)
            if (line.find(" " + word + " ") == std::string::npos) return false;
    }
    return true;
}
#endif

int main(int count, char **arguments) {
    CHECK(count == 3);
    const char *variable = arguments[1];
    const char *names[] = {"portable", "avx2", "avx512", "avx512_bf16", "amx_bf16"};
    const int best = chosen(variable, nullptr), last = static_cast<int>(base::last_isa);
    CHECK(best >= 0 && best <= last);
    CHECK(std::string(names[last]) == arguments[2]);
    CHECK(chosen(variable, "") == best && refusal(variable, "") == "");
    std::string all, usable = "portable";
    int expected_best = 0;
    for (int i = 0; i < 5; ++i) {
        const int got = chosen(variable, names[i]);
        CHECK(got == i || got == -1);
        CHECK((got == -1) == (refusal(variable, names[i]) != ""));
        if (i == best) CHECK(got == best);
#if defined(__x86_64__)
        if (i <= last) CHECK((got == i) == linux_has(i));
        // CPUs with AMX are slow at the instructions for bfloat16 without it.
        if (got == i && !(i == static_cast<int>(base::Isa::avx512_bf16) && __builtin_cpu_supports("amx-bf16")))
            expected_best = i;
#endif
        if (i <= last) all += (i == 0 ? "" : i == last ? " or " : ", ") + std::string(names[i]);
        if (i > 0 && got == i) usable += ", " + std::string(names[i]);
    }
    CHECK(best == expected_best);
    const size_t comma = usable.rfind(", ");
    if (comma != std::string::npos) usable.replace(comma, 2, " or ");
    const std::string start = std::string(variable) + ": expected ";
    CHECK(refusal(variable, "sse9") == start + all + ", got 'sse9'");
    for (int i = 0; i < 5; ++i) {
        const std::string got = std::string(", got '") + names[i] + "'", said = refusal(variable, names[i]);
        const std::string expected = i > last ? all : usable + ", which this processor has";
        if (said != "") CHECK(said == start + expected + got);
    }
    // A text that is too long for its memory ends there.
    const std::string whole = refusal(variable, "sse9");
    for (size_t size = 1; size < whole.size() + 3; ++size) {
        std::string text(size + 1, '#');
        CHECK(base::is_refused_isa(text.data(), size));
        CHECK(text.c_str() == whole.substr(0, size - 1) && text[size] == '#');
    }
    setenv(variable, "portable", 1);
    CHECK(std::string(base::isa_name()) == "portable");
    return failures() != 0;
}
