/* bindings/c/check.c: replays the vectors in C; other languages' test programs do the same. */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "my_lib.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
enum { MAX_ARRAYS = 16, MAX_DIMS = 8, THREADS = 8, ROUNDS = 20 };
static const float MARK = 1234.5f;

int train(double *loss); /* train.c */

#define FAIL(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1))

static void check(int success, const char *what) {
    if (!success) FAIL("%s: %s", what, my_lib_last_error_message());
}

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) FAIL("no memory for %zu bytes", bytes);
    return memory;
}

/* A call of one function: arrays in the order of its prototype, sizes likewise. */
typedef struct {
    char name[32];
    int64_t ndim, shape[MAX_DIMS], count; /* ndim -1: the array is NULL */
    float *values;
    const float *expected; /* NULL: an input */
} Array;

typedef struct {
    char name[128], function[64], text[512], code_name[64];
    int code; /* of an error; 0: a case */
    double rtol, atol;
    int arrays, sizes;
    Array array[MAX_ARRAYS];
    int64_t size[4];
} Entry;

#define A(i) entry->array[i].values
#define S(i) entry->size[i]

static int call_add_forward(const Entry *entry, void *workspace, size_t workspace_size) {
    const Array *first = entry->array, *second = entry->array + 1;
    (void)workspace, (void)workspace_size;
    return my_lib_add_forward(A(0), first->shape, first->ndim, A(1), second->shape, second->ndim, A(2));
}
static int call_add_backward(const Entry *entry, void *workspace, size_t workspace_size) {
    (void)workspace, (void)workspace_size;
    return my_lib_add_backward(A(0), entry->array->shape, entry->array->ndim, A(1), A(2));
}
static int call_linear_forward(const Entry *entry, void *workspace, size_t workspace_size) {
    return my_lib_linear_forward(A(0), A(1), A(2), S(0), S(1), S(2), A(3), workspace, workspace_size);
}
static int call_linear_backward(const Entry *entry, void *workspace, size_t workspace_size) {
    return my_lib_linear_backward(A(0), A(1), A(2), S(0), S(1), S(2), A(3), A(4), A(5), workspace, workspace_size);
}
static int call_lltm_forward(const Entry *entry, void *workspace, size_t workspace_size) {
    return lltm_forward(A(0), A(1), A(2), A(3), A(4), S(0), S(1), S(2), A(5), A(6), A(7), workspace, workspace_size);
}
static int call_lltm_backward(const Entry *entry, void *workspace, size_t workspace_size) {
    return lltm_backward(A(0), A(1), A(2), A(3), A(4), A(5), A(6), S(0), S(1), S(2), A(7), A(8), A(9), A(10), A(11),
                         workspace, workspace_size);
}
static int call_lltm_sequence_forward(const Entry *entry, void *workspace, size_t workspace_size) {
    return lltm_sequence_forward(A(0), A(1), A(2), A(3), A(4), S(0), S(1), S(2), S(3), A(5), A(6), A(7), workspace,
                                 workspace_size);
}
static int call_lltm_sequence_backward(const Entry *entry, void *workspace, size_t workspace_size) {
    return lltm_sequence_backward(A(0), A(1), A(2), A(3), A(4), A(5), A(6), A(7), A(8), A(9), S(0), S(1), S(2), S(3),
                                  A(10), A(11), A(12), A(13), A(14), workspace, workspace_size);
}

#define MEASURE3(function) \
    static size_t measure_##function(const Entry *entry) { return function##_workspace_size(S(0), S(1), S(2)); }
#define MEASURE4(function) \
    static size_t measure_##function(const Entry *entry) { return function##_workspace_size(S(0), S(1), S(2), S(3)); }
MEASURE3(my_lib_linear_forward)
MEASURE3(my_lib_linear_backward)
MEASURE3(lltm_forward)
MEASURE3(lltm_backward)
MEASURE4(lltm_sequence_forward)
MEASURE4(lltm_sequence_backward)
static size_t measure_nothing(const Entry *entry) { return (void)entry, (size_t)0; }

static const struct {
    const char *name;
    int (*call)(const Entry *entry, void *workspace, size_t workspace_size);
    size_t (*measure)(const Entry *entry);
} functions[] = {
    {"add_forward", call_add_forward, measure_nothing},
    {"add_backward", call_add_backward, measure_nothing},
    {"linear_forward", call_linear_forward, measure_my_lib_linear_forward},
    {"linear_backward", call_linear_backward, measure_my_lib_linear_backward},
    {"lltm_forward", call_lltm_forward, measure_lltm_forward},
    {"lltm_backward", call_lltm_backward, measure_lltm_backward},
    {"lltm_sequence_forward", call_lltm_sequence_forward, measure_lltm_sequence_forward},
    {"lltm_sequence_backward", call_lltm_sequence_backward, measure_lltm_sequence_backward},
};

static size_t find(const char *name) {
    for (size_t i = 0; i < COUNT(functions); ++i)
        if (!strcmp(functions[i].name, name)) return i;
    FAIL("%s: expected one of the 8 functions", name);
}

