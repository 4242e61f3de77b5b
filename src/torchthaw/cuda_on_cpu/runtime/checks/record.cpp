// cuda_on_cpu/runtime/checks/record.cpp: writes and reads the files of launches; their format is this file's alone.
#include "checks/record.h"

#include "checks/whole_file.h"
#include "errors.h"
#include "memory/memory.h"
#include "checks/report.h"
#include "checks/sanitizer.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cuda_on_cpu {
namespace {

constexpr char magic[] = "torchthaw launch 1\n";

// ---- Code and variables: by their file, as their addresses change from process to process ------------------------------

struct Module {
    std::string path;  // empty: the program
    uint64_t bytes = 0, time = 0;
};
struct Located {
    Module module;
    uint64_t offset = 0;
};

void ask_file(Module &module) {
    struct stat found {};
    if (stat(module.path.empty() ? "/proc/self/exe" : module.path.c_str(), &found)) return;
    module.bytes = uint64_t(found.st_size);
    module.time = uint64_t(found.st_mtim.tv_sec) * 1000000000 + uint64_t(found.st_mtim.tv_nsec);
}
Located locate(const void *address) {
    Dl_info information;
    link_map *map = nullptr;
    Located found;
    if (!dladdr1(address, &information, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) || !map) return found;
    found.module.path = map->l_name;
    ask_file(found.module);
    found.offset = uintptr_t(address) - map->l_addr;
    return found;
}
// Null, with a line, if the file is not as it was.
char *find(const Located &wanted) {
    const std::string &path = wanted.module.path;
    Module now{path};
    ask_file(now);
    if (now.bytes != wanted.module.bytes || now.time != wanted.module.time) {
        print("replay: expected %s as it was when the launch was recorded, got one that %s",
              path.empty() ? "the program" : path.c_str(), now.bytes ? "was built since" : "is not there");
        return nullptr;
    }
    void *handle = dlopen(path.empty() ? nullptr : path.c_str(), RTLD_NOW);
    link_map *map = nullptr;
    if (handle && !dlinfo(handle, RTLD_DI_LINKMAP, &map)) return reinterpret_cast<char *>(map->l_addr + wanted.offset);
    print("replay: expected a file that can be loaded, got %s", dlerror());
    return nullptr;
}

// ---- The file -----------------------------------------------------------------------------------------------------------

struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

// Both directions in one description: what is written is what is read.
class Stream {
public:
    Stream(std::FILE *file, bool writes) : file_(file), writes_(writes) {
        struct stat found {};
        if (!writes && !fstat(fileno(file), &found)) most_ = uint64_t(found.st_size);
    }
    bool good() const { return good_; }
    void bytes(void *data, uint64_t count) {
        if (!good_ || !count) return;
        good_ = (writes_ ? std::fwrite(data, 1, count, file_) : std::fread(data, 1, count, file_)) == count;
    }
    template <typename T> void value(T &value) { bytes(&value, sizeof value); }
    void text(std::string &text) {
        uint64_t count = text.size();
        value(count);
        if (count > 1 << 20) good_ = false;
        if (!good_) return;
        text.resize(count);
        bytes(text.data(), count);
    }
    void piece(std::vector<char> &piece) {
        uint64_t count = piece.size();
        value(count);
        if (count > most_) good_ = false;  // more than the file has
        if (!good_) return;
        try {
            piece.resize(count);
        } catch (const std::exception &) {
            good_ = false;
        }
        if (good_) bytes(piece.data(), count);
    }
    void located(Located &where) {
        text(where.module.path);
        value(where.module.bytes);
        value(where.module.time);
        value(where.offset);
    }

private:
    std::FILE *file_;
    bool writes_, good_ = true;
    uint64_t most_ = UINT64_MAX;  // bytes of one piece
};

struct Kept {
    Array array{};
    Located variable;  // of one that has a place in a file
    std::vector<char> bytes;
};
struct Description {
    std::string kernel, file, arguments;
    int line = 0;
    dim3 grid, block;
    uint64_t shared = 0;
    char together = 0;
    Located run;
    std::vector<char> closure;
    std::vector<Kept> arrays;

