// cuda_on_cpu/runtime/checks/report.cpp: the format SARIF 2.1.0 of OASIS, as far as programs read it that show findings in code.
#include "checks/report.h"

#include "checks/whole_file.h"
#include "errors.h"

#include <pthread.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

namespace cuda_on_cpu {
namespace {

struct Described {
    const char *id, *text;
};
// In the order of Rule.
constexpr Described rules[] = {
    {"launch-bounds", "A launch has more threads in a block than __launch_bounds__ says"},
    {"missing-barrier", "A result depends on the order in which threads run"},
    {"unwritten-shared-memory", "A kernel reads shared memory that it has not written"},
    {"divergent-barrier", "Not all threads of a block reach a barrier"},
    {"grid-barrier", "Not all blocks reach a barrier of the grid"},
    {"misaligned-access", "An address is not a multiple of the type's alignment"},
    {"host-memory-in-kernel", "A kernel is given memory of the host"},
    {"device-memory-on-host", "Code of the host uses memory of the device"},
    {"copy", "A side of a copy is not what the call says"},
    {"memory", "An access outside of an array, or to memory that was freed"},
    {"deadlock", "Threads wait for each other"},
    {"timeout", "A block waits for what no thread writes"},
    {"assertion", "An assertion in a kernel failed"},
    {"trap", "A kernel called __trap()"},
    {"exception", "A kernel threw a C++ exception"},
    {"not-served", "A kernel used what CUDA on the CPU has not"},
};

struct Result {
    Rule rule;
    std::string uri;
    int line;
    std::string text;
    bool is_note;
};
struct Results {
    std::mutex mutex;
    std::vector<Result> list;
};
Results &results() {
    static Results &made = *new Results;  // used until the process ends
    // A child has found nothing yet.
    static const int forked = pthread_atfork([] { made.mutex.lock(); }, [] { made.mutex.unlock(); },
                                             [] { made.list.clear(), made.mutex.unlock(); });
    (void)forked;
    return made;
}

// The bytes of the character of UTF-8 that begins there, or 0: names of files and cut lines may have others.
size_t character_at(const std::string &text, size_t i) {
    const auto byte = [&text](size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
    const unsigned first = byte(i), second = byte(i + 1);
    const size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    for (size_t k = 1; k < size; k++)
        if (byte(i + k) >> 6 != 2) return 0;
    // Forms that are too long, halves of UTF-16's pairs, and what is beyond the last character.
    const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                       (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
    return wrong ? 0 : size;
}

std::string quoted(const std::string &text) {
    std::string made = "\"";
    for (size_t i = 0; i < text.size();) {
        const size_t size = character_at(text, i);
        const auto byte = static_cast<unsigned char>(text[i]);
        char code[8];
        std::snprintf(code, sizeof code, "\\u%04x", size ? byte : 0xfffd);
        if (!size || byte < 32 || byte == 127) made += code;
        else if (byte == '"' || byte == '\\') (made += '\\') += text[i];
        else made.append(text, i, size);
        i += size ? size : 1;
    }
    return made + "\"";
}

// A file's name for readers in the current folder: relative to that, if it is in it.
std::string uri_of(const char *file) {
    char here[4096];
    std::string path = file, made;
    if (getcwd(here, sizeof here) && !path.compare(0, std::strlen(here), here) && path[std::strlen(here)] == '/')
        path.erase(0, std::strlen(here) + 1);
    else if (path[0] == '/') made = "file://";
    for (const char letter : path) {
        char code[4];
        std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned char>(letter));
        if (std::isalnum(static_cast<unsigned char>(letter)) || std::strchr("/._-~+", letter)) made += letter;
        else made += code;
    }
    return made;
}

void write(std::FILE *file, const std::vector<Result> &list) {
    std::fputs("{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": \"2.1.0\", \"runs\": [{\n"
               "\"tool\": {\"driver\": {\"name\": \"torchthaw\", \"rules\": [\n",
               file);
    const char *between = "";
    for (const Described &rule : rules) {
        std::fprintf(file, "%s{\"id\": \"%s\", \"shortDescription\": {\"text\": \"%s\"}}", between, rule.id, rule.text);
        between = ",\n";
    }
    std::fputs("\n]}},\n\"results\": [\n", file);
    between = "";
    for (const Result &result : list) {
        std::fprintf(file, "%s{\"ruleId\": \"%s\", \"level\": \"%s\", \"message\": {\"text\": %s}", between,
                     rules[int(result.rule)].id, result.is_note ? "note" : "error", quoted(result.text).c_str());
        if (!result.uri.empty()) {
            std::fprintf(file, ", \"locations\": [{\"physicalLocation\": {\"artifactLocation\": {\"uri\": %s}",
                         quoted(result.uri).c_str());
            if (result.line > 0) std::fprintf(file, ", \"region\": {\"startLine\": %d}", result.line);
            std::fputs("}}]", file);
        }
        std::fputc('}', file);
        between = ",\n";
    }
    std::fputs("\n]\n}]}\n", file);
}

void write_to(const std::string &folder, const std::vector<Result> &list) {
    const std::string path = folder + "/torchthaw-" + std::to_string(getpid()) + ".sarif";
    if (write_whole(folder, path, [&list](std::FILE *file) { write(file, list); })) return;
    static bool said = false;
    if (!said) print("TORCHTHAW_CUDA_REPORT: expected a folder for %s, got %s", path.c_str(), std::strerror(errno));
    said = true;
}

}  // namespace

bool is_listed(const Launch &launch, const char *listed) {
    if (!listed) return false;
    std::string name = std::string(launch.kernel).substr(0, std::strcspn(launch.kernel, "<"));
    if (const size_t scope = name.rfind(':'); scope != std::string::npos) name.erase(0, scope + 1);
    return ("," + std::string(listed) + ",").find("," + name + ",") != std::string::npos;
}

void add_result(Rule rule, Place place, const std::string &text, bool is_note) {
    const char *folder = std::getenv("TORCHTHAW_CUDA_REPORT");
    if (!folder || !*folder) return;
    Results &known = results();
    const std::lock_guard<std::mutex> lock(known.mutex);
    known.list.push_back({rule, place.file ? uri_of(place.file) : "", place.line, text, is_note});
    write_to(folder, known.list);
}

void tell(Rule rule, Place place, const char *format, ...) {
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    print("%s", line);
    add_result(rule, place, line);
}

}  // namespace cuda_on_cpu
