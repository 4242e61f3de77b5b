/* load.cpp: loads extensions: checks what they were built for, and reads their records, of whatever size. */
#include "load.h"

#include "bridge/call/call.h"
#include "bridge/call/check.h"
#include "bridge/python.h"
#include "pytorch.h"

#include <algorithm>
#include <cassert>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace bridge {

PyObject *extensions;

namespace {

/* What the records of every version have: the fields of 1.0. Later ones are zero in a record that ends before them. */
constexpr size_t LEAST_MODULE = THAW_UPTO(thaw_module, description);
constexpr size_t LEAST_FUNCTION = THAW_UPTO(thaw_function, kernel_out);
constexpr size_t LEAST_PARAMETER = THAW_UPTO(thaw_parameter, aliases);
constexpr size_t LEAST_REGION = THAW_UPTO(thaw_region, kept);
constexpr int KNOWN_FLAGS = THAW_WRITTEN | THAW_SIZES | THAW_EXACT | THAW_CHECKED | THAW_MAY_BE_NULL | THAW_READ_TOO |
                            THAW_SCRATCH;

/* The record that begins at `from` and has `size` bytes. */
template <typename Record> Record read_record(const void *from, size_t size) {
    Record record{};
    std::memcpy(&record, from, size < sizeof record ? size : sizeof record);
    return record;
}

/* Whether a record sets no field that this bridge does not have: zero means the behaviour from before the field. */
template <typename Record> bool sets_known_fields_only(const void *record, size_t size) {
    const auto *bytes = static_cast<const char *>(record);
    return size <= sizeof(Record) || std::all_of(bytes + sizeof(Record), bytes + size, [](char c) { return c == 0; });
}

/* An extension that was loaded. Lives as long as the process, as the extension's code does. */
struct Extension {
    thaw_module module;
    std::vector<thaw_parameter> parameters; /* of all functions */
    std::vector<unsigned char> shape_counts; /* of all parameters */
    std::vector<Ref> names;                  /* of all parameters */
    std::vector<thaw_callable> functions;
    bool has_callback = false;

    /* Of one that was not loaded in the end. */
    ~Extension() {
        for (const thaw_callable &function : functions) {
            Py_XDECREF(function.cffi_function);
            Py_XDECREF(function.cffi_types);
            Py_XDECREF(function.cast);
        }
    }
};

/* Whether the function works on a GPU: its name ends with _cuda, and its last parameter is `void *stream`. */
bool takes_stream(const thaw_function &function) {
    const int count = function.parameter_count;
    if (count == 0 || function.variadic) return false;
    const thaw_parameter &last = function.parameters[count - 1];
    if (last.kind != THAW_ARRAY || last.dtype_code >= 0 || std::strcmp(last.name, "stream") != 0) return false;
    const size_t length = std::strlen(function.name);
    return length > 5 && std::strcmp(function.name + length - 5, "_cuda") == 0;
}

/* How many bytes of the frame have parameters that are numbers or pointers. */
int frame_end(const thaw_function &function) {
    int end = 0;
    for (int i = 0; i < function.parameter_count; ++i) end = std::max(end, function.parameters[i].offset);
    return end + static_cast<int>(sizeof(int64_t));
}

/* How many shapes are annotated of a parameter. */
unsigned char count_shapes(const thaw_function &function, int parameter) {
    if (function.shape == nullptr) return 0;
    int64_t buffer[THAW_MAX_DIMENSIONS], dimensions;
    const std::vector<char> frame(static_cast<size_t>(frame_end(function))); /* zeros */
    unsigned char count = 0;
    while (function.shape(frame.data(), parameter, count, buffer, &dimensions) != nullptr || dimensions != 0) ++count;
    return count;
}

/* As thaw_callable::made: the header says every shape, an array is read, and nothing else is returned. */
int find_made(const thaw_callable &function) {
    int first = -1;
    bool reads = false;
    for (int i = function.parameter_count; i-- > 0;) {
        const thaw_parameter &parameter = function.parameters[i];
        if (parameter.kind == THAW_CFFI || (parameter.flags & THAW_READ_TOO) != 0) return -1;
        if (is_output(parameter) && function.shape_counts[i] == 0) return -1;
        if (is_output(parameter)) first = i;
        else if (function.shape_counts[i] > 0) reads = true;
    }
    const bool returns = function.result != THAW_VOID && function.status == 0;
    return reads && !returns && !function.takes_stream && function.run != nullptr ? first : -1;
}

/* Reads a module's records. */
class Reader {
public:
    explicit Reader(const thaw_module *module)
        : module_(read_record<thaw_module>(module, module->struct_size)),
          is_known_(sets_known_fields_only<thaw_module>(module, module->struct_size)) {}

