// tests/operators/test_arguments.cpp: the argument checks themselves, which the library does not export.
#include "runtime/arguments.h"
#include "runtime/workspace.cuh"
#include "../support/check.h"

using namespace my_lib;

static void test_count_elements() {
    int64_t count = -1;
    CHECK(check_shape("input", nullptr, 0, 4, &count) && count == 1);
    const int64_t shape[] = {2, 3, 5};
    CHECK(check_shape("input", shape, 3, 4, &count) && count == 30);
    CHECK((check_array_size<double>("input", {7, 11}, &count)) && count == 77);
    CHECK((check_array_size<double>("input", {7, 11})));
}

static void test_an_array_without_elements_never_overflows() {
    int64_t count = -1;
    const int64_t shape[] = {INT64_MAX, INT64_MAX, 0, INT64_MAX};
    CHECK(check_shape("input", shape, 4, 8, &count) && count == 0);
}

static void test_the_largest_array_is_counted_in_bytes() {
    int64_t count = -1;
    CHECK((check_array_size<float>("input", {INT64_MAX / 4}, &count)) && count == INT64_MAX / 4);
    count = -1;
    CHECK_ERROR((check_array_size<float>("weight", {INT64_MAX / 4 + 1}, &count)), MY_LIB_ERROR_SIZE_OVERFLOW,
                "weight", "9223372036854775807", "(2305843009213693952,)", "4-byte");
    CHECK_ERROR((check_array_size<double>("weight", {int64_t{1} << 31, int64_t{1} << 32}, &count)),
                MY_LIB_ERROR_SIZE_OVERFLOW, "weight", "9223372036854775807", "(2147483648, 4294967296)", "8-byte");
    CHECK(count == -1);
}

static void test_shapes_that_are_wrong() {
    int64_t count = -1;
    const int64_t negative[] = {0, -2}, shape[] = {5, 5}, other[] = {5, 4};
    CHECK_ERROR(check_shape("input", shape, -1, 4, &count), MY_LIB_ERROR_INVALID_SIZE, "input", "ndim", "0", "-1");
    CHECK_ERROR(check_shape("input", nullptr, 2, 4, &count), MY_LIB_ERROR_NULL_POINTER, "input", "2", "NULL");
    CHECK_ERROR(check_shape("input", negative, 2, 4, &count), MY_LIB_ERROR_INVALID_SIZE, "input", "0", "(0, -2)");
    CHECK_ERROR(check_same_shape("input2", other, 2, shape, 2), MY_LIB_ERROR_SHAPE_MISMATCH,
                "input2", "(5, 5)", "(5, 4)");
    CHECK_ERROR(check_same_shape("input2", shape, 1, shape, 2), MY_LIB_ERROR_SHAPE_MISMATCH,
                "input2", "(5, 5)", "(5,)");
    CHECK_ERROR(check_same_shape("input2", nullptr, 0, shape, 2), MY_LIB_ERROR_SHAPE_MISMATCH,
                "input2", "(5, 5)", "()");
    CHECK(check_same_shape("input2", nullptr, 0, nullptr, 0) && check_same_shape("input2", shape, 2, shape, 2));
    CHECK_ERROR(check_size("batch", -1), MY_LIB_ERROR_INVALID_SIZE, "batch", "0", "-1");
    CHECK_ERROR(check_size("batch", 1, 2), MY_LIB_ERROR_INVALID_SIZE, "batch", "2", "1");
    CHECK(check_size("batch", 0) && check_size("batch", 2, 2));
}

static void test_pointers() {
    alignas(8) char bytes[32];
    const double *aligned = reinterpret_cast<double *>(bytes);
    const double *unaligned = reinterpret_cast<double *>(bytes + 4);
    CHECK(check_array("input", aligned, 3) && check_optional("bias", aligned));
    CHECK(check_array<double>("input", nullptr, 0) && check_optional<double>("bias", nullptr));
    CHECK_ERROR(check_array<double>("input", nullptr, 1), MY_LIB_ERROR_NULL_POINTER, "input", "NULL");
    char given[32];
    std::snprintf(given, sizeof given, "%p", static_cast<const void *>(unaligned));
    CHECK_ERROR(check_optional("bias", unaligned), MY_LIB_ERROR_UNALIGNED_POINTER, "bias", "8", given);
    CHECK_ERROR(check_array("bias", unaligned, 2), MY_LIB_ERROR_UNALIGNED_POINTER, "bias", "8", given);
}

static void test_workspace() {
    char bytes[16];
    CHECK(check_workspace(nullptr, 0, 0) && check_workspace(bytes, 16, 16) && check_workspace(bytes, 16, 3));
    CHECK_ERROR(check_workspace(bytes, 15, 16), MY_LIB_ERROR_WORKSPACE_TOO_SMALL, "workspace_size", "16", "15");
    CHECK_ERROR(check_workspace(nullptr, 16, 16), MY_LIB_ERROR_NULL_POINTER, "workspace", "16", "NULL");
    set_error(MY_LIB_ERROR_SIZE_OVERFLOW, "as the workspace_size function said");
    CHECK_ERROR(check_workspace(bytes, SIZE_MAX, SIZE_MAX), MY_LIB_ERROR_SIZE_OVERFLOW,
                "as the workspace_size function said");
}

static void test_parts_of_a_workspace() {
    Workspace none, two, large;
    CHECK(none.bytes() == 0);
    alignas(256) static char memory[1024];
    Workspace parts(memory + 1);
    CHECK(parts.take<float>(3) == reinterpret_cast<float *>(memory + 256));
    CHECK(parts.take<double>(1) == reinterpret_cast<double *>(memory + 512));
    CHECK(!two.take<float>(3) && !two.take<double>(1) && two.bytes() == 768);
    large.take<char>(INT64_MAX);
    large.take<char>(INT64_MAX);
    CHECK_ERROR(large.bytes() != SIZE_MAX, MY_LIB_ERROR_SIZE_OVERFLOW, "workspace", "18446744073709551615", "more");
}

int main() {
    test_count_elements();
    test_an_array_without_elements_never_overflows();
    test_the_largest_array_is_counted_in_bytes();
    test_shapes_that_are_wrong();
    test_pointers();
    test_workspace();
    test_parts_of_a_workspace();
    return failures() != 0;
}
