/* tests/legacy/headers/errors_and_memory.c: errors and their handlers, memory, threads. */
#include "cases.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* THError: file and line. */
CASE(th_error) {
  char expected[sizeof __FILE__ + 32];
  RAISES(0, "5 and text at ", THError("%d and %s", 5, "text"));
  snprintf(expected, sizeof expected, "x at %s:%d", __FILE__, __LINE__ + 1);
  RAISES(0, expected, THError("x"));
}

static int evaluated;
static int evaluate(void) { return ++evaluated; }

/* THArgCheck: a function: arguments are evaluated. */
CASE(arg_check) {
  volatile long long wide = 1LL << 40;
  THArgCheck(1, 2, "not formatted: %s", (char *)(intptr_t)evaluate());
  CHECK(evaluated == 1); /* the arguments of a call, wrong as they are, are evaluated */
  RAISES(2, "bad 7 at ", THArgCheck(evaluated == 7, 2, "bad %d", 7));
  THArgCheck(wide + 1, 1, "converted to int");
  RAISES(1, "lost in an int", THArgCheck(wide, 1, "lost in an int"));
}

/* THArgCheckWithCleanup: statements before. */
CASE(cleanup) {
  int cleaned = 0;
  THArgCheckWithCleanup(1, THCleanup(cleaned++;), 1, "no");
  CHECK(cleaned == 0);
  RAISES(3, "so be 4", THArgCheckWithCleanup(0, THCleanup(cleaned++; cleaned++;), 3, "so be %d", 4));
  CHECK(cleaned == 2);
}

/* THAssert: the expression's text. */
CASE(assertion) {
  int x = 1;
  THAssert(x > 0);
  RAISES(0, "Assertion `x > 1' failed.  at ", THAssert(x > 1));
}

