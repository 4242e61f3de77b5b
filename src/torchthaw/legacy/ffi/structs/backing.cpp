/* structs/backing.cpp: the allocator of TH storages that lie on torch storages. */
#include "backing.h"

#include "bridge/call/exceptions.h"
#include "bridge/values/tensor.h"
#include "in_python.h"
#include "thc.h"
#include "torch_storage.h"
#include "view.h"

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace bridge {

namespace {

Backing backings = {nullptr, nullptr, nullptr, 0, 1, nullptr, nullptr, &backings, &backings};
int retained_count; /* backings without a view */

Backing *new_backing(View *view, THStorage *th) {
    auto *backing = static_cast<Backing *>(std::malloc(sizeof(Backing)));
    if (backing == nullptr) return PyErr_NoMemory(), nullptr;
    *backing = {nullptr, view, nullptr, 0, 1, th, nullptr, &backings, backings.next};
    backings.next->previous = backing;
    backings.next = backing;
    return backing;
}

void delete_backing(Backing *backing) {
    backing->previous->next = backing->next;
    backing->next->previous = backing->previous;
    const bool is_retained = backing->view == nullptr;
    assert(!is_retained || retained_count > 0);
    if (is_retained) --retained_count;
    const Ref tensor(is_retained ? backing->tensor : nullptr), storage(backing->storage); /* go at the very end */
    std::free(backing);
}

/* The torch storage below a full TH storage has so many bytes at `data` now. */
void move_full(Backing *backing, void *data, int64_t bytes) {
    assert(backing->is_full() && backing->element > 0);
    backing->put(data);
    if (backing->bytes == bytes) return; /* its size may be C's own, a smaller one */
    backing->bytes = bytes;
    backing->th->size = static_cast<ptrdiff_t>(bytes / backing->element);
}

/* Of several tensors on a TH storage, one for which autograd lets it grow, if there is one: C says not for which. The
 * question may run code of a tensor's class, and another thread that changes the list: it comes after the walk. */
Ref tensor_that_may_grow(const Backing *backing) {
    Ref first = Ref::borrow(backing->tensor);
    std::vector<Ref> others;
    const bool alone = backing->view == nullptr || backing->view->users == 1;
    for (const Backing *other = backings.next; !alone && other != &backings; other = other->next) {
        if (other == backing || other->view == nullptr || other->view->owner != backing->view) continue;
        if (other->tensor != nullptr) others.push_back(Ref::borrow(other->tensor));
    }
    if (others.empty() || requires_grad(first) <= 0) return first;
    for (Ref &other : others) {
        if (requires_grad(other) == 0) return std::move(other);
    }
    return first;
}

/* Lets the torch storage hold `size` bytes from where the TH storage begins: its data now. NULL, with an exception set,
 * where that failed. */
char *resize(Backing *backing, ptrdiff_t size) {
    assert(size >= 0);
    const bool on_cuda = is_on_cuda(backing->th);
    Resized resized;
    const Ref growing = tensor_that_may_grow(backing);
    if (!resize_storage(growing, backing->is_full(), on_cuda, size, &resized)) return nullptr;
    const int64_t had = resized.bytes_before, needed = resized.offset + size;
    if (needed > had) {
        for (Backing *other = backings.next; other != &backings; other = other->next) {
            char *const data = other->data;
            if (other == backing) {
                other->bytes = needed; /* what C asked for becomes its data and size */
            } else if (other->storage == resized.storage) {
                move_full(other, resized.now, needed);
            } else if (resized.before != nullptr && data >= resized.before && data - resized.before < had) {
                other->put(resized.now + (data - resized.before));
            }
        }
        /* After the others know: clearing a GPU's memory may fail. */
        const auto more = static_cast<size_t>(needed - had);
        if (on_cuda) clear_on_device(backing->th->device, resized.now + had, more);
        else std::memset(resized.now + had, 0, more);
    }
    backing->put(resized.now + resized.offset);
    return backing->data;
}

const char *const TOO_LATE = "Trying to resize a tensor of Python's after its end";

void *torch_realloc(void *context, void *, ptrdiff_t size) {
    if (!Py_IsInitialized()) throw_error(TOO_LATE);
    Gil gil;
    void *data = resize(static_cast<Backing *>(context), size);
    if (data == nullptr && PyErr_Occurred()) throw_python_error();
    return data;
}

void *torch_malloc(void *context, ptrdiff_t size) { return torch_realloc(context, nullptr, size); }

void torch_free(void *context, void *) {
    if (!Py_IsInitialized()) return; /* a static object's destructor, after Python's end */
    Gil gil;
    delete_backing(static_cast<Backing *>(context));
}

enum { CUDA_SUCCESS = 0, CUDA_OUT_OF_MEMORY = 2 };

int cuda_realloc(void *context, void **pointer, size_t, size_t size, void *) {
    if (!Py_IsInitialized()) throw_error(TOO_LATE);
    Gil gil;
    void *data = resize(static_cast<Backing *>(context), static_cast<ptrdiff_t>(size));
    if (data == nullptr && PyErr_Occurred()) {
        static PyObject *out_of_memory = nullptr;
        if (out_of_memory == nullptr) {
            const SavedError saved;
            out_of_memory = th_py.attribute("OutOfMemoryError").release();
        }
        if (out_of_memory == nullptr || !PyErr_ExceptionMatches(out_of_memory)) throw_python_error();
        PyErr_Clear();
        return CUDA_OUT_OF_MEMORY;
    }
    *pointer = data;
    return CUDA_SUCCESS;
}

int cuda_malloc(void *context, void **pointer, size_t size, void *stream) {
    return cuda_realloc(context, pointer, 0, size, stream);
}

int cuda_free(void *context, void *pointer) {
    torch_free(context, pointer);
    return CUDA_SUCCESS;
}

const THAllocator torch_allocator = {torch_malloc, torch_realloc, torch_free};
const THCDeviceAllocator cuda_allocator = {cuda_malloc, cuda_realloc, cuda_free, {}};

bool lies_on_torch(const THStorage *th) { return th->allocator == &torch_allocator || is_on_cuda(th); }

void set_allocator(THStorage *th, bool on_cuda) {
    if (on_cuda) th->device_allocator = &cuda_allocator;
    else th->allocator = &torch_allocator;
}

void free_data(THStorage *th, bool on_cuda) {
    if (!(th->flag & TH_FREEMEM)) return;
    assert(th->allocator != nullptr && (on_cuda ? th->allocator != &torch_allocator : !is_on_cuda(th)));
    if (on_cuda) th->device_allocator->free(th->context, th->data);
    else th->allocator->free(th->context, th->data);
}

bool decrement(int *count) {
    const int left = __atomic_sub_fetch(count, 1, __ATOMIC_ACQ_REL);
    assert(left >= 0);
    return left == 0;
}

}  // namespace

bool is_on_cuda(const THStorage *th) { return th->device_allocator == &cuda_allocator; }

void free_storage(THStorage *th, bool on_cuda) {
    if (th == nullptr || !(th->flag & TH_REFCOUNTED) || !decrement(&th->refcount)) return;
    free_data(th, on_cuda);
    if (th->flag & TH_VIEW) free_storage(th->view, on_cuda);
    std::free(th);
}

void free_tensor(THTensor *th, bool on_cuda) {
    if (!decrement(&th->refcount)) return;
    std::free(th->size);
    std::free(th->stride);
    free_storage(th->storage, on_cuda);
    std::free(th);
}

THStorage *new_storage(View *view) {
    auto *th = static_cast<THStorage *>(std::calloc(1, sizeof(THStorage)));
    if (th == nullptr) return PyErr_NoMemory(), nullptr;
    Backing *backing = new_backing(view, th);
    if (backing == nullptr) return std::free(th), nullptr;
    *th = {nullptr, 0, 1, TH_REFCOUNTED | TH_RESIZABLE | TH_FREEMEM | TH_LENT, {&torch_allocator}, backing, nullptr,
           -1};
    return th;
}

void place(THStorage *th, int device) {
    th->device = device;
    set_allocator(th, device >= 0);
}

void retain(Backing *backing, Ref tensor) {
    backing->tensor = tensor.release();
    backing->view = nullptr;
    ++retained_count;
}

void cover(Backing *backing, Ref storage, void *data, int64_t bytes) {
    assert(!backing->is_full() && backing->element > 0);
    backing->storage = storage.release();
    backing->bytes = bytes;
    backing->put(data);
    backing->th->size = static_cast<ptrdiff_t>(bytes / backing->element);
}

Backing *move_to_torch(THStorage *th, int code, int bits, bool on_cuda) {
    if (lies_on_torch(th)) return static_cast<Backing *>(th->context);
    unsigned long long address;
    const int device = on_cuda ? th->device : -1;
    const Ref found = th_py.call("allocate", "iini", code, bits, static_cast<Py_ssize_t>(th->size), device);
    PyObject *tensor;
    if (found == nullptr || !PyArg_ParseTuple(found, "OK", &tensor, &address)) return nullptr;
    void *data = reinterpret_cast<void *>(static_cast<uintptr_t>(address));
    const size_t bytes = static_cast<size_t>(th->size) * static_cast<size_t>(bits) / 8;
    if (on_cuda && !copy_on_device(device, data, th->data, bytes)) return nullptr;
    if (!on_cuda && bytes > 0) std::memcpy(data, th->data, bytes);
    Backing *backing = new_backing(nullptr, th);
    if (backing == nullptr) return nullptr;
    retain(backing, Ref::borrow(tensor));
    free_data(th, on_cuda);
    backing->put(data);
    set_allocator(th, on_cuda);
    th->context = backing;
    th->flag |= TH_RESIZABLE | TH_FREEMEM | TH_LENT;
    return backing;
}

bool refresh_retained() {
    if (retained_count == 0) return true;
    /* The Python code below may let another thread run, which retains more or lets go of some. */
    struct Place {
        Ref tensor;
        void *data;
        long long bytes;
    };
    std::map<std::pair<PyObject *, bool>, Place> places;
    for (Backing *backing = backings.next; backing != &backings; backing = backing->next) {
        if (backing->view != nullptr) continue;
        auto &place = places[{backing->tensor, backing->is_full()}];
        if (place.tensor == nullptr) place.tensor = Ref::borrow(backing->tensor);
    }
    for (auto &[key, place] : places) {
        const Ref found = th_py.call("place", "Oi", key.first, key.second);
        unsigned long long address;
        if (found == nullptr || !PyArg_ParseTuple(found, "KL", &address, &place.bytes)) return false;
        place.data = reinterpret_cast<void *>(static_cast<uintptr_t>(address));
    }
    for (Backing *backing = backings.next; backing != &backings; backing = backing->next) {
        if (backing->view != nullptr) continue;
        const auto place = places.find({backing->tensor, backing->is_full()});
        if (place == places.end()) continue;
        const auto &[tensor, data, bytes] = place->second;
        /* Another thread may be in C with a storage that it retained: what did not move is not written. */
        if (backing->is_full() && (backing->data != data || backing->bytes != bytes)) move_full(backing, data, bytes);
        if (!backing->is_full() && backing->data != data) backing->put(data);
    }
    return true;
}

}  // namespace bridge
