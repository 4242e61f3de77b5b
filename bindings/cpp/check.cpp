// bindings/cpp/check.cpp: replays the vectors through my_lib.hpp, and asks the rest that bindings/languages.py wants.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <thread>
#include <vector>

#include "my_lib.hpp"

using my_lib::View;
using my_lib::Workspace;

struct Array {
    std::string name;
    std::vector<std::int64_t> shape;
    bool absent = false;
    std::vector<float> values, expected;

    std::size_t count() const {
        std::size_t found = !absent;
        for (std::int64_t size : shape) found *= std::size_t(size);
        return found;
    }
    View<float> view() { return absent ? View<float>() : View<float>(values.data(), shape.data(), shape.size()); }
};

struct Entry {
    std::string name, function, file, code_name, text;
    int code = 0;
    double rtol = 0, atol = 0;
    std::map<std::string, std::int64_t> sizes;
    std::vector<Array> arrays;
    std::size_t inputs = 0;
};

[[noreturn]] void fail(const std::string &message) { throw std::runtime_error(message); }
void require(bool holds, const std::string &message) {
    if (!holds) fail(message);
}

using Views = std::vector<View<float>>;
const std::map<std::string, std::function<void(const Views &, Workspace &)>> functions = {
    {"add_forward", [](const Views &v, Workspace &) { my_lib::add_forward(v[0], v[1], v[2]); }},
    {"add_backward", [](const Views &v, Workspace &) { my_lib::add_backward(v[0], v[1], v[2]); }},
    {"linear_forward", [](const Views &v, Workspace &w) { my_lib::linear_forward(v[0], v[1], v[2], v[3], w); }},
    {"linear_backward",
     [](const Views &v, Workspace &w) { my_lib::linear_backward(v[0], v[1], v[2], v[3], v[4], v[5], w); }},
    {"lltm_forward",
     [](const Views &v, Workspace &w) { my_lib::lltm_forward(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], w); }},
    {"lltm_backward",
     [](const Views &v, Workspace &w) {
         my_lib::lltm_backward(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], w);
     }},
    {"lltm_sequence_forward",
     [](const Views &v, Workspace &w) {
         my_lib::lltm_sequence_forward(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], w);
     }},
    {"lltm_sequence_backward",
     [](const Views &v, Workspace &w) {
         my_lib::lltm_sequence_backward(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12],
                                        v[13], v[14], w);
     }},
};

std::vector<Entry> read_index(const std::string &folder) {
    std::ifstream index(folder + "/index.txt");
    std::vector<Entry> entries;
    for (std::string line, word; std::getline(index, line);) {
        std::istringstream words(line);
        words >> word;
        if (word == "case" || word == "error") entries.emplace_back();
        Entry &entry = entries.back();
        if (word == "case") {
            words >> entry.name >> entry.function >> entry.file >> entry.rtol >> entry.atol;
        } else if (word == "error") {
            words >> entry.name >> entry.function >> entry.code >> entry.code_name;
        } else if (word == "size") {
            words >> word >> entry.sizes[word];
        } else if (word == "text") {
            entry.text = line.substr(5);
        } else if (word == "in" || word == "out") {
            Array array;
            std::int64_t ndim = 0;
            entry.inputs += word == "in";
            words >> array.name >> ndim;
            array.absent = ndim < 0;
            array.shape.resize(std::max<std::int64_t>(ndim, 0));
            for (std::int64_t &size : array.shape) words >> size;
            array.values.resize(array.count(), 1);
            entry.arrays.push_back(array);
        } else {
            require(word == "end", line);
        }
        require(bool(words), line);
    }
    return entries;
}

