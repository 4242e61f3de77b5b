/* structs/view.cpp: fills TH structs from tensors, gives tensors what C made of the structs, and lets C retain them. */
#include "view.h"

#include "bridge/values/tensor.h"
#include "in_python.h"
#include "torch_storage.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

namespace bridge {

namespace {

View *idle;

/* References to a lent struct beside those of the views. In PyTorch an argument had the references of Python too, so that
 * old code which frees an argument went on working: here it takes from these, and they are put back after the call. */
constexpr int SPARE = 1 << 16;

int load(const int *count) { return __atomic_load_n(count, __ATOMIC_ACQUIRE); }

void decrement(int *count) { __atomic_sub_fetch(count, 1, __ATOMIC_ACQ_REL); }

/* A TH storage for a view: with one reference of the view, one of its tensor, and the spare ones. */
bool make_storage(View *view) {
    THStorage *storage = new_storage(view);
    view->backing = storage == nullptr ? nullptr : static_cast<Backing *>(storage->context);
    if (storage != nullptr) storage->refcount = 2 + SPARE;
    return storage != nullptr;
}

/* A TH tensor for a view, on its own TH storage. */
bool make_tensor(View *view) {
    auto *th = view->th = static_cast<THTensor *>(std::calloc(1, sizeof(THTensor)));
    if (th == nullptr) return PyErr_NoMemory(), false;
    th->storage = view->backing->th;
    th->refcount = 1 + SPARE;
    th->flag = TH_REFCOUNTED;
    return true;
}

bool grow(int64_t **numbers, int count) {
    void *grown = std::realloc(*numbers, sizeof(int64_t) * static_cast<size_t>(std::max(count, 1)));
    if (grown == nullptr) return PyErr_NoMemory(), false;
    *numbers = static_cast<int64_t *>(grown);
    return true;
}

/* Whether sizes, strides and offset are those that C got. */
bool is_as_given(const View *view) {
    const THTensor *th = view->th;
    const int dimensions = th->dimensions;
    if (dimensions != view->given.dimensions) return false;
    if (dimensions != 0 && th->offset != view->given.offset) return false;
    for (int i = 0; i < dimensions; ++i) {
        if (th->size[i] != view->given.numbers[2 * i] || th->stride[i] != view->given.numbers[2 * i + 1]) return false;
    }
    return true;
}

/* Of the views before it, that whose TH storage covers this torch storage as the view's would; else the view itself. */
View *find_owner(View *view, View *others, const PyObject *storage) {
    for (; others != nullptr; others = others->next) {
        if (others->backing->storage == storage && others->code == view->code && others->bits == view->bits) {
            return others;
        }
    }
    return view;
}

/* The view's TH storage is full: that of the torch storage below a tensor of `extent` elements. False with an exception
 * set. */
bool fill_storage(View *view, void *data, int64_t extent, View *others) {
    TorchStorage storage;
    view->backing->element = view->bits / 8;
    if (!read_storage(view->tensor, data, extent, view->backing->element, &storage)) return false;
    view->th->offset = view->given.offset = static_cast<ptrdiff_t>(storage.offset);
    View *owner = find_owner(view, others, storage.object);
    if (owner == view) {
        cover(view->backing, std::move(storage.object), storage.data, storage.bytes);
    } else {
        assert(owner->owner == owner && owner->users > 0 && owner->device == view->device);
        view->owner = owner;
        view->storage = view->th->storage = owner->storage;
        view->storage->refcount++;
        owner->users++;
    }
    return true;
}

/* Sizes and strides of `tensor` into the struct: a number is one element, no elements are no dimensions. */
bool fill(View *view, const Tensor &tensor, bool full, View *others) {
    static const int64_t one = 1;
    THTensor *th = view->th;
    int dimensions = tensor.dimensions;
    const int64_t *size = tensor.size, *stride = tensor.stride;
    if (tensor.count == 0) dimensions = 0;
    else if (dimensions == 0) dimensions = 1, size = stride = &one;
    if (dimensions > th->dimensions || th->size == nullptr) {
        if (!grow(&th->size, dimensions) || !grow(&th->stride, dimensions)) return false;
    }
    if (2 * dimensions > view->given.capacity) {
        if (!grow(&view->given.numbers, 2 * dimensions)) return false;
        view->given.capacity = 2 * dimensions;
    }
    th->dimensions = view->given.dimensions = dimensions;
    int64_t extent = tensor.count == 0 ? 0 : 1, row_major = 1;
    for (int i = dimensions; i-- > 0;) {
        const int64_t step = stride == nullptr ? row_major : stride[i];
        th->size[i] = view->given.numbers[2 * i] = size[i];
        th->stride[i] = view->given.numbers[2 * i + 1] = step;
        row_major *= size[i];
        extent += (size[i] - 1) * step;
    }
    void *data = tensor.count == 0 ? nullptr : tensor.data;
    THStorage *own = th->storage;
    if (own->device != view->device) place(own, view->device);
    view->backing->put(data);
    own->size = static_cast<ptrdiff_t>(extent);
    own->flag |= TH_UNWRITTEN;
    th->offset = view->given.offset = 0;
    view->storage = own;
    return !full || fill_storage(view, data, extent, others);
}

/* A tensor (None: a new one) gets the struct's layout on the anchor's storage. */
Ref set_layout(PyObject *tensor, const Backing *anchor, const THTensor *th) {
    const Ref size = integers(th->size, th->dimensions), stride = integers(th->stride, th->dimensions);
    if (size == nullptr || stride == nullptr) return Ref();
    return th_py.call("set_layout", "OOinOO", tensor, anchor->tensor, anchor->is_full(),
                      static_cast<Py_ssize_t>(th->offset), size.get(), stride.get());
}

/* Whether the struct covers the tensor's own memory from where it began, row by row. */
bool is_row_major(const View *view) {
    const THTensor *th = view->th;
    if (th->storage != view->storage || th->offset != view->given.offset) return false;
    int64_t row_major = 1;
    for (int i = th->dimensions; i-- > 0;) {
        if (th->stride[i] != row_major) return false;
        row_major *= th->size[i];
    }
    return th->offset + row_major <= th->storage->size;
}

/* Sizes, strides and storage that C gave the tensor become the torch tensor's. */
bool write_back(View *view) {
    const THTensor *th = view->th;
    if (view->is_storage()) return true; /* its size is the torch storage's own */
    if ((th->storage == view->storage || th->storage == nullptr) && is_as_given(view)) return true;
    if (is_row_major(view)) {
        const int resized = resize_tensor(view->tensor, th->size, th->dimensions);
        if (resized != 0) return resized > 0;
    }
    const Backing *anchor = view->owner->backing;
    if (th->storage != nullptr) anchor = move_to_torch(th->storage, view->code, view->bits, view->on_cuda());
    return anchor != nullptr && set_layout(view->tensor, anchor, th).get() != nullptr;
}

/* Whether C left the tensor's struct to the view alone, and on the TH storage where it was. */
bool is_intact(const View *view) {
    return load(&view->th->refcount) == 1 + SPARE && view->th->storage == view->storage;
}

/* Whether C left the TH storage of an owner to the views that lie on it. */
bool is_own(const View *owner) {
    const THStorage *own = owner->storage;
    return load(&own->refcount) == 1 + SPARE + owner->users && (own->flag & TH_RESIZABLE) &&
           own->context == owner->backing;
}

/* Puts references back until there are `least`. Returns how many were missing. */
int put_back(int *count, int least) {
    const int missing = least - load(count);
    if (missing <= 0) return 0;
    __atomic_add_fetch(count, missing, __ATOMIC_ACQ_REL);
    return missing;
}

/* Puts back what C gave up of a tensor's struct without owning it. Whether it did. */
__attribute__((noinline, cold)) bool put_back_tensor(View *view) {
    view->not_owned.here = put_back(&view->th->refcount, 1 + SPARE);
    return view->not_owned.here > 0;
}

/* The same of the TH storage of an owner, on which C may have put other tensors of the call. */
__attribute__((noinline, cold)) bool put_back_storage(View *owner, View *views) {
    int tensors = 0;
    View *got = owner; /* through which C most likely gave them up */
    for (View *view = views; view != nullptr; view = view->next) {
        tensors += view->th->storage == owner->storage;
        if (view->owner == owner && view->is_storage()) got = view;
    }
    const int missing = put_back(&owner->storage->refcount, 1 + SPARE + tensors);
    (got->is_storage() ? got->not_owned.here : got->not_owned.below) = missing;
    return missing > 0;
}

/* The TH storage of an owner is C's own from now on, and holds PyTorch's memory by a tensor that nobody moves. */
void hand_over(View *owner) {
    Ref anchor = th_py.call("alias", "(O)", owner->tensor);
    if (anchor == nullptr) {
        PyErr_Clear();
        anchor = Ref::borrow(owner->tensor);
    }
    retain(owner->backing, std::move(anchor));
}

/* Takes the spare references back from a struct that is not lent any more; the view's own ones stay. */
void take_spare(int *count) {
    assert(load(count) > SPARE);
    __atomic_sub_fetch(count, SPARE, __ATOMIC_ACQ_REL);
}

/* New structs for a view, in place of those that C retained. */
bool renew(View *view) {
    assert(view->owner->retained);
    take_spare(&view->th->refcount);
    free_tensor(view->th, view->on_cuda());
    view->th = nullptr;
    if (view->owner == view) {
        take_spare(&view->backing->th->refcount);
        free_storage(view->backing->th, view->on_cuda());
        if (!make_storage(view)) return false;
    }
    view->owner = view;
    return make_tensor(view);
}

/* Whether a transform of torch.func is going on; also where that cannot be told. */
bool is_transforming() {
    static PyObject *ask = nullptr;
    if (ask == nullptr) ask = th_py.attribute("transform_level").release();
    const Ref level(ask == nullptr ? nullptr : PyObject_CallNoArgs(ask));
    PyErr_Clear();
    return level != Py_None;
}

/* Whether a tensor without elements, whose address tells nothing, is one of memory. */
bool has_memory(PyObject *tensor) {
    if (is_plain_tensor(tensor) && !is_transforming()) return true; /* nearly always, and much faster */
    return th_py.call("has_memory", "(O)", tensor).get() == Py_True;
}

/* Raises why C cannot see `argument` as a TH struct, unless memory ran out while it was read. */
__attribute__((cold)) void refuse(PyObject *argument) {
    if (PyErr_ExceptionMatches(PyExc_MemoryError)) return;
    PyErr_Clear();
    th_py.call("refuse", "(O)", argument);
}

/* Frees a view that got no structs. */
void discard(View *view) {
    if (view->backing != nullptr) {
        view->backing->th->refcount = 1;
        free_storage(view->backing->th, is_on_cuda(view->backing->th));
    }
    std::free(view->given.numbers);
    std::free(view);
}

/* An idle view or a new one. NULL with an exception set. */
View *any_view() {
    View *view = idle;
    if (view != nullptr) {
        idle = view->next;
        return view;
    }
    view = static_cast<View *>(std::calloc(1, sizeof(View)));
    if (view == nullptr) return PyErr_NoMemory(), nullptr;
    if (make_storage(view) && make_tensor(view)) return view;
    discard(view);
    return nullptr;
}

}  // namespace

const char *real_name(int code, int bits) {
    static const struct {
        int code, bits;
        const char *name;
    } reals[] = {{DLPACK_UINT, 8, "Byte"}, {DLPACK_INT, 8, "Char"},   {DLPACK_INT, 16, "Short"},
                 {DLPACK_INT, 32, "Int"},  {DLPACK_INT, 64, "Long"},  {DLPACK_FLOAT, 32, "Float"},
                 {DLPACK_FLOAT, 64, "Double"}, {DLPACK_FLOAT, 16, "Half"}};
    for (const auto &real : reals)
        if (real.code == code && real.bits == bits) return real.name;
    return nullptr;
}

bool is_storage(PyObject *object) {
    static PyObject *types = nullptr;
    if (types == nullptr) types = th_py.call("storage_types", nullptr).release();
    return types != nullptr && PyObject_IsSubclass(reinterpret_cast<PyObject *>(Py_TYPE(object)), types) > 0;
}

View *take_view(PyObject *argument, bool is_storage, bool full, View *others) {
    Ref object = is_storage ? th_py.call("tensor_of", "(O)", argument) : Ref::borrow(argument);
    if (object == nullptr) return nullptr;
    Tensor tensor;
    bool visible = read_tensor(object, &tensor) && (tensor.size != nullptr || read_sizes(object, &tensor)) &&
                   tensor.device != ELSEWHERE && real_name(tensor.dtype_code, tensor.dtype_bits) != nullptr;
    if (visible && tensor.count == 0) visible = has_memory(object);
    else if (visible) visible = tensor.data != nullptr && holds_values(object, tensor, extent_of(tensor)) > 0;
    if (!visible) return refuse(argument), nullptr;
    View *view = any_view();
    if (view == nullptr) return nullptr;
    view->next = others;
    view->argument = argument;
    view->tensor = view->backing->tensor = object.release();
    view->code = tensor.dtype_code;
    view->bits = tensor.dtype_bits;
    view->device = tensor.device;
    view->owner = view;
    view->users = 1;
    view->retained = false;
    view->not_owned = {0, 0};
    if (fill(view, tensor, full || is_storage, others)) return view;
    give_back(view);
    return nullptr;
}

bool finish_views(View *views, bool succeeded, bool *not_owned) {
    bool done = true, retained = false;
    for (View *view = views; view != nullptr; view = view->next) { /* owners come behind the others on them */
        if (!is_intact(view)) {
            if (put_back_tensor(view)) *not_owned = true;
            if (!is_intact(view)) view->owner->retained = true;
        }
        if (view->owner == view) {
            if (!is_own(view)) {
                if (put_back_storage(view, views)) *not_owned = true;
                if (!is_own(view)) view->retained = true;
            }
            if (view->retained) retained = true, hand_over(view); /* before the tensor moves */
        }
        const bool written = (view->storage->flag & TH_UNWRITTEN) == 0;
        if (done && written && !view->is_storage()) done = bump_versions(&view->tensor, 1);
    }
    for (View *view = views; done && succeeded && view != nullptr; view = view->next) done = write_back(view);
    if (!retained) return done;
    const SavedError saved;
    for (View *view = views; view != nullptr; view = view->next) {
        if (view->owner->retained && !renew(view)) done = false;
    }
    return done;
}

void give_up_reference(View *view) {
    int *count = view->is_storage() ? &view->storage->refcount : &view->th->refcount;
    const int own = view->is_storage() ? 1 + view->owner->users : 1;
    if (load(count) > own + SPARE) decrement(count);
}

void give_back(View *view) {
    const Ref tensor(view->tensor);
    if (view->th == nullptr) return discard(view);
    if (view->owner != view) {
        assert(load(&view->th->storage->refcount) > 1);
        decrement(&view->th->storage->refcount); /* its owner's, which has more */
        view->th->storage = view->backing->th;
    }
    const Ref storage(view->backing->storage);
    view->tensor = view->argument = view->backing->tensor = view->backing->storage = nullptr;
    view->th->storage->data = nullptr;
    view->next = idle;
    idle = view;
}

Ref adopt(THTensor *th, int code, int bits, bool on_cuda) {
    Ref tensor;
    if (th->storage == nullptr) {
        tensor = th_py.call("empty", "iii", code, bits, on_cuda);
    } else if (const Backing *anchor = move_to_torch(th->storage, code, bits, on_cuda)) {
        tensor = set_layout(Py_None, anchor, th);
    }
    free_tensor(th, on_cuda);
    return tensor;
}

Ref adopt_storage(THStorage *th, int code, int bits, bool on_cuda) {
    const Backing *anchor = move_to_torch(th, code, bits, on_cuda);
    Ref storage = anchor == nullptr ? Ref() : th_py.call("storage_of", "(O)", anchor->tensor);
    free_storage(th, on_cuda);
    return storage;
}

}  // namespace bridge
