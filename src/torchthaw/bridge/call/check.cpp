/* check.cpp: shapes, NULL and overlap of the arrays of a call. */
#include "check.h"

#include "bridge/values/convert.h"
#include "call.h"

#include <cassert>
#include <utility>

namespace bridge {

namespace {

/* The C value of an integer parameter in the frame. */
int64_t integer_in(const void *frame, const thaw_parameter &parameter) {
    int64_t value = 0;
    read_integer(parameter.kind, static_cast<const char *>(frame) + parameter.offset, &value);
    return value;
}

/* ---- What is wrong ---- */

struct Finding {
    enum { NOTHING, SHAPE, NO_SHAPE, NULL_POINTER, OVERLAP } what;
    int array; /* its index among the arrays */
    int which; /* of its shapes; for an overlap, the index of the other array */
};

/* Whether an array of which only the number of elements is known has as many as the shape. */
bool has_as_many(const Array &array, const int64_t *shape, int64_t dimensions) {
    int64_t elements = 1;
    for (int64_t i = 0; i < dimensions; ++i) {
        if (shape[i] < 0 || __builtin_mul_overflow(elements, shape[i], &elements)) return false;
    }
    return array.count == elements;
}

inline Finding find_in_shapes(const thaw_callable *function, const void *frame, const Array *arrays, int index,
                              int64_t *buffer) {
    const Array &array = arrays[index];
    assert(array.parameter >= 0 && array.parameter < function->parameter_count);
    const int flags = function->parameters[array.parameter].flags, count = function->shape_counts[array.parameter];
    if (__builtin_expect(array.dimensions < Array::COUNTED, 0)) {
        if (array.dimensions == Array::UNKNOWN || (flags & (THAW_MAY_BE_NULL | THAW_SCRATCH)) != 0) return {};
        if (count == 0) return {Finding::NULL_POINTER, index, 0};
    }
    for (int which = 0; which < count; ++which) {
        int64_t dimensions;
        const int64_t *shape = function->shape(frame, array.parameter, which, buffer, &dimensions);
        assert(dimensions <= THAW_MAX_DIMENSIONS);
        if (__builtin_expect(shape == nullptr, 0)) return {Finding::NO_SHAPE, index, which};
        bool fits = array.dimensions == dimensions;
        for (int64_t i = 0; fits && i < dimensions; ++i) fits = array.size[i] == shape[i];
        if (array.dimensions < 0) fits = has_as_many(array, shape, dimensions);
        if (__builtin_expect(!fits, 0)) return {Finding::SHAPE, index, which};
    }
    return {};
}

bool is_same(const Array &a, const Array &b) {
    const bool same_end = a.end == b.end || a.dimensions == Array::UNKNOWN || b.dimensions == Array::UNKNOWN;
    return a.begin == b.begin && same_end;
}

/* Whether the header says that an output may be another array. */
bool may_be(const thaw_function *function, const Array &output, const Array &other) {
    const thaw_parameter &parameter = function->parameters[output.parameter];
    return (parameter.flags & THAW_WRITTEN) != 0 && (parameter.aliases >> other.parameter & 1) != 0;
}

inline Finding find_overlap(const thaw_function *function, const Array *arrays, int count, int index) {
    const Array &output = arrays[index];
    for (int i = 0; i < count; ++i) {
        const Array &other = arrays[i];
        if (output.begin >= other.end || other.begin >= output.end || i == index) continue;
        const bool allowed = may_be(function, output, other) || may_be(function, other, output);
        if (!allowed || !is_same(output, other)) return {Finding::OVERLAP, index, i};
    }
    return {};
}

/* ---- Messages ---- */

std::string shape_text(const int64_t *size, int64_t dimensions) {
    std::string text = "(";
    for (int64_t i = 0; i < dimensions; ++i) {
        if (i > 0) text += ", ";
        text += std::to_string(size[i]);
    }
    return text + (dimensions == 1 ? ",)" : ")");
}

/* "new_h: expected " */
std::string expected(const thaw_function *function, int parameter) {
    return std::string(function->parameters[parameter].name) + ": expected ";
}

std::string got_instead(const Array &array) {
    if (array.dimensions == Array::NOTHING) return "None";
    if (array.dimensions == Array::COUNTED) return std::to_string(array.count) + " elements";
    return shape_text(array.size, array.dimensions);
}

/* The integers and sizes of the call: "shape1=(3,), ndim1=1". */
std::string integers_text(const thaw_function *function, const void *frame, const Array *arrays, int count) {
    std::string text;
    for (int i = 0; i < function->parameter_count; ++i) {
        const thaw_parameter &each = function->parameters[i];
        std::string value;
        if (each.kind >= THAW_INT8 && each.kind <= THAW_UINT64 && i + 1 != function->workspace_size_parameter) {
            value = std::to_string(integer_in(frame, each));
        }
        for (int k = 0; (each.flags & THAW_SIZES) != 0 && k < count; ++k) {
            if (arrays[k].parameter != i || arrays[k].count <= 0) continue;
            int64_t *sizes;
            std::memcpy(&sizes, static_cast<const char *>(frame) + each.offset, sizeof sizes);
            if (sizes != nullptr) value = shape_text(sizes, arrays[k].count);
        }
        if (!value.empty()) text += (text.empty() ? "" : ", ") + (each.name + ("=" + value));
    }
    return text;
}

/* "memory of its own, input1's or input2's" */
std::string allowed_memory(const thaw_function *function, int parameter) {
    std::string text = "memory of its own", last;
    const uint64_t aliases = function->parameters[parameter].aliases;
    for (int i = 0; i < function->parameter_count; ++i) {
        if ((aliases >> i & 1) == 0) continue;
        if (!last.empty()) text += ", " + last;
        last = std::string(function->parameters[i].name) + "'s";
    }
    return last.empty() ? text : text + " or " + last;
}

/* Of two outputs, the later one is to blame. */
std::string overlap_text(const thaw_function *function, const Array &output, const Array &other) {
    const bool is_output = (function->parameters[other.parameter].flags & THAW_WRITTEN) != 0;
    if (is_output && other.parameter > output.parameter) return overlap_text(function, other, output);
    const char *part = may_be(function, output, other) ? "a part of " : "";
    return expected(function, output.parameter) + allowed_memory(function, output.parameter) +
           ", got memory that overlaps " + part + function->parameters[other.parameter].name;
}

/* Whether the sizes of this array are what integers of the call are, or are compared with. */
bool determines(const thaw_function *function, int parameter) {
    for (int i = 0; i < function->parameter_count; ++i) {
        const thaw_parameter &each = function->parameters[i];
        if (each.source == parameter + 1 && each.source_dim >= 0) return true;
    }
    return false;
}

__attribute__((noinline, cold)) bool explain(const Finding &found, const thaw_callable *function, const void *frame,
                                             const Array *arrays, int count, Failure *failure) {
    const Array &array = arrays[found.array];
    const auto type = array.dimensions == Array::NOTHING ? Failure::TYPE_ERROR : Failure::VALUE_ERROR;
    const std::string wanted = expected(function, array.parameter);
    int64_t buffer[THAW_MAX_DIMENSIONS], dimensions;
    switch (found.what) {
    case Finding::NULL_POINTER: return failure->set(type, wanted + "an array, got None");
    case Finding::OVERLAP:
        return failure->set(Failure::VALUE_ERROR, overlap_text(function, array, arrays[found.which]));
    case Finding::NO_SHAPE:
        return failure->set(Failure::VALUE_ERROR, wanted + "sizes that give its shape, got " +
                                                      integers_text(function, frame, arrays, count));
    default: break;
    }
    const int64_t *shape = function->shape(frame, array.parameter, found.which, buffer, &dimensions);
    if (array.dimensions >= 0 && array.dimensions != dimensions && determines(function, array.parameter)) {
        const char *noun = dimensions == 1 ? " dimension" : " dimensions"; /* their sizes are the array's own */
        return failure->set(type, wanted + std::to_string(dimensions) + noun + ", got shape " + got_instead(array));
    }
    return failure->set(type, wanted + "shape " + shape_text(shape, dimensions) + ", got " + got_instead(array));
}

}  // namespace

bool check_arrays(const thaw_callable *function, const void *frame, const Array *arrays, int count, Failure *failure) {
    assert(count >= 0 && count <= MAX_CHECKED); /* a bit for each */
    int64_t buffer[THAW_MAX_DIMENSIONS];
    uint64_t others = 0, outputs = 0;
    Finding found = {};
    for (int i = 0; found.what == Finding::NOTHING && i < count; ++i) {
        const int flags = function->parameters[arrays[i].parameter].flags;
        if ((flags & THAW_WRITTEN) != 0) outputs |= uint64_t{1} << i;
        if (function->takes_sizes && (flags & THAW_SIZES) == 0) {
            others |= uint64_t{1} << i; /* after the arrays of sizes, which their shapes are read from */
        } else {
            found = find_in_shapes(function, frame, arrays, i, buffer);
        }
    }
    for (; found.what == Finding::NOTHING && others != 0; others &= others - 1) {
        found = find_in_shapes(function, frame, arrays, __builtin_ctzll(others), buffer);
    }
    for (; found.what == Finding::NOTHING && outputs != 0; outputs &= outputs - 1) {
        found = find_overlap(function, arrays, count, __builtin_ctzll(outputs));
    }
    return found.what == Finding::NOTHING || explain(found, function, frame, arrays, count, failure);
}

bool check_workspace(const thaw_callable *function, const void *frame, const Array *workspace, size_t needed,
                     Failure *failure) {
    const int of_size = function->workspace_size_parameter - 1, of_workspace = function->workspace_parameter - 1;
    const auto said = static_cast<size_t>(integer_in(frame, function->parameters[of_size]));
    const bool is_known = workspace != nullptr && workspace->dimensions != Array::UNKNOWN;
    const size_t bytes = is_known ? static_cast<size_t>(workspace->end - workspace->begin) : SIZE_MAX;
    if (bytes >= said && said >= needed) return true;
    const bool is_workspace = bytes < needed || said >= needed;
    const bool is_null = is_known && workspace->dimensions == Array::NOTHING;
    const std::string got = !is_workspace ? std::to_string(said) : is_null ? "None" : std::to_string(bytes);
    const std::string least = std::to_string(bytes < needed || said < needed ? needed : said);
    return failure->set(Failure::VALUE_ERROR, expected(function, is_workspace ? of_workspace : of_size) +
                                                  "at least " + least + " bytes, got " + got);
}

}  // namespace bridge
