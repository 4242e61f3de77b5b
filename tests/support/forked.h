// tests/support/forked.h: work in a forked child.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

// Whether work() returned true in a child, which is killed after a minute.
template <typename Work> bool holds_in_child(Work work) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(work() ? 0 : 1);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
