// tests/fuzz/th_files.cpp: files of libth with any content, in memory, on disk and through pipes, and what is done with
// them, on bytes.
//
// Expected of each: a read gives at most what was asked for, and says that it failed where it gave less; reading and
// writing move forward; what was written can be read back; a file in memory keeps a storage that ends with zero.
#include "fuzz/target.h"
#include "th/expect.h"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <unistd.h>

namespace {

// One file on disk for all inputs of this process; its name is the only one that a pipe's command has.
class Disk {
public:
    Disk() {
        const char *folder = getenv("TMPDIR");
        name_ = std::string(folder ? folder : "/tmp") + "/th_files_XXXXXX";
        const int file = mkstemp(&name_[0]);
        MUST(file >= 0);
        close(file);
    }
    ~Disk() { unlink(name_.c_str()); }
    const char *name() const { return name_.c_str(); }
    void hold(const std::vector<uint8_t> &content) const {
        FILE *file = fopen(name(), "wb");
        MUST(file && (content.empty() || fwrite(content.data(), content.size(), 1, file) == 1) && !fclose(file));
    }

private:
    std::string name_;
};

enum Kind { memory, disk, pipe_from, pipe_to };

struct Open {
    THFile *file = nullptr;
    Kind kind = memory;
    THCharStorage *storage = nullptr;  // of a file in memory, which others may cut
    int long_size = 0;

