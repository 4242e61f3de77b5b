// c_api/th/io/disk_file.cpp: files on disk and pipes.
#include "th/io/file.h"
#include "th/runtime/export.h"

#include <TH/THDiskFile.h>

#include <cassert>
#include <climits>
#include <cstring>

namespace th {
namespace {

constexpr bool little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

class DiskFile : public THFile__ {
public:
    // Takes handle and name over.
    DiskFile(FILE *handle, char *name, Mode mode, bool pipe)
        : THFile__(mode.readable, mode.writable), handle_(handle), name_(name), pipe_(pipe) {}
    ~DiskFile() override {
        if (handle_) release();
        THFree(name_);
    }
    const char *name() const { return name_; }

    bool opened() const override { return handle_; }
    void close() override {
        if (release() < 0) fail("unable to write all of <%s>", name_);
    }

    size_t read(void *data, size_t element, size_t n) override {
        turn(reading);
        return fread(data, element, n, handle_);
    }
    size_t write(const void *data, size_t element, size_t n) override {
        turn(writing);
        return fwrite(data, element, n, handle_);
    }
    int scan(const char *format, void *value) override {
        turn(reading);
        return fscanf(handle_, format, value);
    }
    int get() override {
        turn(reading);
        return getc(handle_);
    }
    void unget(int c) override { ungetc(c, handle_); }

    void synchronize() override {
        if (fflush(handle_)) fail("unable to write all of <%s>", name_);
    }
    void seek(size_t position) override {
        TH_ARGUMENT(position <= LONG_MAX, 2, "position must be smaller than LONG_MAX");
        if (fseeko(handle_, off_t(position), SEEK_SET) < 0)
            fail("unable to seek to position %zu", position);
    }
    void seek_end() override {
        if (fseeko(handle_, 0, SEEK_END) < 0) fail("unable to seek at end of file");
    }
    size_t position() override {
        const off_t offset = ftello(handle_);
        if (offset >= 0) return size_t(offset);
        fail("unable to obtain disk file offset (maybe a long overflow occurred)");
        return 0;
    }
    void no_buffer() { TH_CHECK(!setvbuf(handle_, nullptr, _IONBF, 0), "error: cannot disable buffer"); }

private:
    enum Direction { neither, reading, writing };

    // C wants a change of direction to be told.
    void turn(Direction to) {
        assert(handle_);
        if (direction_ != neither && direction_ != to) fseeko(handle_, 0, SEEK_CUR);
        direction_ = to;
    }
    int release() {
        FILE *handle = std::exchange(handle_, nullptr);
        assert(handle);
        return pipe_ ? pclose(handle) : fclose(handle);
    }

    FILE *handle_;
    char *name_;
    bool pipe_;
    Direction direction_ = neither;
};

DiskFile *disk(THFile *self) { return as<DiskFile>(self, "disk"); }

DiskFile *open_disk(THFile *self) {
    DiskFile *file = disk(self);
    check_open(file);
    return file;
}

FILE *open_file(const char *name, Mode mode) {
    if (!(mode.readable && mode.writable)) return fopen(name, mode.readable ? "rb" : "wb");
    if (FILE *handle = fopen(name, "r+b")) return handle;
    return fopen(name, "w+b");
}

// Wraps a handle, or closes it where that fails; without one, an Error (quiet: NULL).
THFile *wrap(FILE *handle, const char *name, Mode mode, bool quiet, bool pipe) {
    if (!handle) {
        TH_CHECK(quiet, "cannot open <%s> in mode %c%c%s", name, mode.readable ? 'r' : ' ', mode.writable ? 'w' : ' ',
                 pipe ? ". This might be because eg the executable doesn't exist, but it could also be because you are "
                        "out of memory."
                      : "");
        return nullptr;
    }
    try {
        const size_t size = strlen(name) + 1;
        Buffer<char> copy(static_cast<ptrdiff_t>(size));
        memcpy(copy.get(), name, size);
        THFile *self = make_file<DiskFile>(handle, copy.get(), mode, pipe);
        copy.release();
        self->quiet = quiet;
        return self;
    } catch (...) {
        pipe ? pclose(handle) : fclose(handle);
        throw;
    }
}

THFile *new_disk_file(const char *name, const char *mode, int quiet) {
    const Mode m(mode);
    return wrap(open_file(name, m), name, m, quiet, false);
}

THFile *new_pipe_file(const char *name, const char *mode, int quiet) {
    const Mode m(mode);
    return wrap(popen(name, m.readable ? "r" : "w"), name, m, quiet, true);
}

const char *name(THFile *self) { return disk(self)->name(); }
int is_little_endian() { return little_endian; }
int is_big_endian() { return !little_endian; }
void native_endian(THFile *self) { open_disk(self)->reversed = false; }
void to_little_endian(THFile *self) { open_disk(self)->reversed = !little_endian; }
void to_big_endian(THFile *self) { open_disk(self)->reversed = little_endian; }
void long_size(THFile *self, int size) { set_long_size(open_disk(self), size); }
void no_buffer(THFile *self) { open_disk(self)->no_buffer(); }

}  // namespace
}  // namespace th

extern "C" {
TH_EXPORT(THFile *, THDiskFile_new, ::th::new_disk_file, const char *, const char *, int)
TH_EXPORT(THFile *, THPipeFile_new, ::th::new_pipe_file, const char *, const char *, int)
TH_EXPORT(const char *, THDiskFile_name, ::th::name, THFile *)
TH_EXPORT0(int, THDiskFile_isLittleEndianCPU, ::th::is_little_endian)
TH_EXPORT0(int, THDiskFile_isBigEndianCPU, ::th::is_big_endian)
TH_EXPORT(void, THDiskFile_nativeEndianEncoding, ::th::native_endian, THFile *)
TH_EXPORT(void, THDiskFile_littleEndianEncoding, ::th::to_little_endian, THFile *)
TH_EXPORT(void, THDiskFile_bigEndianEncoding, ::th::to_big_endian, THFile *)
TH_EXPORT(void, THDiskFile_longSize, ::th::long_size, THFile *, int)
TH_EXPORT(void, THDiskFile_noBuffer, ::th::no_buffer, THFile *)
}
