// tests/fuzz/replay.cpp: runs a target on files, and on the files of folders, without libFuzzer.
//
//     th_files_replay tests/fuzz/seeds/th_files tests/fuzz/found/th_files
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int main(int argc, char **argv) {
    std::set<std::filesystem::path> inputs;
    for (int i = 1; i < argc; i++) {
        if (!std::filesystem::is_directory(argv[i])) {
            inputs.insert(argv[i]);
            continue;
        }
        for (const auto &entry : std::filesystem::directory_iterator(argv[i])) inputs.insert(entry.path());
    }
    if (inputs.empty()) {
        fprintf(stderr, "expected files, or folders with files, got none\n");
        return 1;
    }
    for (const auto &path : inputs) {
        std::ifstream file(path, std::ios::binary);
        if (!file) {
            fprintf(stderr, "expected a file that can be read, got %s\n", path.c_str());
            return 1;
        }
        const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
        // Copied into memory of exactly this size, so that sanitizers see what reads behind it.
        const std::vector<uint8_t> bytes(text.begin(), text.end());
        fprintf(stderr, "%s\n", path.filename().c_str());  // the last name is the input that failed
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    printf("%zu cases\n", inputs.size());
    return 0;
}