    ~Open() {
        THFile_free(file);
        THCharStorage_free(storage);
    }
};

size_t position(Open &open) { return open.kind >= pipe_from ? 0 : THFile_position(open.file); }

bool readable(THFile *file) { return THFile_isReadable(file); }
bool writable(THFile *file) { return THFile_isWritable(file); }

// ---- Elements -------------------------------------------------------------------------------------------------------

// Each function of elements for the type T.
template <typename T> struct Elements;
#define ELEMENTS(Real, real)                                                                                           \
    template <> struct Elements<real> {                                                                                \
        using Storage = TH##Real##Storage;                                                                             \
        static size_t read(THFile *f, real *data, size_t n) { return THFile_read##Real##Raw(f, data, n); }             \
        static size_t write(THFile *f, real *data, size_t n) { return THFile_write##Real##Raw(f, data, n); }           \
        static real scalar(THFile *f) { return THFile_read##Real##Scalar(f); }                                         \
        static void put(THFile *f, real x) { THFile_write##Real##Scalar(f, x); }                                       \
        static size_t read(THFile *f, Storage *s) { return THFile_read##Real(f, s); }                                  \
        static size_t write(THFile *f, Storage *s) { return THFile_write##Real(f, s); }                                \
        static Storage *make(ptrdiff_t n) { return TH##Real##Storage_newWithSize(n); }                                 \
        static void free(Storage *s) { TH##Real##Storage_free(s); }                                                    \
    };
ELEMENTS(Byte, uint8_t)
ELEMENTS(Char, int8_t)
ELEMENTS(Short, int16_t)
ELEMENTS(Int, int32_t)
ELEMENTS(Long, int64_t)
ELEMENTS(Float, float)
ELEMENTS(Double, double)
ELEMENTS(Half, THHalf)

template <typename T> bool same(T a, T b) { return a == b || (a != a && b != b); }
template <typename T> bool same_longs(T, T) { return true; }
bool same_longs(int64_t a, int64_t b) { return int32_t(a) == b; }  // 4 bytes of a long were written
bool same(THHalf a, THHalf b) { return same(TH_half2float(a), TH_half2float(b)); }

// A failed read or write is an error, or is remembered where the file is quiet. Returns what `body` does; SIZE_MAX
// after an error.
template <typename Body> size_t at_most(Open &open, size_t asked, Body body) {
    THFile_clearError(open.file);
    size_t done = asked;
    const Caught caught = error_of([&] { done = body(); });
    if (caught.argument >= 0) return SIZE_MAX;
    MUST(done <= asked);
    MUST(done == asked || (THFile_isQuiet(open.file) && THFile_hasError(open.file)));
    return done;
}

template <typename T> void read(Input &input, Open &open) {
    const size_t n = input.up_to(input.up_to(15) ? 12 : 3000), before = position(open);
    const auto data = std::make_unique<T[]>(n);  // of exactly this size, for AddressSanitizer
    at_most(open, n, [&] { return Elements<T>::read(open.file, data.get(), n); });
    MUST(position(open) >= before);
}

template <typename T> void read_storage(Input &input, Open &open) {
    using E = Elements<T>;
    const size_t n = input.up_to(12);
    const std::unique_ptr<typename E::Storage, void (*)(typename E::Storage *)> storage(E::make(ptrdiff_t(n)), E::free);
    at_most(open, n, [&] { return E::read(open.file, storage.get()); });
    MUST(storage->size == ptrdiff_t(n));
    if (input.up_to(1)) at_most(open, n, [&] { return E::write(open.file, storage.get()); });
}

template <typename T> void scalars(Input &input, Open &open) {
    const T x = input.number<T>();
    error_of([&] { input.up_to(1) ? Elements<T>::put(open.file, x) : void(Elements<T>::scalar(open.file)); });
}

// Written here, read back from where it began.
template <typename T> void round_trip(Input &input, Open &open) {
    const size_t n = input.up_to(input.up_to(31) ? 9 : 2100);
    const auto put = std::make_unique<T[]>(n), got = std::make_unique<T[]>(n);
    for (size_t i = 0; i < n; i++) put[i] = input.more() || !i ? input.number<T>() : put[i - 1];
    const size_t before = position(open);
    const size_t written = at_most(open, n, [&] { return Elements<T>::write(open.file, put.get(), n); });
    const size_t after = position(open);
    MUST(after >= before);
    // Numbers without spaces run together; the other cases are those where nothing can be written or read.
    if (!writable(open.file) || !readable(open.file) || open.kind >= pipe_from) return;
    if (!THFile_isBinary(open.file) && !THFile_isAutoSpacing(open.file) && sizeof(T) > 1) return;
    MUST(written == n);
    THFile_seek(open.file, before);
    MUST(at_most(open, n, [&] { return Elements<T>::read(open.file, got.get(), n); }) == n);
    MUST(!THFile_hasError(open.file));
    MUST(position(open) == after);
    const bool narrow = THFile_isBinary(open.file) && open.long_size == 4 && std::is_same<T, int64_t>::value;
    for (size_t i = 0; i < n; i++) MUST(narrow ? same_longs(put[i], got[i]) : same(put[i], got[i]));
}

// ---- Strings and the file itself ------------------------------------------------------------------------------------

void read_string(Input &input, Open &open) {
    static const char *const formats[] = {"*a", "*l", "*a", "*l", "*n", "*", "", "a", "*line"};
    const char *const format = input.one_of(formats);
    const size_t before = position(open);
    char *text = nullptr;
    size_t size = 0;
    THFile_clearError(open.file);
    const Caught caught = error_of([&] { size = THFile_readStringRaw(open.file, format, &text); });
    if (caught.argument >= 0 || !text) MUST(!text && !size);
    if (text && size) MUST(std::count(text, text + size, '\n') == 0 || format[1] == 'a');
    THFree(text);
    const size_t after = position(open);
    MUST(after >= before && (open.kind >= pipe_from || after - before == size || after - before == size + 1));
    if (caught.argument < 0 && format[1] == 'a' && open.kind < pipe_from) {
        THFile_seekEnd(open.file);
        const size_t end = position(open);
        // A file on disk may have been read from beyond its end, where there is nothing.
        MUST(end == after || (open.kind == disk && end < before && !size));
    }
}

void write_string(Input &input, Open &open) {
    const std::vector<uint8_t> text = input.text(40);
    const char *const chars = reinterpret_cast<const char *>(text.data());
    const size_t before = position(open);
    const size_t put = at_most(open, text.size(), [&] { return THFile_writeStringRaw(open.file, chars, text.size()); });
    if (writable(open.file) && open.kind < pipe_from) MUST(put == text.size() && position(open) == before + put);
}

void change(Input &input, Open &open) {
    static void (*const changes[])(THFile *) = {THFile_binary, THFile_ascii, THFile_autoSpacing, THFile_noAutoSpacing,
                                                THFile_quiet, THFile_pedantic, THFile_clearError, THFile_synchronize,
                                                THDiskFile_bigEndianEncoding, THDiskFile_littleEndianEncoding,
                                                THDiskFile_nativeEndianEncoding};
    error_of([&] { input.one_of(changes)(open.file); });
}

void set_long_size(Input &input, Open &open) {
    const int size = int(input.up_to(9));
    const Caught caught = error_of([&] {
        open.kind == memory ? THMemoryFile_longSize(open.file, size) : THDiskFile_longSize(open.file, size);
    });
    MUST((caught.argument < 0) == (size == 0 || size == 4 || size == 8));
    if (caught.argument < 0) open.long_size = size;
}

void seek(Input &input, Open &open) {
    const size_t place = input.up_to(15) ? input.up_to(300) : input.number<size_t>();
    THFile_clearError(open.file);
    const Caught caught = error_of([&] { input.up_to(7) ? THFile_seek(open.file, place) : THFile_seekEnd(open.file); });
    if (open.kind < pipe_from && caught.argument < 0 && place > (size_t(1) << 20))
        THFile_seek(open.file, 0);  // a disk file may go on there, and grow beyond the disk
}

// The storage of a file in memory: the same one, of the file's size, and a zero behind it.
void look_at_storage(Input &input, Open &open) {
    if (open.kind != memory) return;
    if (input.up_to(3) == 1) THCharStorage_resize(open.storage, ptrdiff_t(input.up_to(64)));  // as its owner may
    const size_t before = position(open);
    const THCharStorage *storage = THMemoryFile_storage(open.file);
    MUST(storage == open.storage && storage->size > 0 && !storage->data[storage->size - 1]);
    MUST(position(open) <= before);
    THFile_seekEnd(open.file);
    MUST(position(open) == size_t(storage->size) - 1);
    THFile_seek(open.file, std::min(before, size_t(storage->size) - 1));
}

using Act = void (*)(Input &, Open &);
#define FOR_EVERY_TYPE(act)                                                                                            \
    act<uint8_t>, act<int8_t>, act<int16_t>, act<int32_t>, act<int64_t>, act<float>, act<double>, act<THHalf>
const Act acts[] = {FOR_EVERY_TYPE(read), FOR_EVERY_TYPE(read_storage), FOR_EVERY_TYPE(scalars),
                    FOR_EVERY_TYPE(round_trip), read_string, read_string, write_string, change, change, set_long_size,
                    seek, seek, look_at_storage};

// ---- Files ----------------------------------------------------------------------------------------------------------

void open_file(Input &input, const Disk &place, Open &open) {
    static const char *const modes[] = {"r", "rw", "w"};
    const char *const mode = input.one_of(modes);
    const size_t kind = input.up_to(255);  // a pipe costs a process: rare
    open.kind = kind < 128 ? memory : kind < 254 ? disk : kind == 254 ? pipe_from : pipe_to;
    const bool quiet = input.up_to(1);
    std::vector<uint8_t> content = input.text(255);
    const size_t times = input.up_to(7) ? 1 : 1 + input.up_to(20);  // longer than what is read at a time
    const std::vector<uint8_t> once = content;
    for (size_t i = 1; i < times; i++) content.insert(content.end(), once.begin(), once.end());

    if (open.kind == memory) {
        open.storage = THCharStorage_newWithSize(ptrdiff_t(content.size()) + 1);
        std::copy(content.begin(), content.end(), open.storage->data);
        open.storage->data[content.size()] = 0;
        open.file = THMemoryFile_newWithStorage(open.storage, mode);
        if (quiet) THFile_quiet(open.file);
    } else {
        place.hold(content);
        const std::string command = std::string("exec cat ") + (open.kind == pipe_to ? "> '" : "'") + place.name() + "'";
        open.file = open.kind == disk ? THDiskFile_new(place.name(), mode, quiet)
                                      : THPipeFile_new(command.c_str(), open.kind == pipe_to ? "w" : "r", quiet);
        if (open.kind == disk && input.up_to(3) == 1) THDiskFile_noBuffer(open.file);
    }
    MUST(open.file);
    if (input.up_to(1)) THFile_binary(open.file);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const bool prepared = (little_memory(), catch_errors(), true);
    (void)prepared;
    static const Disk place;
    Input input(bytes, size);
    Open open;
    open_file(input, place, open);
    for (int n = 0; n < 60 && input.more(); n++) {
        input.one_of(acts)(input, open);
        if (open.kind == memory) MUST(open.storage->refcount == 2);  // the file's and this one
    }
    if (input.up_to(1)) error_of([&] { THFile_close(open.file); });
    if (!THFile_isOpened(open.file)) MUST(error_of([&] { THFile_position(open.file); }).argument == 1);
    return 0;
}
