/* tests/support/failing_io.c: preloaded into a process, it makes the n-th call that changes a file, or starts a program,
 * fail, or ends the process there.
 *
 * THAW_IO_ROOT   calls on files below this folder count; forks and execs count anywhere
 * THAW_IO_NTH    which one fails, from 1; 0 for none
 * THAW_IO_ERROR  the number of the error; 0 for SIGKILL
 * THAW_IO_LOG    a file that gets a line for each call that counts, and "failed" behind the one that fails
 *
 * Only processes of the program that THAW_IO_PROGRAM names (its last part begins so) count, such as python. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static long calls;

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

static int counts_here(void) {
    static int known = -1;
    if (known < 0) {
        const char *wanted = setting("THAW_IO_PROGRAM");
        known = *wanted && strncmp(program_invocation_short_name, wanted, strlen(wanted)) == 0;
    }
    return known;
}

static int is_below(const char *path) {
    const char *root = setting("THAW_IO_ROOT");
    char whole[PATH_MAX];
    const size_t length = strlen(root);
    if (!length || !path) return 0;
    if (path[0] != '/') {
        if (!getcwd(whole, sizeof whole)) return 0;
        return strncmp(whole, root, length) == 0;
    }
    return strncmp(path, root, length) == 0;
}

static int is_below_fd(int fd) {
    char name[64], path[PATH_MAX];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(name, path, sizeof path - 1);
    if (length <= 0 || path[0] != '/') return 0; /* a pipe, a terminal */
    path[length] = 0;
    return is_below(path);
}

static void note(const char *what, const char *path, const char *end) {
    char line[PATH_MAX + 64];
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, setting("THAW_IO_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd < 0) return;
    const int length = snprintf(line, sizeof line, "%s %s%s\n", what, path ? path : "", end);
    syscall(SYS_write, fd, line, (size_t)length);
    syscall(SYS_close, fd);
}

/* Whether this call fails: errno is set then. */
static int fails(const char *what, const char *path) {
    if (!counts_here()) return 0;
    const long nth = atol(setting("THAW_IO_NTH"));
    const int error = atoi(setting("THAW_IO_ERROR"));
    const int now = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == nth;
    note(what, path, now ? " failed" : "");
    if (!now) return 0;
    if (error == 0) kill(getpid(), SIGKILL);
    errno = error;
    return 1;
}

#define REAL(result, name, ...)                                                                                        \
    static result (*real)(__VA_ARGS__);                                                                                \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;                                \
        va_end(more);                                                                                                  \
        REAL(int, name, const char *, int, ...);                                                                       \
        if ((flags &WRITES) && is_below(path) && fails("open", path)) return -1;                      \
        return real(path, flags, mode);                                                                                \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                                   \
    int name(int folder, const char *path, int flags, ...) {                                                           \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;                                \
        va_end(more);                                                                                                  \
        REAL(int, name, int, const char *, int, ...);                                                                  \
        if ((flags &WRITES) && is_below(path) && fails("open", path)) return -1;                      \
        return real(folder, path, flags, mode);                                                                        \
    }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    if (is_below_fd(fd) && fails("write", NULL)) return -1;
    return real(fd, data, size);
}

ssize_t sendfile(int out, int in, off_t *offset, size_t size) {
    REAL(ssize_t, sendfile, int, int, off_t *, size_t);
    if (is_below_fd(out) && fails("sendfile", NULL)) return -1;
    return real(out, in, offset, size);
}

ssize_t sendfile64(int out, int in, off64_t *offset, size_t size) {
    REAL(ssize_t, sendfile64, int, int, off64_t *, size_t);
    if (is_below_fd(out) && fails("sendfile", NULL)) return -1;
    return real(out, in, offset, size);
}

int fsync(int fd) {
    REAL(int, fsync, int);
    if (is_below_fd(fd) && fails("fsync", NULL)) return -1;
    return real(fd);
}

int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    if (is_below(to) && fails("rename", to)) return -1;
    return real(from, to);
}

int renameat(int old_folder, const char *from, int folder, const char *to) {
    REAL(int, renameat, int, const char *, int, const char *);
    if (is_below(to) && fails("rename", to)) return -1;
    return real(old_folder, from, folder, to);
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    if (is_below(path) && fails("mkdir", path)) return -1;
    return real(path, mode);
}

int symlink(const char *target, const char *path) {
    REAL(int, symlink, const char *, const char *);
    if (is_below(path) && fails("symlink", path)) return -1;
    return real(target, path);
}

pid_t fork(void) {
    REAL(pid_t, fork, void);
    return fails("fork", NULL) ? -1 : real();
}

int execve(const char *path, char *const words[], char *const environment[]) {
    REAL(int, execve, const char *, char *const *, char *const *);
    return fails("exec", path) ? -1 : real(path, words, environment);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                char *const words[], char *const environment[]) {
    REAL(int, posix_spawn, pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
         char *const *, char *const *);
    return fails("exec", path) ? errno : real(pid, path, actions, attributes, words, environment);
}
