// tests/th/expect.h: what the tests of libth's families share: expectations, caught errors, small tensors.
#pragma once

#include <TH/TH.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

inline int failures = 0;

#define EXPECT(condition)                                                                                              \
    ((condition) ? (void)0 : (void)(failures++, fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition)))

struct Caught {
    int argument;  // 0: a plain error
    std::string text;
};

inline void catch_errors() {
    THSetDefaultErrorHandler([](const char *text, void *) { throw Caught{0, text}; }, nullptr);
    THSetDefaultArgErrorHandler([](int n, const char *text, void *) { throw Caught{n, text ? text : ""}; }, nullptr);
}

// The error that body raises, or argument -1.
template <typename Body> Caught error_of(Body body) {
    try {
        body();
    } catch (const Caught &caught) {
        return caught;
    }
    return {-1, "no error"};
}

// The error that body raises as "argument: text", without the place; "" where there is none.
template <typename Body> std::string raised(Body body) {
    const Caught caught = error_of(body);
    if (caught.argument < 0) return "";
    return std::to_string(caught.argument) + ": " + caught.text.substr(0, caught.text.rfind(" at "));
}

inline bool says(const Caught &caught, int argument, const char *text) {
    const bool so = caught.argument == argument && caught.text.find(text) != std::string::npos;
    if (!so) fprintf(stderr, "got: %d, %s\n", caught.argument, caught.text.c_str());
    return so;
}

// A contiguous tensor of doubles with these sizes and values (numbers in [-1, 1] where none are given).
inline THDoubleTensor *tensor(std::vector<long> sizes, std::vector<double> values = {}) {
    THLongStorage *size = THLongStorage_newWithSize((ptrdiff_t)sizes.size());
    for (size_t d = 0; d < sizes.size(); d++) size->data[d] = sizes[d];
    THDoubleTensor *t = THDoubleTensor_newWithSize(size, nullptr);
    THLongStorage_free(size);
    for (ptrdiff_t i = 0; i < THDoubleTensor_nElement(t); i++)
        THDoubleTensor_data(t)[i] = values.empty() ? std::sin(1.7 * double(i * i) + double(sizes.size())) : values[i];
    return t;
}

// The values in row-major order.
inline std::vector<double> values_of(THDoubleTensor *t) {
    THDoubleTensor *dense = THDoubleTensor_newContiguous(t);
    const double *data = THDoubleTensor_data(dense);
    std::vector<double> values(data, data + THDoubleTensor_nElement(dense));
    THDoubleTensor_free(dense);
    return values;
}

inline double difference(const std::vector<double> &a, const std::vector<double> &b) {
    if (a.size() != b.size()) return INFINITY;
    double most = 0;
    for (size_t i = 0; i < a.size(); i++) most = std::fabs(a[i] - b[i]) <= most ? most : std::fabs(a[i] - b[i]);
    return most;
}