    void pass(Stream &stream) {
        for (std::string *text : {&kernel, &file, &arguments}) stream.text(*text);
        stream.value(line);
        stream.value(grid);
        stream.value(block);
        stream.value(shared);
        stream.value(together);
        stream.located(run);
        stream.piece(closure);
        uint64_t count = arrays.size();
        stream.value(count);
        if (!stream.good() || count > 1 << 24) return;
        arrays.resize(count);
        for (Kept &kept : arrays) {
            stream.value(kept.array.address);
            stream.value(kept.array.bytes);
            stream.value(kept.array.type);
            stream.value(kept.array.origin);
            stream.text(kept.array.name);
            stream.located(kept.variable);
            stream.piece(kept.bytes);
            if (!stream.good()) return;
        }
    }
};

std::string name_of(const Launch &launch) {
    std::string name;
    for (const char *at = launch.kernel; *at && name.size() < 80; at++) name += std::isalnum(static_cast<unsigned char>(*at)) ? *at : '_';
    char rest[32];  // two kernels of one name, or with long arguments
    const size_t digest = std::hash<std::string>()(std::string(launch.kernel) + launch.place.file);
    std::snprintf(rest, sizeof rest, "-%d-%08zx.launch", launch.place.line, digest & 0xffffffff);
    return name + rest;
}

bool complain(const std::string &path, const char *why) {
    print("TORCHTHAW_CUDA_RECORD: %s: %s", path.c_str(), why);
    return false;
}

bool write(const Launch &launch, const std::string &folder, const std::string &path) {
    Description made;
    made.kernel = launch.kernel;
    made.file = launch.place.file;
    made.arguments = launch.arguments;
    made.line = launch.place.line;
    made.grid = launch.grid;
    made.block = launch.block;
    made.shared = launch.shared;
    made.together = launch.together;
    made.run = locate(reinterpret_cast<const void *>(launch.run));
    made.closure.assign(static_cast<const char *>(launch.closure), static_cast<const char *>(launch.closure) + launch.closure_bytes);
    for (const Array &array : all_arrays()) {
        Kept &kept = made.arrays.emplace_back();
        kept.array = array;
        kept.bytes.assign(array.address, array.address + array.bytes);
        if (array.origin == Origin::variable) kept.variable = locate(array.address);
    }
    const auto pass = [&made](std::FILE *file) {
        Stream stream(file, true);
        stream.bytes(const_cast<char *>(magic), sizeof magic);
        made.pass(stream);
    };
    return write_whole(folder, path, pass) || complain(path, std::strerror(errno));
}

// The first byte in which an array is not what a file says; its size if there is none.
size_t first_difference(const Array &array, const std::vector<char> &bytes) {
    return size_t(std::mismatch(bytes.begin(), bytes.end(), array.address).first - bytes.begin());
}

}  // namespace

Recorded::Recorded(const Launch &launch) {
    const char *folder = std::getenv("TORCHTHAW_CUDA_RECORD"), *kernels = std::getenv("TORCHTHAW_CUDA_RECORD_KERNELS");
    if (!folder || !*folder || (kernels && !is_listed(launch, kernels))) return;
    const std::string path = std::string(folder) + "/" + name_of(launch);
    if (__asan_address_is_poisoned) complain(path, "expected a process without AddressSanitizer: record without TORCHTHAW_CUDA_CHECK");
    else if (!launch.closure_bytes) complain(path, "expected a kernel that is launched by its name, got one by a pointer");
    else if (write(launch, folder, path)) path_ = path;
}

