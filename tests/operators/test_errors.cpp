// tests/operators/test_errors.cpp: error codes and messages, versions, build information and the thread count.
#include "../support/check.h"

#include <cstdlib>
#include <thread>

static int fail() {
    float value = 0;
    return my_lib_add_backward(&value, nullptr, -3, nullptr, nullptr);
}

static void test_before_any_failure() {
    CHECK(my_lib_last_error_code() == MY_LIB_SUCCESS);
    CHECK(std::strcmp(my_lib_last_error_message(), "") == 0);
}

static void test_a_success_leaves_the_error_as_it_was() {
    CHECK_ERROR(fail(), MY_LIB_ERROR_INVALID_SIZE, "grad_output", "ndim", "0", "-3");
    const std::string message = my_lib_last_error_message();
    float value = 0;
    CHECK(my_lib_add_backward(&value, nullptr, 0, nullptr, nullptr) == 1);
    CHECK(my_lib_last_error_code() == MY_LIB_ERROR_INVALID_SIZE);
    CHECK(my_lib_last_error_message() == message);
}

static void test_the_error_belongs_to_the_thread() {
    CHECK(fail() == 0);
    std::thread([] {
        test_before_any_failure();
        CHECK_ERROR(my_lib_set_num_threads(-1), MY_LIB_ERROR_INVALID_VALUE, "num_threads", "0", "-1");
    }).join();
    CHECK(my_lib_last_error_code() == MY_LIB_ERROR_INVALID_SIZE);
}

static void test_a_long_message_is_cut() {
    std::vector<int64_t> sizes(1000, 123456789), more(1001, 123456789);
    sizes[0] = more[0] = 0;
    CHECK(my_lib_add_forward(nullptr, sizes.data(), 1000, nullptr, more.data(), 1001, nullptr) == 0);
    const std::string message = my_lib_last_error_message();
    CHECK(message.rfind("input2: expected shape (0, 123456789, ", 0) == 0);
    CHECK(message.find(", ...), got (0, 123456789, ") != std::string::npos);
    CHECK(message.size() < 512 && message.substr(message.size() - 6) == ", ...)");
}

static void test_another_library_may_set_the_error() {
    const auto message = [] { return std::string(my_lib_last_error_message()); };
    CHECK(my_lib_set_last_error(MY_LIB_ERROR_CUDA, "stream: 1 or 2") == 0 && message() == "stream: 1 or 2");
    CHECK(my_lib_last_error_code() == MY_LIB_ERROR_CUDA);
    CHECK(my_lib_set_last_error(MY_LIB_ERROR_NO_GPU, my_lib_last_error_message() + 8) == 0 && message() == "1 or 2");
    CHECK(my_lib_set_last_error(1234, nullptr) == 0 && my_lib_last_error_code() == 1234 && message().empty());
    CHECK(my_lib_set_last_error(1, std::string(10000, 'x').c_str()) == 0);
    CHECK(my_lib_last_error_message() == std::string(511, 'x'));
}

static void test_names_and_descriptions() {
    CHECK(MY_LIB_SUCCESS == 0);
    int rows = 0;
#define CHECK_ROW(name, code, description)                                                                             \
    CHECK(name == code && code == rows);                                                                               \
    CHECK(std::strcmp(my_lib_error_name(name), #name) == 0);                                                           \
    CHECK(std::strcmp(my_lib_error_description(name), description) == 0);                                              \
    ++rows;
    MY_LIB_ERROR_LIST(CHECK_ROW)
    for (int code : {-1, rows, 1 << 30}) {
        CHECK(std::strcmp(my_lib_error_name(code), "MY_LIB_ERROR_UNKNOWN") == 0);
        CHECK(std::strcmp(my_lib_error_description(code), "unknown error code") == 0);
    }
}

static void test_version() {
    const std::string version = std::to_string(MY_LIB_VERSION_MAJOR) + "." + std::to_string(MY_LIB_VERSION_MINOR) +
                                "." + std::to_string(MY_LIB_VERSION_PATCH);
    CHECK(my_lib_version() == version);
    CHECK(my_lib_abi_version() == MY_LIB_VERSION_MAJOR);
    CHECK(std::string(my_lib_build_info()).rfind("my_lib " + version + " cpu=", 0) == 0);
    CHECK(std::string(my_lib_build_info()).find(" openmp=") != std::string::npos);
}

static void test_the_environment_chooses_the_cpu_path() {
    const char *wanted = std::getenv("MY_LIB_CPU");
    if (!wanted) return;
    bool has = std::strcmp(wanted, "portable") == 0;
#if defined(__x86_64__)
    if (std::strcmp(wanted, "avx2") == 0)
        has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    if (std::strncmp(wanted, "a", 1) == 0 && std::strcmp(wanted, "avx2") != 0)
        has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (std::strcmp(wanted, "avx512_bf16") == 0) has = has && __builtin_cpu_supports("avx512bf16");
    if (std::strcmp(wanted, "amx_bf16") == 0) has = has && __builtin_cpu_supports("amx-bf16");
#endif
    const bool used = std::string(my_lib_build_info()).find(std::string(" cpu=") + wanted + " ") != std::string::npos;
    // Of a CPU that has them the kernel may still refuse AMX's registers.
    const bool may_be_refused = std::strstr(wanted, "_bf16") != nullptr;
    CHECK(used == has || (may_be_refused && has));
}

static void test_num_threads() {
    const int before = my_lib_get_num_threads();
    CHECK(before >= 1);
    CHECK(my_lib_set_num_threads(3) == 1);
    const bool has_openmp = std::string(my_lib_build_info()).find("openmp=none") == std::string::npos;
    CHECK(my_lib_get_num_threads() == (has_openmp ? 3 : 1));
    CHECK(my_lib_set_num_threads(-2) == 0);
    CHECK(my_lib_get_num_threads() == (has_openmp ? 3 : 1));
    CHECK(my_lib_set_num_threads(0) == 1);
    CHECK(my_lib_get_num_threads() == before);
}

int main() {
    test_before_any_failure();
    test_a_success_leaves_the_error_as_it_was();
    test_the_error_belongs_to_the_thread();
    test_a_long_message_is_cut();
    test_another_library_may_set_the_error();
    test_names_and_descriptions();
    test_version();
    test_the_environment_chooses_the_cpu_path();
    test_num_threads();
    return failures() != 0;
}
