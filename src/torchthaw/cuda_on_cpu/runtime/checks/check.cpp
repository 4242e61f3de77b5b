// cuda_on_cpu/runtime/checks/check.cpp: what TORCHTHAW_CUDA_CHECK=1 finds.
#include "checks/check.h"

#include "execution/block.h"
#include "memory/memory.h"
#include "checks/report.h"
#include "checks/sanitizer.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

namespace cuda_on_cpu {

int checking = 0;  // set before main

namespace {

// ---- Findings: each once, and an exit status of 1 -------------------------------------------------------------------

int findings = 0;

std::mutex &noting = *new std::mutex;  // of blocks that run at once

bool is_new(const std::string &key) {
    const std::lock_guard<std::mutex> lock(noting);
    static std::set<std::string> &said = *new std::set<std::string>;
    return said.insert(key).second;
}
// What cards permit, but a reader may not have meant: it leaves the exit status.
void note(Rule rule, Place place, const std::string &key, const std::string &text) {
    if (!is_new(key)) return;
    print("check: note: %s", text.c_str());
    add_result(rule, place, text, true);
}
void report(const Launch &launch, Rule rule, Place place, const std::string &key, const std::string &text) {
    if (is_listed(launch, std::getenv("TORCHTHAW_CUDA_KNOWN"))) return note(rule, place, key, text + " (known: TORCHTHAW_CUDA_KNOWN lists the kernel)");
    if (!is_new(key)) return;
    ++findings;
    print("check: %s", text.c_str());
    add_result(rule, place, text);
}

std::string at(Place place) { return std::string(place.file) + ":" + std::to_string(place.line); }
std::string text_of(const Launch &launch) {
    return "kernel " + std::string(launch.kernel) + ", launched at " + at(launch.place);
}
std::string text_of(uint3 i) {
    return "(" + std::to_string(i.x) + "," + std::to_string(i.y) + "," + std::to_string(i.z) + ")";
}

// AddressSanitizer's report is complete; this is what it does not know.
void after_report(const char *) {
    const char *address = static_cast<const char *>(__asan_get_report_address());
    const SourceLine accessed = __asan_get_report_pc ? source_of(__asan_get_report_pc()) : SourceLine{};
    const Place place = accessed.place();
    std::string text = __asan_get_report_description ? __asan_get_report_description() : "an error of memory";
    char shared[512] = "";
    Array array;
    if (Block *block = Block::running()) {
        block->shared().describe(address, shared, sizeof shared);
        print("check: this happened in %s, launched at %s", where().text, at(block->launch()->place).c_str());
        if (*shared) print("check: the address is %s", shared);
        text += " in " + std::string(where().text) + (*shared ? std::string(": ") + shared : "");
    } else if (find_array(address, &array) && array.type == cudaMemoryTypeDevice) {
        return tell(Rule::device_memory, place,
                    "check: the host used memory of the device: the address is %zu bytes into an array of %zu bytes of "
                    "cudaMalloc; copy it to the host first (cudaMemcpy, or .cpu() in Python)",
                    size_t(address - array.address), array.bytes);
    }
    add_result(Rule::memory, place, text);
}

[[gnu::constructor]] void begin() {
    const char *given = std::getenv("TORCHTHAW_CUDA_CHECK");
    if (!given || !*given || !std::strcmp(given, "0")) return;
    if (std::strcmp(given, "1") != 0) {
        print("TORCHTHAW_CUDA_CHECK: expected 0 or 1, got '%s'", given);
        _exit(1);
    }
    checking = 1;
    if (__asan_set_error_report_callback) __asan_set_error_report_callback(after_report);
    on_exit(
        [](int status, void *) {
            if (!findings || status) return;
            print("check: %d finding%s; the exit status is 1", findings, findings == 1 ? "" : "s");
            std::fflush(nullptr);
            _exit(1);
        },
        nullptr);
}

// ---- Results of two orders ------------------------------------------------------------------------------------------

// Arrays that got sums of floats by atomics in this launch, and the bytes of one float.
struct Sums {
    char *begin, *end;
    int bytes;
    bool by_swaps;  // of integers, which are the bits of floats, perhaps
};
std::vector<Sums> sums;
bool places_by_atomics;  // integer atomics on memory of the device, by which threads may take places

struct Kept {
    Array array;
    std::vector<char> before, ascending;
};

std::vector<char> bytes_of(const Array &array) { return {array.address, array.address + array.bytes}; }
void put(const Array &array, const std::vector<char> &bytes) {
    if (!bytes.empty()) std::memcpy(array.address, bytes.data(), bytes.size());
}

float from_half(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                       : exponent     ? std::ldexp(float(1024 + fraction), exponent - 25)
                                      : std::ldexp(float(fraction), -24);
    return bits & 0x8000 ? -size : size;
}
double value(const char *from, size_t i, int bytes) {
    if (bytes == 8) {
        double x;
        return std::memcpy(&x, from + i * 8, 8), x;
    }
    if (bytes == 4) {
        float x;
        return std::memcpy(&x, from + i * 4, 4), double(x);
    }
    uint16_t bits;
    return std::memcpy(&bits, from + i * 2, 2), double(from_half(bits));
}

bool is_normal(double x, int bytes) { return bytes == 8 ? std::isnormal(x) : std::isnormal(float(x)); }

// The first byte that differs, or `bytes`. Sums of floats may differ by their rounding: by 1000 units in the last place
// of the array's largest value, 16 for numbers of two bytes.
size_t first_difference(const Array &array, const char *a, const char *b) {
    size_t i = 0;
    while (i < array.bytes && a[i] == b[i]) ++i;
    if (i == array.bytes) return i;
    for (const Sums &each : sums) {
        if (each.begin != array.address) continue;
        const size_t count = array.bytes / size_t(each.bytes);
        double largest = 0;
        for (size_t k = 0; k < count; k++) {
            const double size = std::fabs(value(a, k, each.bytes));
            if (std::isfinite(size) && size > largest) largest = size;
        }
        const double unit = each.bytes == 8 ? 0x1p-52 : each.bytes == 4 ? 0x1p-23 : 0x1p-7;  // bfloat16's
        const double slack = largest * unit * (each.bytes == 2 ? 4 : 1000);
        for (size_t k = 0; k < count; k++) {
            const double x = value(a, k, each.bytes), y = value(b, k, each.bytes);
            // Integers are seldom the bits of normal numbers: those from 2^23 on, or 2^52.
            const size_t at = k * size_t(each.bytes);
            if (each.by_swaps && std::memcmp(a + at, b + at, size_t(each.bytes)) != 0 &&
                !(is_normal(x, each.bytes) && is_normal(y, each.bytes)))
                return at;
            if (!(std::fabs(x - y) <= slack) && !(x == y) && !(std::isnan(x) && std::isnan(y)))
                return k * size_t(each.bytes);
        }
        return array.bytes;
    }
    return i;
}

std::string name_of(const Launch &launch, const Array &array) {
    std::string size = std::to_string(array.bytes) + " bytes";
    if (!array.name.empty()) return "the variable " + array.name + " of " + size;
    for (int i = 0; i < launch.count; i++) {
        const auto *pointer = static_cast<const char *>(launch.pointers[i]);
        if (pointer && pointer >= array.address && pointer < array.address + array.bytes)
            return "the array of argument " + std::to_string(i + 1) + ", " + argument_text(launch.arguments, i) + ", of " +
                   size;
    }
    return "the array of " + size + " that was allocated as number " + std::to_string(array.number);
}

// "float 1.5, int 1069547520" of the four bytes around a difference.
std::string word(const char *bytes, size_t size, size_t at) {
    const size_t begin = at / 4 * 4;
    if (begin + 4 > size) return "byte " + std::to_string(static_cast<unsigned char>(bytes[at]));
    float f;
    int i;
    std::memcpy(&f, bytes + begin, 4);
    std::memcpy(&i, bytes + begin, 4);
    char text[64];
    std::snprintf(text, sizeof text, "%d (as float %g)", i, double(f));
    return text;
}

void restore(const std::vector<Kept> &kept) {
    for (const Kept &each : kept) put(each.array, each.before);
}

}  // namespace

std::string argument_text(const char *texts, int i) {
    int depth = 0;
    std::string text;
    for (const char *c = texts; *c; c++) {
        if (std::strchr("([{", *c)) ++depth;
        if (std::strchr(")]}", *c)) --depth;
        if (*c == ',' && depth == 0) {
            if (i-- == 0) break;
            text.clear();
        } else if (i == 0) {
            text += *c;
        }
    }
    const size_t first = text.find_first_not_of(" \n"), last = text.find_last_not_of(" \n");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

static void note_sum(const void *address, int bytes, bool by_swaps) {
    const std::lock_guard<std::mutex> lock(noting);
    const char *a = static_cast<const char *>(address);
    for (const Sums &each : sums)
        if (a >= each.begin && a < each.end) return;
    Array array;
    if (find_array(address, &array)) sums.push_back({array.address, array.address + array.bytes, bytes, by_swaps});
}
void note_float_atomic(const void *address, int bytes) { note_sum(address, bytes, false); }
void note_swap(const void *address, int bytes) { note_sum(address, bytes, true); }
void note_integer_atomic(const void *address) {
    const std::lock_guard<std::mutex> lock(noting);
    if (!places_by_atomics && find_array(address, nullptr)) places_by_atomics = true;
}

bool run_checked(const Launch &launch, bool (*run)(const Launch &, bool descending, unsigned char pattern)) {
    constexpr unsigned char nan = 0xff, large = 0x7f;
    sums.clear();
    places_by_atomics = false;
    std::vector<Kept> kept;
    for (const Array &array : all_arrays()) kept.push_back({array, bytes_of(array), {}});
    if (!run(launch, false, nan)) return false;
    for (Kept &each : kept) each.ascending = bytes_of(each.array);
    restore(kept);
    if (!run(launch, true, large)) return false;

    std::vector<const Kept *> differ;
    for (const Kept &each : kept)
        if (first_difference(each.array, each.ascending.data(), each.array.address) < each.array.bytes)
            differ.push_back(&each);
    if (!differ.empty()) {
        std::vector<std::vector<char>> descending;
        descending.reserve(differ.size());
        for (const Kept *each : differ) descending.push_back(bytes_of(each->array));
        restore(kept);
        if (!run(launch, true, nan)) return false;  // tells whether the order is the cause
        for (size_t i = 0; i < differ.size(); i++) {
            const Array &array = differ[i]->array;
            const char *ascending = differ[i]->ascending.data();
            const bool same = first_difference(array, ascending, array.address) == array.bytes;
            const size_t where = first_difference(array, ascending, descending[i].data());
            const std::string which = name_of(launch, array);
            std::string text = text_of(launch) + ": " + which;
            if (same)
                text += ": depends on shared memory that the kernel reads and has not written: at byte ";
            else
                text += ": differs between ascending and descending order of the threads (is a __syncthreads() missing?): "
                        "at byte ";
            text += std::to_string(where) + ": " + word(ascending, array.bytes, where) + " and " +
                    word(descending[i].data(), array.bytes, where);
            if (!same && places_by_atomics)
                text += "; the kernel has atomics on integers: threads that take places by them may differ";
            report(launch, same ? Rule::unwritten_shared : Rule::order, launch.place, at(launch.place) + which, text);
        }
    }
    for (const Kept &each : kept) put(each.array, each.ascending);
    return true;
}

// "threads (0,0,0) to (15,0,0), 16 in all, at file:line", for each place.
static std::string text_of(const std::vector<Fiber *> &waiting) {
    std::string text;
    std::set<std::string> places;
    for (const Fiber *fiber : waiting) {
        const std::string place = at(fiber->place);
        if (!places.insert(place).second) continue;
        const Fiber *first = nullptr, *last = nullptr;
        int count = 0;
        for (const Fiber *other : waiting) {
            if (at(other->place) != place) continue;
            if (!first || other->linear < first->linear) first = other;
            if (!last || other->linear > last->linear) last = other;
            ++count;
        }
        if (!text.empty()) text += ", and ";
        text += std::to_string(count) + (count == 1 ? " waits" : " wait") + " at " + place + " (";
        text += count == 1 ? text_of(first->thread)
                           : text_of(first->thread) + " to " + text_of(last->thread);
        text += ")";
    }
    return text;
}

void check_barrier(const Launch &launch, const std::vector<Fiber *> &waiting, unsigned threads) {
    bool one_place = true;
    for (const Fiber *fiber : waiting)
        one_place &= fiber->place.line == waiting[0]->place.line && !std::strcmp(fiber->place.file, waiting[0]->place.file);
    if (one_place && waiting.size() == threads) return;
    std::string text = text_of(launch) + ", block " + text_of(blockIdx) + ": a barrier that not all threads reach: of " +
                       std::to_string(threads) + " threads " + text_of(waiting);
    if (waiting.size() < threads) text += "; " + std::to_string(threads - waiting.size()) + " have ended before";
    std::string first = at(waiting[0]->place);  // the same for both orders
    for (const Fiber *fiber : waiting) first = std::min(first, at(fiber->place));
    const Place place = waiting[0]->place;
    if (one_place)
        note(Rule::divergent_barrier, place, at(launch.place) + first, text + ", which a barrier does not wait for");
    else report(launch, Rule::divergent_barrier, place, at(launch.place) + first, text);
}

void report_misaligned(const Launch &launch, Place place, const char *access, const char *type, const void *address,
                       size_t alignment) {
    report(launch, Rule::misaligned, place, at(place),
           at(place) + ": " + where().text + ": " + access + " " + type + ": expected an address that is a multiple of " +
               std::to_string(alignment) + ", got one that is " + std::to_string(uintptr_t(address) % alignment) +
               " bytes behind such a one");
}

void report_stuck(const Launch &launch, const std::vector<Fiber *> &waiting, unsigned threads) {
    ++findings;
    tell(Rule::deadlock, waiting.empty() ? launch.place : waiting[0]->place, "%s, block %s: threads wait for each other: of %u threads %s; %zu have ended", text_of(launch).c_str(),
          text_of(blockIdx).c_str(), threads, text_of(waiting).c_str(), threads - waiting.size());
}

}  // namespace cuda_on_cpu