/* THAssertMsg: with a text of its own. */
CASE(assertion_message) {
  int x = 1;
  char longer[2000];
  RAISES(0, "Assertion `x > 1' failed. because 7 at ", THAssertMsg(x > 1, "because %d", 7));
  memset(longer, 'y', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  RAISES(0, "Assertion", THAssertMsg(x > 1, "%s", longer));
  CHECK(strspn(strchr(error_text, 'y'), "y") == 1023);
}

/* Messages are cut at 2048 characters. */
CASE(long_message) {
  char longer[4000];
  memset(longer, 'z', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  RAISES(0, "zzz", THError("%s", longer));
  CHECK(strlen(error_text) == 2047 && strspn(error_text, "z") == 2047);
}

static char heard[4096];
static int heard_number;
static void hear(const char *text, void *data) { snprintf(heard, sizeof heard, "%s %s", (char *)data, text); }
static void hear_argument(int number, const char *text, void *data) {
  heard_number = number;
  hear(text, data);
}

static void *of_another_thread(void *unused) {
  (void)unused;
  THError("one");
  CHECK(!strncmp(heard, "default one", 11));
  THSetErrorHandler(hear, "own");
  THError("two");
  CHECK(!strncmp(heard, "own two", 7));
  THSetErrorHandler(NULL, NULL);
  THArgError(6, "three");
  CHECK(!strncmp(heard, "default three", 13) && heard_number == 6);
  return NULL;
}

/* THSetErrorHandler: of this thread, first. */
CASE(handler_of_a_thread) {
  pthread_t thread;
  THSetDefaultErrorHandler(hear, "default");
  THSetDefaultArgErrorHandler(hear_argument, "default");
  pthread_create(&thread, NULL, of_another_thread, NULL);
  pthread_join(thread, NULL);
  RAISES(0, "still this thread's own", THError("still this thread's own"));
}

/* THSetDefaultErrorHandler: of the process. */
CASE(default_handler) {
  THSetErrorHandler(NULL, NULL);
  THSetDefaultErrorHandler(hear, "default");
  THError("here");
  CHECK(!strncmp(heard, "default here", 12));
}

/* What a child prints and exits with. */
static int child(void (*run)(void), char *output, size_t room) {
  int pipes[2], status;
  ssize_t n;
  pid_t pid;
  CHECK(!pipe(pipes));
  fflush(NULL);
  pid = fork();
  if (!pid) {
    dup2(pipes[1], 1);
    close(pipes[0]);
    run();
    _exit(0);
  }
  close(pipes[1]);
  n = read(pipes[0], output, room - 1);
  output[n > 0 ? n : 0] = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void raise_plain(void) {
  THSetErrorHandler(NULL, NULL);
  THSetDefaultErrorHandler(hear, "");
  THSetDefaultErrorHandler(NULL, NULL);
  THError("plain");
}
static void raise_argument(void) {
  THFloatTensor *t;
  THSetArgErrorHandler(NULL, NULL);
  t = THFloatTensor_newWithSize2d(2, 2);
  THFloatTensor_size(t, 5);
}

/* The built-in handlers print and exit. */
CASE(built_in_handlers) {
  char output[4096];
  CHECK(child(raise_plain, output, sizeof output) == 255 && !strncmp(output, "$ Error: plain at ", 18));
  CHECK(child(raise_argument, output, sizeof output) == 255);
  CHECK(!strncmp(output, "$ Invalid argument 2: dimension 5 out of range of 2D tensor at ", 63));
}

/* A handler that returns: the caller goes on. */
CASE(handler_that_returns) { /* the call then does nothing and gives 0 */
  THFloatTensor *t = counted(2, 2);
  THSetErrorHandler(hear, "");
  THSetArgErrorHandler(hear_argument, "");
  CHECK(THFloatTensor_size(t, 9) == 0 && heard_number == 2);
  CHECK(THFloatTensor_newSelect(t, 9, 9) == NULL);
  THFloatTensor_narrow(t, NULL, 0, 9, 9);
  HOLDS(t, 0, 1, 2, 3);
  THFloatTensor_free(t);
}

/* THAlloc: none, negative and impossible sizes. */
CASE(allocation) {
  char *memory;
  CHECK(THAlloc(0) == NULL);
  RAISES(0, "$ Torch: invalid memory size -- maybe an overflow?", THAlloc(-1));
  memory = (char *)THAlloc(5121);
  CHECK((uintptr_t)memory % 64 == 0);
  RAISES(0, "$ Torch: not enough memory: you tried to allocate 1048576GB. Buy new RAM!", THAlloc((ptrdiff_t)1 << 50));
  memory[5120] = 4;
  memory = (char *)THRealloc(memory, 6000);
  CHECK(memory[5120] == 4 && (uintptr_t)memory % 64 == 0);
  RAISES(0, "$ Torch: not enough memory: you tried to reallocate 1048576GB. Buy new RAM!",
         THRealloc(memory, (ptrdiff_t)1 << 50));
  CHECK(memory[5120] == 4);
  CHECK(THRealloc(memory, 0) == NULL);
  memory = (char *)THRealloc(NULL, 10);
  THFree(memory);
  THFree(NULL);
}

static int collected;
static void collect(void *data) { collected += *(int *)data; }

/* THSetGCHandler: before a failure. */
CASE(collector_before_a_failure) {
  int one = 1;
  THSetGCHandler(collect, &one);
  RAISES(0, "$ Torch: not enough memory", THAlloc((ptrdiff_t)1 << 50));
  CHECK(collected == 1);
  THHeapUpdate(200 << 20);
  CHECK(collected == 1);
  THHeapUpdate(200 << 20);
  CHECK(collected == 2);
  THSetGCHandler(NULL, NULL);
  THHeapUpdate(400 << 20);
  CHECK(collected == 2);
}

/* THGetNumThreads: OpenMP's. */
CASE(number_of_threads) {
  THSetNumThreads(1);
  CHECK(THGetNumThreads() == 1);
  THSetNumThreads(3);
  CHECK(THGetNumThreads() == 3);
  THSetNumThreads(0);
  CHECK(THGetNumThreads() == 3 && THGetNumCores() >= 1);
  THInferNumThreads();
  CHECK(THGetNumThreads() == THGetNumCores());
}
