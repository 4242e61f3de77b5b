// c_api/th/io/file.h: what a THFile is: flags, and a stream of bytes on disk, in a pipe or in memory.
#pragma once

#include "th/tensor/storage.h"

#include <TH/THFile.h>

#include <cstdio>
#include <new>

struct THFile__ {
    bool quiet = false, readable, writable, binary = false, auto_spacing = true, failed = false;
    bool reversed = false;  // binary data in the byte order that is not this machine's
    int long_size = 0;      // bytes of a long in binary data; 0: 8

    THFile__(bool r, bool w) : readable(r), writable(w) {}
    virtual ~THFile__() {}

    virtual bool opened() const = 0;
    virtual void close() = 0;

    // As fread, fwrite and fscanf with a format for one value; how many elements or values they managed.
    virtual size_t read(void *data, size_t element, size_t n) = 0;
    virtual size_t write(const void *data, size_t element, size_t n) = 0;
    virtual int scan(const char *format, void *value) = 0;
    virtual int get() = 0;  // EOF at the end
    virtual void unget(int c) = 0;  // what get() gave last

    virtual void synchronize() = 0;
    virtual void seek(size_t position) = 0;
    virtual void seek_end() = 0;
    virtual size_t position() = 0;

    // Error, unless this file is quiet: then it only remembers.
    template <typename... A> void fail(const char *format, A... values) {
        failed = true;
        if (!quiet) TH_ERROR(format, values...);
    }
};

namespace th {

// "r", "w" or "rw"; another is an Error of argument 2.
struct Mode {
    bool readable, writable;
    explicit Mode(const char *mode);
};

// self as a file of one kind; an Error of argument 1 where it is of another.
template <typename Kind> Kind *as(THFile *self, const char *kind) {
    Kind *file = dynamic_cast<Kind *>(self);
    TH_ARGUMENT(file, 1, "expected a %s file", kind);
    return file;
}

inline void check_open(const THFile *self) { TH_ARGUMENT(self->opened(), 1, "attempt to use a closed file"); }

inline void set_long_size(THFile *self, int size) {
    TH_ARGUMENT(size == 0 || size == 4 || size == 8, 1, "Invalid long size specified");
    self->long_size = size;
}

// new, with an Error where memory is short.
template <typename Kind, typename... A> Kind *make_file(A... arguments) {
    void *memory = ::operator new(sizeof(Kind), std::nothrow);
    TH_CHECK(memory, "out of memory for a file");
    return new (memory) Kind(arguments...);
}

}  // namespace th
