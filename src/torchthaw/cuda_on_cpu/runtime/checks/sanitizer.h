// cuda_on_cpu/runtime/checks/sanitizer.h: functions of AddressSanitizer, null in a process without it.
#pragma once

#include <cstddef>

extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void **fake_stack, const void *bottom, size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void *fake_stack, const void **bottom, size_t *size);
[[gnu::weak]] void __asan_poison_memory_region(const volatile void *, size_t);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void *, size_t);
[[gnu::weak]] void __asan_set_error_report_callback(void (*)(const char *));
[[gnu::weak]] void *__asan_get_report_address();
[[gnu::weak]] void *__asan_get_report_pc();
[[gnu::weak]] const char *__asan_get_report_description();
[[gnu::weak]] void __sanitizer_symbolize_pc(void *pc, const char *format, char *text, size_t bytes);
[[gnu::weak]] int __asan_address_is_poisoned(const volatile void *);
}
