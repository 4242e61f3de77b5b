/* cmake/glibc_shim.c: functions that gcc's libraries and ours call, and that glibc 2.28 does not export.
 *
 * Linked into each library of a portable wheel, hidden: no other library sees them. Without <sys/stat.h> and <stdlib.h>,
 * whose declarations depend on the glibc that is installed here. */
#include <stddef.h>
#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* In libc_nonshared.a of that glibc; the number is _STAT_VER of its architecture. */
#if defined(__x86_64__)
enum { STATUS_VERSION = 1 };
#elif defined(__aarch64__)
enum { STATUS_VERSION = 0 };
#else
#error "glibc_shim.c: expected x86-64 or aarch64"
#endif
struct stat;
int __fxstat(int version, int file, struct stat *status);
HIDDEN int fstat(int file, struct stat *status) { return __fxstat(STATUS_VERSION, file, status); }
int __xstat(int version, const char *path, struct stat *status);
HIDDEN int stat(const char *path, struct stat *status) { return __xstat(STATUS_VERSION, path, status); }

/* The functions that register a handler say whose it is, so that it goes when its library is unloaded. */
extern HIDDEN void *__dso_handle;
int __cxa_atexit(void (*function)(void *), void *data, void *library);
HIDDEN int atexit(void (*function)(void)) {
    return __cxa_atexit((void (*)(void *))(void (*)(void))function, NULL, __dso_handle);
}

int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library);
HIDDEN int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    return __register_atfork(prepare, parent, child, __dso_handle);
}

/* Since glibc 2.32: whether libstdc++ may count references without atomic instructions. It may not. */
HIDDEN char __libc_single_threaded = 0;

/* Since glibc 2.36: std::random_device. It never fails; getentropy does only before the kernel has any entropy. */
int getentropy(void *buffer, size_t size);
HIDDEN uint32_t arc4random(void) {
    uint32_t number;
    while (getentropy(&number, sizeof number) != 0) continue;
    return number;
}