    /* Whether this bridge has all that the extension uses. False with an exception set. */
    bool check_sizes() const {
        if (!check_size("thaw_module", module_.struct_size, LEAST_MODULE)) return false;
        if (!is_known_) return lacks("a field of thaw_module");
        if (module_.table_size > sizeof(thaw_bridge)) return lacks("an entry of the table that it uses");
        /* What a region sets is not known before it runs. */
        if (module_.region_size > sizeof(thaw_region)) return lacks("a field of thaw_region");
        return check_size("thaw_function", module_.function_size, LEAST_FUNCTION) &&
               check_size("thaw_parameter", module_.parameter_size, LEAST_PARAMETER) &&
               check_size("thaw_region", module_.region_size, LEAST_REGION);
    }

    /* False with an exception set. */
    bool read(Extension *to) const {
        to->module = module_;
        size_t parameters = 0;
        for (size_t i = 0; i < module_.function_count; ++i) {
            parameters += static_cast<size_t>(function(i).parameter_count);
        }
        to->parameters.reserve(parameters); /* they stay where they are */
        to->shape_counts.reserve(parameters);
        to->names.reserve(parameters);
        to->functions.reserve(module_.function_count);
        for (size_t i = 0; i < module_.function_count; ++i) {
            const void *record = address(module_.functions, i, module_.function_size);
            if (!sets_known_fields_only<thaw_function>(record, module_.function_size)) {
                return lacks("a field of %s's thaw_function", function(i).name);
            }
            if (!read_function(function(i), to)) return false;
        }
        return true;
    }

    PyObject *make() const { return module_.make(); }

    /* The module's attribute `description`, a str: its functions as JSON. */
    bool describe(PyObject *module) const {
        const Ref description(PyUnicode_FromString(module_.description));
        return description != nullptr && PyObject_SetAttrString(module, "description", description.get()) == 0;
    }

    /* From now on the extension calls these functions. */
    void hand_over(Extension *extension) const {
        for (size_t i = 0; i < module_.function_count; ++i) module_.callables[i] = &extension->functions[i];
    }

private:
    /* Of a record of `size` bytes. */
    static const void *address(const void *first, size_t index, size_t size) {
        return static_cast<const char *>(first) + index * size;
    }

    thaw_function function(size_t index) const {
        const size_t size = module_.function_size;
        return read_record<thaw_function>(address(module_.functions, index, size), size);
    }

    bool read_function(const thaw_function &function, Extension *to) const {
        if (!knows(function.result)) {
            const int kind = function.result;
            return lacks("the kind %s (%d) of what %s returns", kind_name(kind), kind, function.name);
        }
        thaw_callable callable{};
        static_cast<thaw_function &>(callable) = function;
        callable.parameters = to->parameters.data() + to->parameters.size();
        for (int i = 0; i < function.parameter_count; ++i) {
            const size_t size = module_.parameter_size;
            const void *record = address(function.parameters, static_cast<size_t>(i), size);
            const auto parameter = read_record<thaw_parameter>(record, size);
            if (!sets_known_fields_only<thaw_parameter>(record, size)) {
                return lacks("a field of the thaw_parameter of %s's %s", function.name, parameter.name);
            }
            if (!check_parameter(function, parameter)) return false;
            assert(to->parameters.size() < to->parameters.capacity()); /* records point to those that are there */
            to->parameters.push_back(parameter);
        }
        callable.names = to->names.data() + to->names.size();
        for (int i = 0; i < function.parameter_count; ++i) {
            assert(to->names.size() < to->names.capacity());
            to->names.emplace_back(PyUnicode_InternFromString(callable.parameters[i].name));
            if (to->names.back() == nullptr) return false;
        }
        const auto trampoline = reinterpret_cast<void (*)()>(function.trampoline);
        callable.method = {function.name, reinterpret_cast<PyCFunction>(trampoline), METH_FASTCALL | METH_KEYWORDS,
                           function.doc};
        callable.module = &to->module;
        callable.has_callback = &to->has_callback;
        callable.takes_stream = takes_stream(callable);
        if (!read_annotations(&callable)) return false;
        callable.shape_counts = to->shape_counts.data() + to->shape_counts.size();
        for (int i = 0; i < function.parameter_count; ++i) to->shape_counts.push_back(count_shapes(callable, i));
        callable.made = find_made(callable);
        if (callable.made >= 0) callable.leaves_out = true;
        assert(to->shape_counts.size() == to->parameters.size() && to->names.size() == to->parameters.size());
        assert(to->functions.size() < to->functions.capacity());
        to->functions.push_back(callable);
        return true;
    }

