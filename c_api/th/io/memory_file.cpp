// c_api/th/io/memory_file.cpp: files in a THCharStorage that ends with a zero byte.
#include "th/io/file.h"
#include "th/runtime/export.h"

#include <TH/THMemoryFile.h>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cstring>
#include <functional>

namespace th {
namespace {

class MemoryFile : public THFile__ {
public:
    // Takes the reference to a storage with at least its zero byte over.
    MemoryFile(Storage<int8_t> *storage, Mode mode)
        : THFile__(mode.readable, mode.writable), storage_(storage), size_(size_t(storage->size) - 1) {
        assert(storage->size > 0);
    }
    ~MemoryFile() override { free_storage(storage_); }

    Storage<int8_t> *storage() {
        fit();
        resize_storage(storage_, ptrdiff_t(size_) + 1, 1);
        int8_t &last = storage_->elements()[size_];
        if (last) last = 0;  // it was cut; written only then, since it may be memory that cannot be written
        return storage_;
    }

    bool opened() const override { return storage_; }
    void close() override { free_storage(std::exchange(storage_, nullptr)); }

    size_t read(void *data, size_t element, size_t n) override {
        fit();
        n = std::min(n, (size_ - position_) / element);
        if (n) memmove(data, here(), n * element);
        position_ += n * element;
        return n;
    }
    size_t write(const void *data, size_t element, size_t n) override {
        fit();
        const ptrdiff_t bytes = bytes_for(ptrdiff_t(n), element);
        const auto *from = static_cast<const int8_t *>(data);
        const int8_t *const own = storage_->elements();
        const bool is_own = !std::less<>()(from, own) && std::less<>()(from, own + storage_->size);
        const ptrdiff_t offset = is_own ? from - own : 0;
        grow(position_ + size_t(bytes));
        if (bytes) memmove(here(), is_own ? storage_->elements() + offset : from, size_t(bytes));
        position_ += size_t(bytes);
        if (position_ > size_) {
            size_ = position_;
            *here() = 0;
        }
        return n;
    }
    // One value after white space, from a copy of the text up to the next white space, which may be all that is left.
    int scan(const char *format, void *value) override {
        fit();
        const char *begin = here(), *const end = begin + (size_ - position_);
        while (begin < end && isspace(static_cast<unsigned char>(*begin))) begin++;
        const char *stop = begin;
        while (stop < end && *stop && !isspace(static_cast<unsigned char>(*stop))) stop++;
        if (begin == stop) {
            position_ += size_t(begin - here());
            return EOF;
        }
        const size_t length = size_t(stop - begin);
        char brief[64], with_count[16];
        Buffer<char> lengthy(length < sizeof brief ? 0 : ptrdiff_t(length) + 1);
        char *text = length < sizeof brief ? brief : lengthy.get();
        memcpy(text, begin, length);
        text[length] = 0;
        snprintf(with_count, sizeof with_count, "%s%%n", format);
        int used = 0;
        const int got = sscanf(text, with_count, value, &used);
        if (got == 1) position_ += size_t(begin - here()) + size_t(used);
        return got;
    }
    int get() override {
        fit();
        if (position_ == size_) return EOF;
        const int c = static_cast<unsigned char>(*here());
        position_++;
        return c;
    }
    void unget(int) override {
        assert(position_ > 0);
        position_--;
    }

    void synchronize() override {}
    void seek(size_t position) override {
        fit();
        if (position <= size_)
            position_ = position;
        else
            fail("unable to seek at position %zu", position);
    }
    void seek_end() override {
        fit();
        position_ = size_;
    }
    size_t position() override { return position_; }

private:
    char *here() const {
        assert(storage_ && position_ < size_t(storage_->size));
        return reinterpret_cast<char *>(storage_->elements()) + position_;
    }

    // The storage may have been cut by others who hold it.
    void fit() {
        if (!storage_->size) {
            resize_storage(storage_, 1, 1);
            *storage_->elements() = 0;
        }
        size_ = std::min(size_, size_t(storage_->size) - 1);
        position_ = std::min(position_, size_);
    }

    // Room for `size` bytes and the zero; half as much again as there was, where that is more.
    void grow(size_t size) {
        const size_t room = size_t(storage_->size);
        if (size >= room) resize_storage(storage_, ptrdiff_t(std::max(size + 1, room + room / 2)), 1);
    }

    Storage<int8_t> *storage_;
    size_t size_, position_ = 0;
};

MemoryFile *open_memory(THFile *self) {
    MemoryFile *file = as<MemoryFile>(self, "memory");
    check_open(file);
    return file;
}

struct StorageReference {
    Storage<int8_t> *storage;
    ~StorageReference() { free_storage(storage); }
};

THFile *new_memory_file_with_storage(Storage<int8_t> *storage, const char *mode) {
    TH_ARGUMENT(!storage || (storage->size > 0 && !storage->elements()[storage->size - 1]), 1,
                "provided CharStorage must be terminated by 0");
    const Mode m(mode);
    StorageReference own{storage};
    if (storage)
        retain_storage(storage);
    else {
        own.storage = static_cast<Storage<int8_t> *>(new_storage(1, 1));
        *own.storage->elements() = 0;
    }
    THFile *self = make_file<MemoryFile>(own.storage, m);
    own.storage = nullptr;
    return self;
}

THFile *new_memory_file(const char *mode) { return new_memory_file_with_storage(nullptr, mode); }
AnyStorage *storage(THFile *self) { return open_memory(self)->storage(); }
void long_size(THFile *self, int size) { set_long_size(open_memory(self), size); }

}  // namespace
}  // namespace th

extern "C" {
TH_EXPORT(THFile *, THMemoryFile_new, ::th::new_memory_file, const char *)
TH_EXPORT(THFile *, THMemoryFile_newWithStorage, ::th::new_memory_file_with_storage, THCharStorage *, const char *)
TH_EXPORT(THCharStorage *, THMemoryFile_storage, ::th::storage, THFile *)
TH_EXPORT(void, THMemoryFile_longSize, ::th::long_size, THFile *, int)
}
