// c_api/th/io/file.cpp: reading and writing elements, text and strings through any THFile.
#include "th/io/file.h"

#include "th/runtime/export.h"
#include "th/tensor/half.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace th {

Mode::Mode(const char *mode)
    : readable(mode && mode[0] == 'r'), writable(mode && (!strcmp(mode, "w") || !strcmp(mode, "rw"))) {
    TH_ARGUMENT(writable || (mode && !strcmp(mode, "r")), 2, "file mode should be 'r','w' or 'rw'");
}

namespace {

void check_reading(const THFile *self) {
    check_open(self);
    TH_ARGUMENT(self->readable, 1, "attempt to read in a write-only file");
}

void check_writing(const THFile *self) {
    check_open(self);
    TH_ARGUMENT(self->writable, 1, "attempt to write in a read-only file");
}

// Text of elements: bytes and chars are their own, the others are numbers with all their digits.
template <typename T> struct Text;
#define TH_TEXT(real, Value, reading, writing)                                                                         \
    template <> struct Text<real> {                                                                                    \
        using Number = Value;                                                                                          \
        static constexpr const char *read_format = reading, *write_format = writing;                                   \
    };
TH_TEXT(int16_t, int16_t, "%hd", "%hd")
TH_TEXT(int32_t, int32_t, "%d", "%d")
TH_TEXT(int64_t, int64_t, "%" SCNd64, "%" PRId64)
TH_TEXT(float, float, "%g", "%.9g")
TH_TEXT(double, double, "%lg", "%.17g")
TH_TEXT(THHalf, float, "%g", "%.9g")
#undef TH_TEXT

template <typename T, typename Number> T element_from(Number x) {
    if constexpr (is_half<T>)
        return to_half(x);
    else
        return x;
}
template <typename Number, typename T> Number number_from(T x) {
    if constexpr (is_half<T>)
        return to_float(x);
    else
        return x;
}

template <typename T> void reverse_bytes(T *data, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char *bytes = reinterpret_cast<char *>(data + i);
        std::reverse(bytes, bytes + sizeof(T));
    }
}

constexpr size_t block = 1024;  // elements converted at a time

template <typename T> size_t read_binary(THFile *self, T *data, size_t n) {
    if constexpr (std::is_same<T, int64_t>::value) {
        if (self->long_size == 4) {
            int32_t values[block];
            for (size_t done = 0; done < n;) {
                const size_t asked = std::min(block, n - done), got = read_binary(self, values, asked);
                std::copy(values, values + got, data + done);
                done += got;
                if (got < asked) return done;
            }
            return n;
        }
    }
    const size_t got = self->read(data, sizeof(T), n);
    if (self->reversed) reverse_bytes(data, got);
    return got;
}

template <typename T> size_t write_binary(THFile *self, const T *data, size_t n) {
    const bool narrow = std::is_same<T, int64_t>::value && self->long_size == 4;
    if (!narrow && !(self->reversed && sizeof(T) > 1)) return self->write(data, sizeof(T), n);
    for (size_t done = 0; done < n;) {
        const size_t asked = std::min(block, n - done);
        size_t put = 0;
        if constexpr (std::is_same<T, int64_t>::value) {
            if (narrow) {
                int32_t values[block];
                for (size_t i = 0; i < asked; i++) values[i] = int32_t(data[done + i]);
                put = write_binary(self, values, asked);
            }
        }
        if (!narrow) {
            T values[block];
            std::copy(data + done, data + done + asked, values);
            reverse_bytes(values, asked);
            put = self->write(values, sizeof(T), asked);
        }
        done += put;
        if (put < asked) return done;
    }
    return n;
}

template <typename T> size_t read_text(THFile *self, T *data, size_t n) {
    size_t got = 0;
    if constexpr (sizeof(T) == 1) {
        got = self->read(data, 1, n);
    } else {
        for (typename Text<T>::Number x; got < n && self->scan(Text<T>::read_format, &x) == 1; got++)
            data[got] = element_from<T>(x);
    }
    if (self->auto_spacing) {
        const int c = self->get();
        if (c != '\n' && c != EOF) self->unget(c);
    }
    return got;
}