    bool read_annotations(thaw_callable *callable) const {
        callable->leaves_out = callable->workspace != nullptr;
        for (int i = 0; i < callable->parameter_count; ++i) {
            const thaw_parameter &parameter = callable->parameters[i];
            if ((parameter.flags & CHECKED_FLAGS) != 0) callable->checked = true;
            if ((parameter.flags & THAW_SIZES) != 0) callable->takes_sizes = true;
            if (parameter.source != 0) callable->leaves_out = true;
        }
        if (callable->checked && callable->parameter_count > MAX_CHECKED) {
            return lacks("more than %d parameters of an annotated function, %s", int{MAX_CHECKED}, callable->name);
        }
        if (callable->status == 0 || callable->result == THAW_INT32) return true;
        return lacks("a status of another type than int, of %s", callable->name);
    }

    bool check_parameter(const thaw_function &function, const thaw_parameter &parameter) const {
        if (!knows(parameter.kind)) {
            const int kind = parameter.kind;
            return lacks("the kind %s (%d) of %s's parameter %s", kind_name(kind), kind, function.name, parameter.name);
        }
        if ((parameter.flags & ~KNOWN_FLAGS) != 0 || parameter.reserved != 0) {
            return lacks("a flag of %s's parameter %s", function.name, parameter.name);
        }
        return true;
    }

    static bool knows(int kind) { return kind >= 0 && kind < THAW_KIND_COUNT; }

    /* What the extension calls a kind. */
    const char *kind_name(int kind) const {
        const bool has_name = kind >= 0 && static_cast<size_t>(kind) < module_.kind_count;
        return has_name ? module_.kind_names[kind] : "?";
    }

    bool check_size(const char *record, size_t size, size_t least) const {
        if (size >= least) return true;
        PyErr_Format(PyExc_ImportError, "%s: expected at least %zu bytes of %s, got %zu; build it again", module_.name,
                     least, record, size);
        return false;
    }

    /* Raises what an extension needs that is newer than this bridge. Returns false. */
    __attribute__((format(printf, 2, 3))) bool lacks(const char *format, ...) const {
        va_list values;
        va_start(values, format);
        const Ref what(PyUnicode_FromFormatV(format, values));
        va_end(values);
        if (what != nullptr) {
            PyErr_Format(PyExc_ImportError,
                         "%s: built for torchthaw's bridge %d.%d, got %d.%d, which lacks %U; upgrade torchthaw",
                         module_.name, module_.major, module_.minor, THAW_BRIDGE_MAJOR, THAW_BRIDGE_MINOR, what.get());
        }
        return false;
    }