void replay(Entry &entry, const std::string &folder, Workspace &workspace) {
    std::ifstream file(folder + "/" + entry.file, std::ios::binary);
    Views views;
    for (std::size_t i = 0; i < entry.arrays.size(); ++i) {
        Array &array = entry.arrays[i];
        file.read(reinterpret_cast<char *>(array.values.data()), std::streamsize(sizeof(float) * array.values.size()));
        require(bool(file), entry.file + ": too short");
        if (i >= entry.inputs) {
            array.expected = array.values;
            std::fill(array.values.begin(), array.values.end(), std::numeric_limits<float>::quiet_NaN());
        }
        views.push_back(array.view());
    }
    require(file.peek() == EOF, entry.file + ": too long");
    functions.at(entry.function)(views, workspace);
    for (const Array &array : entry.arrays)
        for (std::size_t i = 0; i < array.expected.size(); ++i)
            require(std::abs(double(array.values[i]) - array.expected[i]) <=
                        entry.atol + entry.rtol * std::abs(double(array.expected[i])),
                    entry.name + ": " + array.name + " differs");
}

// Errors that C alone finds; those of shapes go through the header.
void provoke(Entry &entry) {
    auto &s = entry.sizes;
    float out[64];
    const auto in = [&](int i) { return entry.arrays[i].values.data(); };
    if (entry.name == "add_forward-shapes") {
        my_lib::add_forward(entry.arrays[0].view(), entry.arrays[1].view(), View<float>(out, {2, 3}));
    } else if (entry.name == "linear_forward-negative") {
        my_lib::detail::check(my_lib_linear_forward(nullptr, nullptr, nullptr, s["batch"], s["in_features"],
                                                    s["out_features"], nullptr, nullptr, 0));
    } else if (entry.name == "lltm_forward-workspace") {
        my_lib::detail::check(lltm_forward(in(0), in(1), in(2), in(3), in(4), s["batch"], s["input_size"],
                                           s["state_size"], out, out, out, nullptr, 0));
    }
    fail(entry.name + ": expected an error");
}

// What the header alone checks: each array's shape, and that a container has as many elements as its shape.
void refuse() {
    Workspace w;
    std::vector<float> six(6), four(4);
    float square[2][2] = {};
    const auto expect = [](const std::string &message, auto call) {
        try {
            call();
        } catch (const my_lib::Error &error) {
            require(error.code() == MY_LIB_ERROR_SHAPE_MISMATCH && error.what() == message, error.what());
            return;
        }
        fail("expected " + message);
    };
    expect("output: expected shape (6,), got (4,)", [&] { my_lib::add_forward(six, six, four); });
    expect("weight: expected shape (2, 2), got (2, 3)", [&] {
        my_lib::linear_forward(square, View<float>(six, {2, 3}), {}, square, w);
    });
    expect("output: expected shape (2, 2), got no array", [&] { my_lib::linear_forward(square, square, {}, {}, w); });
    expect("old_h: expected shape (2, 0), got (4,)", [&] {
        my_lib::lltm_forward(square, View<float>(six, {6, 1}), six, four, square, square, square, {}, w);
    });
    expect("elements: expected shape (2, 2), got (6,)", [&] { View<float>(six, {2, 2}); });
}

void vectors(const std::string &folder) {
    int cases = 0, errors = 0;
    Workspace workspace;
    for (Entry &entry : read_index(folder)) {
        if (!entry.code) {
            replay(entry, folder, workspace);
            ++cases;
            continue;
        }
        try {
            provoke(entry);
        } catch (const my_lib::Error &error) {
            require(error.code() == entry.code && error.name() == entry.code_name && error.what() == entry.text,
                    entry.name + ": got " + error.name() + " " + error.what());
            ++errors;
        }
    }
    refuse();
    std::cout << "vectors " << cases << "\nerrors " << errors << '\n';
}