/* Calls the function with a workspace as large as needed, or with none. */
static int call(const Entry *entry, int with_workspace) {
    const size_t function = find(entry->function);
    const size_t size = with_workspace ? functions[function].measure(entry) : 0;
    void *workspace = size ? allocate(size) : NULL;
    const int success = functions[function].call(entry, workspace, size);
    free(workspace);
    return success;
}

/* ---- vectors --------------------------------------------------------------------------------------------- */

static void read_array(Entry *entry, const char *line) {
    Array *array = &entry->array[entry->arrays++];
    int read = 0;
    if (entry->arrays > MAX_ARRAYS || sscanf(line, "%*s %31s %" SCNd64 "%n", array->name, &array->ndim, &read) != 2 ||
        array->ndim > MAX_DIMS)
        FAIL("%s: %s", entry->name, line);
    array->count = array->ndim >= 0;
    array->values = NULL;
    for (int64_t i = 0; i < array->ndim; ++i) {
        int digits = 0;
        sscanf(line += read, "%" SCNd64 "%n", &array->shape[i], &digits);
        array->count *= array->shape[i];
        read = digits;
    }
}

static void replay_case(const Entry *entry, const char *folder, const char *file, int inputs) {
    Entry run = *entry;
    char path[1024];
    FILE *stream;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (!(stream = fopen(path, "rb"))) FAIL("%s: cannot be read", path);
    for (int i = 0; i < run.arrays; ++i) {
        Array *array = &run.array[i];
        float *values = allocate((size_t)array->count * sizeof(float));
        if (fread(values, sizeof(float), (size_t)array->count, stream) != (size_t)array->count)
            FAIL("%s: too short", path);
        array->values = values;
        array->expected = NULL;
        if (i >= inputs) {
            array->expected = values;
            array->values = allocate((size_t)array->count * sizeof(float));
            for (int64_t j = 0; j < array->count; ++j) array->values[j] = NAN;
        }
        if (array->ndim < 0) {
            free(array->values);
            array->values = NULL;
        }
    }
    if (fgetc(stream) != EOF) FAIL("%s: too long", path);
    fclose(stream);
    check(call(&run, 1), run.name);
    for (int i = 0; i < run.arrays; ++i) {
        const Array *array = &run.array[i];
        for (int64_t j = 0; array->expected && array->values && j < array->count; ++j)
            if (!(fabs((double)array->values[j] - array->expected[j]) <=
                  run.atol + run.rtol * fabs((double)array->expected[j])))
                FAIL("%s: %s[%" PRId64 "]: expected %.9g, got %.9g", run.name, array->name, j,
                     (double)array->expected[j], (double)array->values[j]);
        free(array->values);
        free((float *)array->expected);
    }
}

/* Arrays of 64 numbers are large enough for every error's sizes; those that are not named are the outputs. */
static void replay_error(const Entry *entry) {
    static float numbers[64];
    Entry run = *entry;
    for (int i = 0; i < MAX_ARRAYS; ++i) run.array[i].values = numbers;
    if (call(&run, 0)) FAIL("%s: expected a failure", run.name);
    const int code = my_lib_last_error_code();
    const char *message = my_lib_last_error_message(), *name = my_lib_error_name(code);
    if (code != run.code || strcmp(name, run.code_name) || strcmp(message, run.text))
        FAIL("%s: expected %d %s: %s, got %d %s: %s", run.name, run.code, run.code_name, run.text, code, name, message);
}

static void vectors(const char *folder) {
    char path[1024], line[512], file[128] = "";
    int cases = 0, errors = 0, inputs = 0;
    Entry entry;
    FILE *index;
    snprintf(path, sizeof path, "%s/index.txt", folder);
    if (!(index = fopen(path, "r"))) FAIL("%s: cannot be read", path);
    while (fgets(line, sizeof line, index)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "case ", 5) || !strncmp(line, "error ", 6)) {
            memset(&entry, 0, sizeof entry);
            inputs = 0;
            if (sscanf(line, "case %127s %63s %127s %lf %lf", entry.name, entry.function, file, &entry.rtol,
                       &entry.atol) != 5 &&
                sscanf(line, "error %127s %63s %d %63s", entry.name, entry.function, &entry.code, entry.code_name) != 4)
                FAIL("%s: %s", path, line);
        } else if (!strncmp(line, "size ", 5)) {
            sscanf(line, "size %*s %" SCNd64, &entry.size[entry.sizes++]);
        } else if (!strncmp(line, "in ", 3) || !strncmp(line, "out ", 4)) {
            inputs += line[0] == 'i';
            read_array(&entry, line);
        } else if (!strncmp(line, "text ", 5)) {
            snprintf(entry.text, sizeof entry.text, "%s", line + 5);
        } else if (!strcmp(line, "end")) {
            if (entry.code)
                replay_error(&entry), ++errors;
            else
                replay_case(&entry, folder, file, inputs), ++cases;
        } else {
            FAIL("%s: %s", path, line);
        }
    }
    fclose(index);
    printf("vectors %d\nerrors %d\n", cases, errors);
}