    const thaw_module module_;
    const bool is_known_; /* all that the module's own record sets */
};

/* Only pointers that are no arrays, and structs, can have a function. False with an exception set. */
bool find_callbacks(thaw_callable *function) {
    for (int i = 0; i < function->parameter_count; ++i) {
        const int kind = function->parameters[i].kind;
        if (kind != THAW_HANDLE && kind != THAW_CFFI) continue;
        const int found = truth(cffi_py.call("may_call_back", "(O)", function->cffi_types));
        function->takes_callback = found > 0;
        return found >= 0;
    }
    return true;
}

/* What calls through cffi need: the function as cffi has it. False with an exception set. */
bool find_in_cffi(thaw_callable *function, PyObject *ffi, PyObject *lib) {
    function->cffi_function = PyObject_GetAttrString(lib, function->name);
    if (function->cffi_function == nullptr) return false;
    const Ref type(PyObject_CallMethod(ffi, "typeof", "O", function->cffi_function));
    function->cffi_types = type == nullptr ? nullptr : PyObject_GetAttrString(type, "args");
    if (function->cffi_types == nullptr) return false;
    function->cast = PyObject_GetAttrString(ffi, "cast");
    return function->cast != nullptr && find_callbacks(function);
}

PyObject *bind(PyObject *capsule, PyObject *module_name) {
    auto *extension = static_cast<Extension *>(PyCapsule_GetPointer(capsule, nullptr));
    Ref functions(extension == nullptr ? nullptr : PyDict_New());
    if (functions == nullptr) return nullptr;
    for (thaw_callable &function : extension->functions) {
        const Ref callable(PyCFunction_NewEx(&function.method, nullptr, module_name));
        if (callable == nullptr || PyDict_SetItemString(functions, function.name, callable) != 0) return nullptr;
    }
    return functions.release();
}

PyMethodDef bind_method = {"bind", bind, METH_O, "bind(module_name) -> dict of the functions that take tensors"};

/* Gives the extension's module `bind`, and at last enters it in `extensions`. False with an exception set: nobody may
 * use the module then. */
bool announce(Extension *extension, PyObject *module) {
    const Ref ffi(PyObject_GetAttrString(module, "ffi"));
    const Ref lib(ffi == nullptr ? nullptr : PyObject_GetAttrString(module, "lib"));
    if (lib == nullptr) return false;
    for (thaw_callable &function : extension->functions) {
        if (!find_in_cffi(&function, ffi, lib)) return false;
    }
    const Ref capsule(PyCapsule_New(extension, nullptr, nullptr));
    const Ref bind(capsule == nullptr ? nullptr : PyCFunction_NewEx(&bind_method, capsule, nullptr));
    return bind != nullptr && PyObject_SetAttrString(module, "bind", bind) == 0 &&
           PyDict_SetItem(extensions, lib, module) == 0;
}

/* Takes a module that was not loaded in the end out of sys.modules, where cffi has entered it: the next import would
 * find it. By the module itself, since there may be no memory for its name. */
void forget(PyObject *module) {
    const SavedError saved;
    PyObject *const modules = PyImport_GetModuleDict();
    PyObject *name, *found;
    for (Py_ssize_t position = 0; PyDict_Next(modules, &position, &name, &found) != 0;) {
        if (found != module) continue;
        const Ref held = Ref::borrow(name);
        if (PyDict_DelItem(modules, held) != 0) PyErr_Clear();
        return;
    }
}

}  // namespace

std::vector<thaw_callable> *functions_of(PyObject *module) {
    const Ref bind(PyObject_GetAttrString(module, "bind"));
    const bool is_ours = bind != nullptr && PyCFunction_Check(bind.get()) &&
                         PyCFunction_GetFunction(bind) == bind_method.ml_meth;
    if (is_ours) return &static_cast<Extension *>(PyCapsule_GetPointer(PyCFunction_GetSelf(bind), nullptr))->functions;
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "module: expected that of an extension, got %R", module);
    return nullptr;
}

PyObject *load(const thaw_module *described) {
    const Reader reader(described);
    if (!reader.check_sizes()) return nullptr;
    std::unique_ptr<Extension> owned(new (std::nothrow) Extension{});
    if (owned == nullptr) return PyErr_NoMemory();
    try {
        if (!reader.read(owned.get())) return nullptr;
    } catch (const std::bad_alloc &) {
        return PyErr_NoMemory();
    }
    Ref module(reader.make());
    if (module == nullptr) return nullptr;
    if (!reader.describe(module) || !announce(owned.get(), module)) {
        forget(module);
        return nullptr;
    }
    reader.hand_over(owned.release()); /* stays from now on */
    return module.release();
}

bool prepare_loading() {
    if (extensions == nullptr) extensions = PyDict_New();
    return extensions != nullptr;
}

}  // namespace bridge