template <typename T> size_t write_text(THFile *self, const T *data, size_t n) {
    size_t put = 0;
    if constexpr (sizeof(T) == 1) {
        put = self->write(data, 1, n);
    } else {
        for (; put < n; put++) {
            char text[64];
            int length =
                snprintf(text, sizeof text, Text<T>::write_format, number_from<typename Text<T>::Number>(data[put]));
            assert(length > 0 && size_t(length) < sizeof text - 1);  // with all its digits, and one byte for a space
            if (self->auto_spacing && put + 1 < n) text[length++] = ' ';
            if (self->write(text, 1, size_t(length)) < size_t(length)) break;
        }
    }
    if (self->auto_spacing) self->write("\n", 1, 1);
    return put;
}

// Characters that are gathered for the caller, who gives them to THFree.
class Gathered {
public:
    ~Gathered() { THFree(text_); }
    char *room(size_t more) {
        if (size_ + more > capacity_) {
            const size_t capacity = std::max(size_ + more, capacity_ * 2);
            text_ = static_cast<char *>(reallocate(text_, ptrdiff_t(capacity)));
            capacity_ = capacity;
        }
        return text_ + size_;
    }
    void add(size_t n) {
        assert(size_ + n <= capacity_);
        size_ += n;
    }
    size_t size() const { return size_; }
    char *release() { return std::exchange(text_, nullptr); }

private:
    char *text_ = nullptr;
    size_t size_ = 0, capacity_ = 0;
};

}  // namespace

template <typename T> size_t read_raw(THFile *self, T *data, size_t n) {
    check_reading(self);
    if (!n) return 0;
    const size_t got = self->binary ? read_binary(self, data, n) : read_text(self, data, n);
    if (got != n) self->fail("read error: read %zu blocks instead of %zu", got, n);
    return got;
}

template <typename T> size_t write_raw(THFile *self, T *data, size_t n) {
    check_writing(self);
    if (!n) return 0;
    const size_t put = self->binary ? write_binary(self, data, n) : write_text(self, data, n);
    if (put != n) self->fail("write error: wrote %zu blocks instead of %zu", put, n);
    return put;
}

template <typename T> T read_scalar(THFile *self) {
    T value = T();
    read_raw(self, &value, 1);
    return value;
}
template <typename T> void write_scalar(THFile *self, T value) { write_raw(self, &value, 1); }

template <typename T> size_t read_storage(THFile *self, Storage<T> *storage) {
    note_write(storage);
    return read_raw(self, storage->elements(), size_t(storage->size));
}
template <typename T> size_t write_storage(THFile *self, Storage<T> *storage) {
    return write_raw(self, storage->elements(), size_t(storage->size));
}

static size_t read_string(THFile *self, const char *format, char **text) {
    *text = nullptr;
    check_reading(self);
    TH_ARGUMENT(format[0] == '*' && (format[1] == 'a' || format[1] == 'l'), 2, "format must be '*a' or '*l'");
    Gathered gathered;
    bool found = false;
    if (format[1] == 'a') {
        for (;;) {
            const size_t got = self->read(gathered.room(block), 1, block);
            gathered.add(got);
            found |= got > 0;
            if (got < block) break;
        }
    } else {
        for (int c; (c = self->get()) != EOF;) {
            found = true;
            char *end = gathered.room(1);
            if (c == '\n') break;
            *end = char(c);
            gathered.add(1);
        }
    }
    if (!found) {
        self->fail("read error: read 0 blocks instead of 1");
        return 0;
    }
    *text = gathered.release();
    return gathered.size();
}

static size_t write_string(THFile *self, const char *text, size_t size) {
    check_writing(self);
    const size_t put = self->write(text, 1, size);
    if (put != size) self->fail("write error: wrote %zu blocks instead of %zu", put, size);
    return put;
}

static int is_opened(THFile *self) { return self->opened(); }
static void synchronize(THFile *self) {
    check_open(self);
    self->synchronize();
}
static void seek(THFile *self, size_t position) {
    check_open(self);
    self->seek(position);
}
static void seek_end(THFile *self) {
    check_open(self);
    self->seek_end();
}
static size_t tell(THFile *self) {
    check_open(self);
    return self->position();
}
static void close_file(THFile *self) {
    check_open(self);
    self->close();
}
static void free_file(THFile *self) { delete self; }

template <bool THFile__::*flag> int get_flag(THFile *self) { return self->*flag; }
template <bool THFile__::*flag, bool value> void set_flag(THFile *self) { self->*flag = value; }

}  // namespace th

extern "C" {
#include "th/io/file_exports.h"
}