/* ---- marks: the stand-in of bindings/marks wrote into element 0 of every array ---------------------------- */

static void marks(void) {
    static const struct {
        const char *function;
        int arrays;
    } calls[] = {{"add_forward", 3}, {"linear_forward", 4}, {"lltm_forward", 8}, {"lltm_sequence_forward", 8}};
    static float numbers[MAX_ARRAYS][64];
    int checked = 0;
    for (size_t i = 0; i < COUNT(calls); ++i) {
        Entry entry = {.size = {2, 2, 2, 2}};
        strcpy(entry.function, calls[i].function);
        for (int j = 0; j < calls[i].arrays; ++j) {
            numbers[j][0] = 0;
            entry.array[j].values = numbers[j];
            entry.array[j].ndim = 2;
            entry.array[j].shape[0] = entry.array[j].shape[1] = 2;
        }
        check(call(&entry, 1), entry.function);
        for (int j = 0; j < calls[i].arrays; ++j, ++checked)
            if (numbers[j][0] != MARK) FAIL("%s: array %d was copied", entry.function, j);
    }
    printf("marks %d\n", checked);
}

/* ---- threads --------------------------------------------------------------------------------------------- */

enum { LARGE = 256 };
static float input[LARGE * LARGE], weight[LARGE * LARGE];

static void *work(void *argument) {
    const int64_t own = *(const int64_t *)argument, shape[] = {own, 3}, other[] = {own, 4};
    const size_t workspace_size = my_lib_linear_forward_workspace_size(LARGE, LARGE, LARGE);
    void *workspace = allocate(workspace_size);
    float *output = allocate(sizeof(float) * LARGE * LARGE), small[64], sum[64];
    char expected[64];
    snprintf(expected, sizeof expected, "input2: expected shape (%d, 3), got (%d, 4)", (int)own, (int)own);
    for (int i = 0; i < 64; ++i) small[i] = (float)(own * i);
    for (int round = 0; round < ROUNDS; ++round) {
        check(my_lib_linear_forward(input, weight, NULL, LARGE, LARGE, LARGE, output, workspace, workspace_size),
              "linear_forward");
        for (int i = 0; i < LARGE * LARGE; ++i)
            if (output[i] != (float)(LARGE * (i / LARGE % 7) * (i % LARGE % 5)))
                FAIL("linear_forward: output[%d] is %g", i, (double)output[i]);
        check(my_lib_add_forward(small, shape, 2, small, shape, 2, sum), "add_forward");
        for (int i = 0; i < own * 3; ++i)
            if (sum[i] != 2 * small[i]) FAIL("add_forward: output[%d] is %g", i, (double)sum[i]);
        if (my_lib_add_forward(small, shape, 2, small, other, 2, sum)) FAIL("add_forward: expected a failure");
        if (strcmp(my_lib_last_error_message(), expected))
            FAIL("expected %s, got %s", expected, my_lib_last_error_message());
    }
    free(output);
    free(workspace);
    return NULL;
}

/* Rows of the input hold their number modulo 7, rows of the weight theirs modulo 5: every sum is exact in float. */
static void threads(void) {
    pthread_t thread[THREADS];
    int64_t own[THREADS];
    for (int i = 0; i < LARGE * LARGE; ++i) {
        input[i] = (float)(i / LARGE % 7);
        weight[i] = (float)(i / LARGE % 5);
    }
    for (int i = 0; i < THREADS; ++i) {
        own[i] = 2 + i;
        if (pthread_create(&thread[i], NULL, work, &own[i])) FAIL("pthread_create failed");
    }
    for (int i = 0; i < THREADS; ++i) pthread_join(thread[i], NULL);
    printf("threads %d\n", THREADS * ROUNDS * 3);
}

/* ---- time ------------------------------------------------------------------------------------------------ */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void measure(void) {
    static const int64_t shape[] = {25};
    enum { CALLS = 1000, LOOPS = 1000 }; /* loops are short, so that some are not interrupted */
    float a[25], b[25], sum[25];
    double best = DBL_MAX;
    for (int i = 0; i < 25; ++i) a[i] = b[i] = (float)i;
    for (int loop = 0; loop < LOOPS; ++loop) {
        const double start = now();
        for (int i = 0; i < CALLS; ++i) check(my_lib_add_forward(a, shape, 1, b, shape, 1, sum), "add_forward");
        const double each = (now() - start) / CALLS;
        if (each < best) best = each;
    }
    printf("time %.2f\n", best);
}

int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    double loss;
    if (!strcmp(what, "vectors") && count == 3) {
        vectors(arguments[2]);
    } else if (!strcmp(what, "marks")) {
        marks();
    } else if (!strcmp(what, "threads")) {
        threads();
    } else if (!strcmp(what, "time")) {
        measure();
    } else if (!strcmp(what, "train")) {
        check(train(&loss), "train");
        printf("loss %.6f\n", loss);
    } else if (!strcmp(what, "version")) {
        printf("version %s\n", my_lib_version());
    } else {
        FAIL("expected vectors FOLDER, marks, threads, time, train or version, got '%s'", what);
    }
    return 0;
}