void marks() {
    const std::vector<std::int64_t> all = {2, 2, 2}, pair = {2, 2}, weights = {6, 4}, bias = {6}, gates = {2, 6},
                                    all_gates = {2, 2, 6};
    const std::vector<std::pair<std::string, std::vector<std::vector<std::int64_t>>>> calls = {
        {"add_forward", {pair, pair, pair}},
        {"linear_forward", {pair, pair, {2}, pair}},
        {"lltm_forward", {pair, weights, bias, pair, pair, pair, pair, gates}},
        {"lltm_sequence_forward", {all, weights, bias, pair, pair, all, all, all_gates}},
    };
    Workspace workspace;
    int checked = 0;
    for (const auto &[function, shapes] : calls) {
        std::vector<Array> arrays;
        Views views;
        for (const auto &shape : shapes) arrays.push_back({"", shape, false, std::vector<float>(24), {}});
        for (Array &array : arrays) views.push_back(array.view());
        functions.at(function)(views, workspace);
        for (const Array &array : arrays) require(array.values[0] == 1234.5f, function + ": an array was copied");
        checked += int(arrays.size());
    }
    std::cout << "marks " << checked << '\n';
}

constexpr int large = 256, rounds = 20, members = 8;

void work(int own, const std::vector<float> &input, const std::vector<float> &weight) {
    Workspace workspace;
    std::vector<float> output(large * large), small(own * 4), sum(own * 3);
    for (std::size_t i = 0; i < small.size(); ++i) small[i] = float(own) * float(i);
    const View<const float> x(input, {large, large}), w(weight, {large, large});
    const View<float> y(output, {large, large}), a(small.data(), {own, 3}), b(small, {own, 4}), c(sum, {own, 3});
    const std::string message = "input2: expected shape (" + std::to_string(own) + ", 3), got (" + std::to_string(own) +
                                ", 4)";
    for (int round = 0; round < rounds; ++round) {
        my_lib::linear_forward(x, w, {}, y, workspace);
        for (int i = 0; i < large * large; ++i)
            require(output[i] == float(large * (i / large % 7) * (i % large % 5)), "linear_forward: wrong value");
        my_lib::add_forward(a, a, c);
        for (int i = 0; i < own * 3; ++i) require(sum[i] == 2 * small[i], "add_forward: wrong value");
        try {
            my_lib::add_forward(a, b, c);
            fail("add_forward: expected an error");
        } catch (const my_lib::Error &error) {
            require(error.what() == message, error.what());
        }
    }
}

// Rows of the input hold their number modulo 7, rows of the weight theirs modulo 5: every sum is exact in float.
void threads() {
    std::vector<float> input(large * large), weight(large * large);
    for (int i = 0; i < large * large; ++i) {
        input[i] = float(i / large % 7);
        weight[i] = float(i / large % 5);
    }
    std::vector<std::thread> team;
    std::array<std::string, members> failures;
    for (int i = 0; i < members; ++i)
        team.emplace_back([&, i] {
            try {
                work(2 + i, input, weight);
            } catch (const std::exception &error) {
                failures[i] = error.what();
            }
        });
    for (std::thread &member : team) member.join();
    for (const std::string &failure : failures) require(failure.empty(), failure);
    std::cout << "threads " << 3 * members * rounds << '\n';
}

void measure() {
    using Clock = std::chrono::steady_clock;
    constexpr int calls = 1000, loops = 1000;  // short loops, so that some are not interrupted
    float a[25], b[25], sum[25];
    for (int i = 0; i < 25; ++i) a[i] = b[i] = float(i);
    const View<const float> x(a), y(b);
    const View<float> z(sum);
    double best = std::numeric_limits<double>::max();
    for (int loop = 0; loop < loops; ++loop) {
        const auto start = Clock::now();
        for (int i = 0; i < calls; ++i) my_lib::add_forward(x, y, z);
        best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / calls);
    }
    std::cout << "time " << best << '\n';
}

int main(int count, char **arguments) try {
    const std::string what = count > 1 ? arguments[1] : "";
    if (what == "vectors" && count == 3) {
        vectors(arguments[2]);
    } else if (what == "marks") {
        marks();
    } else if (what == "threads") {
        threads();
    } else if (what == "time") {
        measure();
    } else if (what == "version") {
        std::cout << "version " << my_lib::version() << '\n';
    } else {
        fail("expected vectors FOLDER, marks, threads, time or version, got '" + what + "'");
    }
    return 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