void Recorded::end() {
    if (path_.empty() || failure()) return;
    File file(std::fopen(path_.c_str(), "ab"));
    if (!file) return;
    Stream stream(file.get(), true);
    for (const Array &array : all_arrays()) {
        std::vector<char> bytes(array.address, array.address + array.bytes);
        stream.piece(bytes);
    }
}

void replay_instead() {
    static std::atomic<bool> asked{false};
    if (asked.exchange(true)) return;
    const char *path = std::getenv("TORCHTHAW_CUDA_REPLAY");
    if (!path || !*path) return;
    const int status = cuda_on_cpu_replay(path);
    std::fflush(nullptr);
    _exit(status);
}

}  // namespace cuda_on_cpu

extern "C" int cuda_on_cpu_replay(const char *path) {
    using namespace cuda_on_cpu;
    const auto wrong = [path](const char *what) {
        print("replay: %s: %s", path, what);
        return 1;
    };
    const File file(std::fopen(path, "rb"));
    if (!file) return wrong(std::strerror(errno));
    Stream stream(file.get(), false);
    char begin[sizeof magic] = {};
    stream.bytes(begin, sizeof begin);
    if (std::memcmp(begin, magic, sizeof magic) != 0) return wrong("expected a launch that this torchthaw recorded");
    Description made;
    made.pass(stream);
    if (!stream.good() || made.closure.size() < sizeof(void *)) return wrong("expected a whole file, got one that ends before");
    std::vector<std::vector<char>> after(made.arrays.size());
    bool fits = true;  // each array has as many bytes as it says, before and after
    for (size_t i = 0; i < after.size(); i++) {
        stream.piece(after[i]);
        const size_t bytes = made.arrays[i].array.bytes;
        fits &= made.arrays[i].bytes.size() == bytes && (!stream.good() || after[i].size() == bytes);
    }
    if (!fits) return wrong("expected arrays of the same sizes before and after the launch, got others");
    const bool ended = stream.good();

    char *const run = find(made.run);
    if (!run) return 1;
    for (Kept &kept : made.arrays) {
        if (kept.array.origin == Origin::variable) {
            kept.array.address = find(kept.variable);
            if (!kept.array.address) return 1;
        } else if (!place_array(kept.array)) {
            print("replay: %s: expected the %zu bytes at %p to be free, as they are in a process that has not used the device", path,
                  kept.array.bytes, static_cast<void *>(kept.array.address));
            return 1;
        }
        if (!kept.bytes.empty()) std::memcpy(kept.array.address, kept.bytes.data(), kept.bytes.size());
    }
    char nothing = 0;  // the kernel, an object without members
    const char *const kernel = &nothing;
    std::memcpy(made.closure.data(), &kernel, sizeof kernel);
    Launch launch{made.kernel.c_str(), {made.file.c_str(), made.line}, made.grid, made.block, made.shared, nullptr,
                  reinterpret_cast<void (*)(void *)>(run), made.closure.data(), made.arguments.c_str(), nullptr, 0,
                  made.together != 0, 0};
    if (made.shared) set_attribute(cudaFuncAttributeMaxDynamicSharedMemorySize, int(made.shared));
    if (const cudaError_t error = cuda_on_cpu::launch(launch)) {
        print("replay: kernel %s: %s", launch.kernel, cudaGetErrorName(error));
        return ended;
    }
    if (!ended) {
        print("replay: kernel %s ended, which it had not when it was recorded", launch.kernel);
        return 1;
    }
    for (size_t i = 0; i < after.size(); i++) {
        const Array &array = made.arrays[i].array;
        const size_t where = first_difference(array, after[i]);
        if (where == after[i].size()) continue;
        print("replay: kernel %s: %s at %p, of %zu bytes, differs from what was recorded at byte %zu", launch.kernel,
              array.name.empty() ? "the array" : array.name.c_str(), static_cast<void *>(array.address), array.bytes, where);
        return 1;
    }
    print("replay: kernel %s: the arrays are what they had become", launch.kernel);
    return 0;
}
