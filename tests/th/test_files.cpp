// tests/th/test_files.cpp: files on disk, in pipes and in memory: round trips, byte order, ends, errors.
#include "expect.h"

#include <TH/THDiskFile.h>
#include <TH/THMemoryFile.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace {

const char *const path = "test_files.tmp";

template <typename Body> void on_disk_and_in_memory(const Body &body) {
    std::remove(path);
    THFile *disk = THDiskFile_new(path, "rw", 0), *memory = THMemoryFile_new("rw");
    body(disk);
    body(memory);
    THFile_free(disk);
    THFile_free(memory);
    std::remove(path);
}

void round_trips() {
    on_disk_and_in_memory([](THFile *file) {
        for (bool binary : {false, true}) {
            THFile_seek(file, 0);
            binary ? THFile_binary(file) : THFile_ascii(file);
            double d[] = {0.1, -1e300, 5e-324, INFINITY, -0.0, 3}, e[6];
            int64_t l[] = {INT64_MIN, INT64_MAX, 0, -7}, m[4];
            float f[] = {0.1f, 1e-45f, 3e38f}, g[3];
            uint8_t b[] = {0, 10, 255, 32}, c[4];
            EXPECT(THFile_writeDoubleRaw(file, d, 6) == 6 && THFile_writeLongRaw(file, l, 4) == 4);
            EXPECT(THFile_writeByteRaw(file, b, 4) == 4 && THFile_writeFloatRaw(file, f, 3) == 3);
            const size_t end = THFile_position(file);
            // Reading follows writing without a flush; then writing follows reading.
            THFile_seek(file, 0);
            EXPECT(THFile_readDoubleRaw(file, e, 6) == 6 && THFile_readLongRaw(file, m, 4) == 4);
            EXPECT(THFile_readByteRaw(file, c, 4) == 4 && THFile_readFloatRaw(file, g, 3) == 3);
            EXPECT(!memcmp(d, e, sizeof d) && !memcmp(l, m, sizeof l) && !memcmp(b, c, 4) && !memcmp(f, g, sizeof f));
            EXPECT(THFile_position(file) == end);
            THFile_writeShortScalar(file, -12345);
            THFile_seek(file, end);
            EXPECT(THFile_readShortScalar(file) == -12345);
            THFile_seek(file, end);
        }
    });
}

void what_others_see() {
    THFile *file = THDiskFile_new(path, "w", 0);
    THFile_writeStringRaw(file, "7x", 2);
    THFile_synchronize(file);
    THFile *other = THDiskFile_new(path, "r", 0);
    char *text;
    EXPECT(THFile_readIntScalar(other) == 7);  // what ends the number stays
    EXPECT(THFile_readStringRaw(other, "*a", &text) == 1 && *text == 'x');
    THFree(text);
    THFile_free(other);
    THFile_free(file);
    std::remove(path);

    THFile *full = THDiskFile_new("/dev/full", "w", 0);
    THFile_writeStringRaw(full, "7x", 2);
    EXPECT(raised([&] { THFile_synchronize(full); }) == "0: unable to write all of </dev/full>");
    THFile_free(full);
}

// Then a function gives 0 or NULL.
void handlers_that_return() {
    int calls = 0;
    THSetErrorHandler([](const char *, void *data) { *static_cast<int *>(data) += 1; }, &calls);
    THSetArgErrorHandler([](int, const char *, void *data) { *static_cast<int *>(data) += 10; }, &calls);
    EXPECT(!THDiskFile_new("/none/none", "r", 0) && calls == 1);
    THFile *memory = THMemoryFile_new("r");
    EXPECT(THFile_readIntScalar(memory) == 0 && calls == 2);
    char *text;
    EXPECT(THFile_readStringRaw(memory, "x", &text) == 0 && calls == 12);
    THFile_free(memory);
    THSetErrorHandler(nullptr, nullptr);
    THSetArgErrorHandler(nullptr, nullptr);
}

void strings() {
    on_disk_and_in_memory([](THFile *file) {
        EXPECT(THFile_writeStringRaw(file, "one\n\nthree", 10) == 10);
        THFile_seek(file, 0);
        char *text;
        EXPECT(THFile_readStringRaw(file, "*l", &text) == 3 && !memcmp(text, "one", 3));
        THFree(text);
        EXPECT(THFile_readStringRaw(file, "*l", &text) == 0 && text);
        THFree(text);
        EXPECT(THFile_readStringRaw(file, "*a", &text) == 5 && !memcmp(text, "three", 5));
        THFree(text);
        EXPECT(raised([&] { THFile_readStringRaw(file, "*l", &text); }) == "0: read error: read 0 blocks instead of 1");
        EXPECT(!text);
        EXPECT(raised([&] { THFile_readStringRaw(file, "x", &text); }) == "2: format must be '*a' or '*l'");
    });
}

