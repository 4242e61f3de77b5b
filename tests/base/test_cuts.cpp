// tests/base/test_cuts.cpp: where loops are cut, with a runtime that runs its threads one after the other.
#include "base/threads.h"

#include "base/isa.h"

#include "../support/check.h"

#include <algorithm>
#include <utility>
#include <vector>

static int threads = 1, team = 1, member = 0;
static bool nested = false;

static void run_team(void (*function)(void *), void *data, unsigned count, unsigned) {
    team = static_cast<int>(count);
    for (member = 0; member < team; ++member) function(data);
}

const base::OpenMP &base::openmp() {
    static const OpenMP runtime = {run_team, [] { return threads; }, [] { return member; }, [] { return team; },
                                   [] { return nested ? 1 : 0; }};
    return runtime;
}

// Loops choose before their threads start, since the choice may fail.
static int choices = 0;
base::Isa base::isa() { return ++choices, Isa::portable; }

using Slices = std::vector<std::pair<int64_t, int64_t>>;

template <base::Cuts cuts> static Slices slices(int64_t size, int64_t grain) {
    Slices found;
    base::parallel_for<cuts>(size, grain, [&](int64_t begin, int64_t end) { found.emplace_back(begin, end); });
    return found;
}

template <base::Cuts cuts> static void test_each_element_once() {
    for (const int count : {1, 2, 3, 7, 64})
        for (const int64_t grain : {1, 3, 10})
            for (int64_t size = 0; size < 100; ++size) {
                threads = count;
                choices = 0;
                const Slices found = slices<cuts>(size, grain);
                const bool even = cuts == base::Cuts::evenly;
                const int64_t most = even ? size / grain : (size + grain - 1) / grain;
                const int64_t expected = std::min<int64_t>(size, std::max<int64_t>(1, std::min<int64_t>(count, most)));
                CHECK(static_cast<int64_t>(found.size()) == expected);
                CHECK(found.size() < 2 || choices == 1);
                int64_t next = 0;
                for (const auto &[begin, end] : found) {
                    CHECK(begin == next && begin < end && (even || begin % grain == 0));
                    CHECK(!even || found.size() == 1 || end - begin >= grain);
                    next = end;
                }
                CHECK(next == size);
            }
}

int main() {
    test_each_element_once<base::Cuts::at_multiples>();
    test_each_element_once<base::Cuts::evenly>();
    threads = 4;
    CHECK(slices<base::Cuts::at_multiples>(25, 10) == (Slices{{0, 10}, {10, 20}, {20, 25}}));
    CHECK(slices<base::Cuts::evenly>(25, 10) == (Slices{{0, 12}, {12, 25}}));
    nested = true;
    CHECK(base::num_threads() == 1 && slices<base::Cuts::evenly>(25, 10) == (Slices{{0, 25}}));
    return failures() != 0;
}
