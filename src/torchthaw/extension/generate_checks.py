"""torchthaw/extension/generate_checks.py: the C of what annotations say: the shapes that arrays must have, and workspaces.

They are functions on a frame, which the bridge calls before the C function: see thaw_function in bridge.h.
"""

from ..header import dimensions

# Arithmetic on int64_t that notes where it cannot go on; sizes as thaw_function.shape returns them.
ARITHMETIC = """
#define THAW_MAYBE __attribute__((unused)) static inline
THAW_MAYBE int64_t thaw_plus(int64_t left, int64_t right, int *bad) {
    int64_t result;
    *bad |= __builtin_add_overflow(left, right, &result);
    return result;
}
THAW_MAYBE int64_t thaw_minus(int64_t left, int64_t right, int *bad) {
    int64_t result;
    *bad |= __builtin_sub_overflow(left, right, &result);
    return result;
}
THAW_MAYBE int64_t thaw_times(int64_t left, int64_t right, int *bad) {
    int64_t result;
    *bad |= __builtin_mul_overflow(left, right, &result);
    return result;
}
THAW_MAYBE int64_t thaw_over(int64_t left, int64_t right, int *bad) {
    if (left >= 0 && right > 0) return left / right;
    *bad = 1;
    return 0;
}
THAW_MAYBE int64_t thaw_size(uint64_t value, int *bad) {
    *bad |= value > (uint64_t)INT64_MAX;
    return (int64_t)value;
}
THAW_MAYBE const int64_t *thaw_sizes(const int64_t *sizes, int64_t count, int bad, int64_t *ndim) {
    int64_t i;
    *ndim = count;
    for (i = 0; i < count && count <= THAW_MAX_DIMENSIONS && sizes != NULL; ++i) bad |= sizes[i] < 0;
    if (!bad && count >= 0 && count <= THAW_MAX_DIMENSIONS && sizes != NULL) return sizes;
    *ndim = -1;
    return NULL;
}
THAW_MAYBE const int64_t *thaw_broadcast(const int64_t *shape1, int64_t ndim1, const int64_t *shape2, int64_t ndim2,
                                         int bad, int64_t *buffer, int64_t *ndim) {
    const int64_t count = ndim1 > ndim2 ? ndim1 : ndim2;
    int64_t i;
    if (bad || ndim1 < 0 || ndim2 < 0 || count > THAW_MAX_DIMENSIONS) return thaw_sizes(NULL, 0, 1, ndim);
    for (i = 1; i <= count; ++i) {
        const int64_t size1 = i <= ndim1 ? shape1[ndim1 - i] : 1, size2 = i <= ndim2 ? shape2[ndim2 - i] : 1;
        bad |= size1 != size2 && size1 != 1 && size2 != 1;
        buffer[count - i] = size1 == 1 ? size2 : size1;
    }
    return thaw_sizes(buffer, count, bad, ndim);
}
"""

SHAPE = """
static const int64_t *thaw_shape_{name}(const void *thaw_frame, int parameter, int which, int64_t *buffer,
                                        int64_t *ndim) {{
    const thaw_frame_{name} *thaw_f = (const thaw_frame_{name} *)thaw_frame;
    int bad = 0;
    (void)thaw_f;
    (void)buffer;
    switch (parameter) {{
{cases}    }}
    *ndim = 0;
    return NULL;
}}
"""

# The parentheses keep the macro of that name, whose exceptions nobody would ask for, from being used.
WORKSPACE = """
static size_t thaw_workspace_{name}(const void *thaw_frame) {{
    const thaw_frame_{name} *thaw_f = (const thaw_frame_{name} *)thaw_frame;
    (void)thaw_f;
    return ({function})({arguments});
}}
"""


def arithmetic(described):
    """What the functions below need, where there is any."""
    return ARITHMETIC if any(has_shapes(each) for each in described) else ""


def has_shapes(described):
    return any(each.shapes for each in described.parameters)


def workspace_of(described):
    """The parameter that is the workspace, or None."""
    return next((each for each in described.parameters if each.kind == "workspace"), None)


def functions(described):
    """thaw_shape_ and thaw_workspace_ of a description.Function, "" where nothing is annotated."""
    index_of = {each.name: index for index, each in enumerate(described.parameters)}
    text = ""
    if has_shapes(described):
        value_of = _value_of(described, index_of)
        cases = []
        for index, parameter in enumerate(described.parameters):
            if parameter.shapes:
                returns = [_return(shape, index_of, value_of) for shape in parameter.shapes]
                cases.append(_case(index, returns))
        text += SHAPE.format(name=described.name, cases="".join(cases))
    workspace = workspace_of(described)
    if workspace:
        function, arguments = workspace.call
        values = ", ".join(f"thaw_f->thaw_{index_of[argument]}" for argument in arguments)
        text += WORKSPACE.format(name=described.name, function=function, arguments=values)
    return text


def _value_of(described, index_of):
    """name -> C that reads that integer as int64_t."""

    def value_of(name):
        index = index_of[name]
        is_large = described.parameters[index].crossing.kind == "THAW_UINT64"
        return f"thaw_size(thaw_f->thaw_{index}, &bad)" if is_large else f"(int64_t)thaw_f->thaw_{index}"

    return value_of


def _case(index, returns):
    """The case of a parameter's index, with the C block that returns each of its shapes."""
    lines = [f"    case {index}:\n"]
    lines += [f"        if (which == {which}) {{\n{block}        }}\n" for which, block in enumerate(returns)]
    return "".join([*lines, "        break;\n"])


def _return(shape, index_of, value_of):
    """C that returns a shape; numbers are computed before they are passed, since each may set ``bad``."""
    words = shape.get("like") or shape.get("broadcast")
    if words:
        sizes = [f"(const int64_t *)thaw_f->thaw_{index_of[name]}" for name in words[::2]]
        counts = [value_of(name) for name in words[1::2]]
        lines = [f"            const int64_t count{i} = {count};\n" for i, count in enumerate(counts)]
        if "like" in shape:
            lines.append(f"            return thaw_sizes(count0 == 0 ? buffer : {sizes[0]}, count0, bad, ndim);\n")
        else:
            pairs = f"{sizes[0]}, count0, {sizes[1]}, count1"
            lines.append(f"            return thaw_broadcast({pairs}, bad, buffer, ndim);\n")
        return "".join(lines)
    lines = [
        f"            buffer[{i}] = {dimensions.in_c(parsed, value_of)};\n" for i, parsed in enumerate(shape["parsed"])
    ]
    return "".join([*lines, f"            return thaw_sizes(buffer, {len(lines)}, bad, ndim);\n"])