void ends_and_errors() {
    on_disk_and_in_memory([](THFile *file) {
        THFile_binary(file);
        int32_t values[] = {1, 2}, read[3] = {0, 0, 9};
        THFile_writeIntRaw(file, values, 2);
        THFile_seek(file, 0);
        EXPECT(raised([&] { THFile_readIntRaw(file, read, 3); }) == "0: read error: read 2 blocks instead of 3");
        EXPECT(read[0] == 1 && read[1] == 2 && read[2] == 9 && THFile_hasError(file));
        THFile_clearError(file);
        THFile_quiet(file);
        EXPECT(THFile_readIntScalar(file) == 0 && THFile_hasError(file));
        THFile_pedantic(file);
        THFile_close(file);
        EXPECT(!THFile_isOpened(file));
        EXPECT(raised([&] { THFile_readIntRaw(file, read, 1); }) == "1: attempt to use a closed file");
        EXPECT(raised([&] { THFile_seek(file, 0); }) == "1: attempt to use a closed file");
        EXPECT(raised([&] { THFile_position(file); }) == "1: attempt to use a closed file");
        EXPECT(raised([&] { THFile_close(file); }) == "1: attempt to use a closed file");
    });
    THFile *memory = THMemoryFile_new("w");
    EXPECT(raised([&] { THFile_readIntScalar(memory); }) == "1: attempt to read in a write-only file");
    EXPECT(raised([&] { THDiskFile_name(memory); }) == "1: expected a disk file");
    EXPECT(raised([&] { THMemoryFile_longSize(memory, 5); }) == "1: Invalid long size specified");
    EXPECT(raised([&] { THFile_seek(memory, 1); }) == "0: unable to seek at position 1");
    THFile_free(memory);
    EXPECT(!THDiskFile_new("no such directory/file", "r", 1));
    EXPECT(raised([] { THDiskFile_new("x", "rwx", 0); }).substr(0, 2) == "2:");
    // What the device does not take shows at the latest when the file is closed.
    if (THFile *full = THDiskFile_new("/dev/full", "w", 1)) {
        THFile_pedantic(full);
        THFile_writeIntScalar(full, 1);
        EXPECT(raised([&] { THFile_close(full); }).substr(0, 2) == "0:" && !THFile_isOpened(full));
        THFile_free(full);
    }
}

void byte_order_and_long_size() {
    THFile *file = THDiskFile_new(path, "w", 0);
    THFile_binary(file);
    std::vector<int64_t> values(3000), read(3000);
    for (size_t i = 0; i < values.size(); i++) values[i] = int64_t(i) * -1000003 % 2000000;
    THDiskFile_bigEndianEncoding(file);
    THDiskFile_longSize(file, 4);
    EXPECT(THFile_writeLongRaw(file, values.data(), values.size()) == values.size());
    EXPECT(THFile_position(file) == 4 * values.size());
    THFile_writeDoubleScalar(file, 1);
    THFile_free(file);
    file = THDiskFile_new(path, "r", 0);
    THFile_binary(file);
    THDiskFile_bigEndianEncoding(file);
    THDiskFile_longSize(file, 4);
    EXPECT(THFile_readLongRaw(file, read.data(), read.size()) == read.size() && read == values);
    uint8_t bytes[8];
    THFile_readByteRaw(file, bytes, 8);
    EXPECT(bytes[0] == 0x3F && bytes[1] == 0xF0 && bytes[7] == 0);
    THFile_free(file);
    std::remove(path);
}

void pipes() {
    THFile *file = THPipeFile_new("echo 1 -2 3; echo 4.5", "r", 0);
    int32_t numbers[3];
    EXPECT(THFile_readIntRaw(file, numbers, 3) == 3 && numbers[1] == -2 && THFile_readFloatScalar(file) == 4.5f);
    EXPECT(raised([&] { THFile_seek(file, 0); }) == "0: unable to seek to position 0");
    THFile_free(file);
}

void memory_and_its_storage() {
    THCharStorage *storage = THCharStorage_newWithSize(3);
    THCharStorage_fill(storage, 'x');
    EXPECT(raised([&] { THMemoryFile_newWithStorage(storage, "r"); }).substr(0, 2) == "1:");
    THCharStorage *empty = THCharStorage_new();
    EXPECT(raised([&] { THMemoryFile_newWithStorage(empty, "r"); }).substr(0, 2) == "1:");
    THCharStorage_free(empty);
    memcpy(THCharStorage_data(storage), "12", 3);
    THFile *file = THMemoryFile_newWithStorage(storage, "rw");
    EXPECT(THFile_readIntScalar(file) == 12);
    // Numbers longer than any buffer, and a storage that its other holder cuts.
    std::string digits(100000, '1');
    THFile_seek(file, 0);
    THFile_writeStringRaw(file, digits.data(), digits.size());
    THFile_seek(file, 0);
    EXPECT(std::isinf(THFile_readDoubleScalar(file)) && THFile_position(file) == digits.size());
    EXPECT(THCharStorage_size(THMemoryFile_storage(file)) == ptrdiff_t(digits.size()) + 1);
    THCharStorage_resize(storage, 5);
    THFile_seekEnd(file);
    EXPECT(THFile_position(file) == 4);
    THCharStorage_resize(storage, 0);
    THFile_writeStringRaw(file, "7", 1);
    THFile_seek(file, 0);
    EXPECT(THFile_readIntScalar(file) == 7);
    THFile_free(file);
    EXPECT(storage->refcount == 1);
    THCharStorage_free(storage);
}

}  // namespace

int main() {
    catch_errors();
    round_trips();
    what_others_see();
    handlers_that_return();
    strings();
    ends_and_errors();
    byte_order_and_long_size();
    pipes();
    memory_and_its_storage();
    return failures != 0;
}
