/* TH/THGeneral.h: linkage and name-pasting macros, errors and their handlers, memory, threads.
 *
 * Errors. A failing check formats its message (2047 characters at most, then " at <file>:<line>" where that fits) and
 * hands it to the calling thread's handler, else to the process-wide default one, else prints it on stdout and calls
 * exit(-1). A handler may leave by longjmp or by a C++ exception: the library has released everything that the failing
 * call held before it calls the handler. When the handler returns, the failing library function returns zero (NULL),
 * its outputs unspecified but valid.
 */
#ifndef TH_GENERAL_INC
#define TH_GENERAL_INC

/* Sources written for TH rely on these being here. */
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __cplusplus
#define TH_EXTERNC extern "C"
#else
#define TH_EXTERNC extern
#endif

#define TH_API TH_EXTERNC

#if defined(__GNUC__)
#define TH_NO_RETURN __attribute__((noreturn))
#define TH_UNUSED __attribute__((unused))
#else
#define TH_NO_RETURN
#define TH_UNUSED
#endif

/* What code compiled against these headers may take for the number that positions count from. The library itself reads
 * its own from the environment (docs/reference/th.md). */
#ifndef TH_INDEX_BASE
#define TH_INDEX_BASE 0
#endif

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

#define THMin(X, Y) ((X) < (Y) ? (X) : (Y))
#define THMax(X, Y) ((X) > (Y) ? (X) : (Y))

/* ---- Pasting: the arguments are expanded first ---------------------------------------------------------------- */

#define TH_CONCAT_STRING_2(x, y) TH_CONCAT_STRING_2_EXPAND(x, y)
#define TH_CONCAT_STRING_2_EXPAND(x, y) #x #y
#define TH_CONCAT_STRING_3(x, y, z) TH_CONCAT_STRING_3_EXPAND(x, y, z)
#define TH_CONCAT_STRING_3_EXPAND(x, y, z) #x #y #z
#define TH_CONCAT_STRING_4(x, y, z, w) TH_CONCAT_STRING_4_EXPAND(x, y, z, w)
#define TH_CONCAT_STRING_4_EXPAND(x, y, z, w) #x #y #z #w

#define TH_CONCAT_2(x, y) TH_CONCAT_2_EXPAND(x, y)
#define TH_CONCAT_2_EXPAND(x, y) x##y
#define TH_CONCAT_3(x, y, z) TH_CONCAT_3_EXPAND(x, y, z)
#define TH_CONCAT_3_EXPAND(x, y, z) x##y##z
#define TH_CONCAT_4(x, y, z, w) TH_CONCAT_4_EXPAND(x, y, z, w)
#define TH_CONCAT_4_EXPAND(x, y, z, w) x##y##z##w

/* ---- Errors ----------------------------------------------------------------------------------------------------- */

/* THError(format, ...): reports an error with this file and line. */
#define THError(...) _THError(__FILE__, __LINE__, __VA_ARGS__)

/* THArgError(number, format, ...): reports an invalid argument. */
#define THArgError(...) _THArgCheck(__FILE__, __LINE__, 0, __VA_ARGS__)

/* THArgCheck(condition, argument number, format, ...): a function call, so every argument is evaluated; the condition
 * is converted to int. */
#define THArgCheck(...) _THArgCheck(__FILE__, __LINE__, __VA_ARGS__)

/* THArgCheckWithCleanup(condition, THCleanup(statements), argument number, format, ...): runs the statements before
 * it reports. */
#define THCleanup(...) __VA_ARGS__
#define THArgCheckWithCleanup(condition, cleanup, ...)                                                                 \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      cleanup                                                                                                          \
      _THArgCheck(__FILE__, __LINE__, 0, __VA_ARGS__);                                                                 \
    }                                                                                                                  \
  } while (0)

/* THAssert(expression), THAssertMsg(expression, format, ...): "Assertion `<expression>' failed. <text>". */
#define THAssert(exp)                                                                                                  \
  do {                                                                                                                 \
    if (!(exp)) _THAssertionFailed(__FILE__, __LINE__, #exp, "%s", "");                                                \
  } while (0)
#define THAssertMsg(exp, ...)                                                                                          \
  do {                                                                                                                 \
    if (!(exp)) _THAssertionFailed(__FILE__, __LINE__, #exp, __VA_ARGS__);                                             \
  } while (0)

TH_API void _THError(const char *file, const int line, const char *fmt, ...);
TH_API void _THAssertionFailed(const char *file, const int line, const char *exp, const char *fmt, ...);
TH_API void _THArgCheck(const char *file, int line, int condition, int argNumber, const char *fmt, ...);

typedef void (*THErrorHandlerFunction)(const char *msg, void *data);
typedef void (*THArgErrorHandlerFunction)(int argNumber, const char *msg, void *data);

/* Of the calling thread; NULL removes it. */
TH_API void THSetErrorHandler(THErrorHandlerFunction new_handler, void *data);
TH_API void THSetArgErrorHandler(THArgErrorHandlerFunction new_handler, void *data);

/* Of every thread without one of its own; NULL restores printing and exit(-1). */
TH_API void THSetDefaultErrorHandler(THErrorHandlerFunction new_handler, void *data);
TH_API void THSetDefaultArgErrorHandler(THArgErrorHandlerFunction new_handler, void *data);

/* Hands an error to the handler in force: what a library that is built on this one does with its own. `argument` is -1
 * where no argument is to blame. */
TH_API void thaw_report_error(int argument, const char *message);

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* Bytes. 0 gives NULL, a negative size is an error; blocks above 5120 bytes start at a multiple of 64. Failure is an
 * error too, after the calling thread's collector (THSetGCHandler) had one chance to free something. */
TH_API void *THAlloc(ptrdiff_t size);
TH_API void *THRealloc(void *ptr, ptrdiff_t size);
TH_API void THFree(void *ptr);
TH_API void THSetGCHandler(void (*torchGCHandlerFunction)(void *data), void *data);

/* Adds `size` bytes to what the calling thread has on record as allocated elsewhere; after every 300 MB of growth the
 * collector runs. Without a collector it does nothing. */
TH_API void THHeapUpdate(ptrdiff_t size);

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

TH_API void THSetNumThreads(int num_threads);
TH_API int THGetNumThreads(void);
TH_API int THGetNumCores(void);
/* Forgets THSetNumThreads: as many threads as OpenMP would use. */
TH_API void THInferNumThreads(void);

/* ---- Sizes as text, scalar functions ----------------------------------------------------------------------------- */

typedef struct {
  char str[64];
} THDescBuff;

/* "[2 x 3 x 4]", cut with "...]" where it does not fit. */
TH_API THDescBuff _THSizeDesc(const int64_t *size, const int64_t ndim);

TH_API double THLog1p(const double x);
TH_API double THLog2(const double x);
TH_API double THExpm1(const double x);

#endif
