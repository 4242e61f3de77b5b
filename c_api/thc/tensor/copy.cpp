// c_api/thc/tensor/copy.cpp: copies on the GPU, between the host and the GPU, and between all pairs of types.
#include "thc/runtime/export.h"
#include "thc/runtime/launch.h"
#include "thc/tensor/tensor.h"

namespace th {
namespace {

void check_counts(ptrdiff_t self, ptrdiff_t source) { TH_ARGUMENT(self == source, 2, "sizes do not match"); }

// A view of a whole storage on the GPU, so that storages are copied as tensors are.
template <typename T> Owned<T> whole(Storage<T> *storage) {
    Owned<T> self = make<T>();
    const int64_t size[] = {storage->size};
    set_storage(self, sizeof(T), storage, 0, {1, size});
    return self;
}

size_t bytes_of(const AnyTensor *t, size_t element) { return size_t(elements_of(t)) * element; }

// From one device to another, when both sides are contiguous and of one type.
template <typename T> void copy_between_devices(Tensor<T> *self, Tensor<T> *source) {
    {
        OnDevice guard(device_of(source));
        synchronize();
    }
    CUDA_CHECK(cudaMemcpyPeerAsync(self->data(), device_of(self), source->data(), device_of(source),
                                   bytes_of(self, sizeof(T)), current_stream()));
    synchronize();
}

}  // namespace

template <typename To, typename From> void copy_on_device(Tensor<To> *self, Tensor<From> *source) {
    OnDevice guard(device_of(source));
    if (device_of(self) != device_of(source)) {
        const Owned<To> dense = make<To>(shape_of(source));  // on the source's device
        copy_on_device<To, From>(dense, source);
        OnDevice target(device_of(self));
        if (is_contiguous(self)) return copy_between_devices<To>(self, dense);
        const Owned<To> arrived = make<To>(shape_of(source));
        copy_between_devices<To>(arrived, dense);
        return copy_on_device<To, To>(self, arrived);
    }
    if (std::is_same<To, From>::value && is_contiguous(self) && is_contiguous(source))
        CUDA_CHECK(cudaMemcpyAsync(self->data(), source->data(), bytes_of(self, sizeof(To)), cudaMemcpyDeviceToDevice,
                                   current_stream()));
    else
        launch_copy(elements(self), elements(source), elements_of(self));
}

template <typename To, typename From> void copy(Tensor<To> *self, Tensor<From> *source) {
    if (static_cast<AnyTensor *>(self) == source) return;
    check_counts(elements_of(self), elements_of(source));
    if (self->nDimension) copy_on_device<To, From>(self, source);
}

#define THC_INSTANTIATE(CReal, Real, real, accreal)                                                                    \
    template void copy(Tensor<real> *, Tensor<real> *);                                                                \
    template void copy_on_device(Tensor<real> *, Tensor<real> *);
THC_EVERY_TYPE(THC_INSTANTIATE)
#undef THC_INSTANTIATE

template <typename To, typename From> void copy_storage(Storage<To> *self, Storage<From> *source) {
    check_counts(self->size, source->size);
    if (!self->size) return;
    copy_on_device<To, From>(whole(self), whole(source));
}

template <typename T> void raw_copy(Storage<T> *self, T *source) {
    if (self->size)
        CUDA_CHECK(cudaMemcpyAsync(self->data, source, size_t(self->size) * sizeof(T), cudaMemcpyDefault,
                                   current_stream()));
}

namespace {

// ---- The host's tensors: TH's own functions convert them, by overloads for each type and pair of types ---------------

#define THC_PAIR(To, From)                                                                                             \
    inline void convert_on_host(TH##To##Tensor *to, TH##From##Tensor *from) { TH##To##Tensor_copy##From(to, from); }
#define THC_HOST(CReal, Real, real, accreal)                                                                           \
    inline void make_on_host(TH##Real##Tensor *&made, int64_t n) { made = TH##Real##Tensor_newWithSize1d(n); }         \
    inline void make_on_host(TH##Real##Tensor *&made, TH##Real##Storage *storage) {                                    \
        made = TH##Real##Tensor_newWithStorage1d(storage, 0, storage->size, 1);                                        \
    }                                                                                                                  \
    inline ptrdiff_t count(TH##Real##Tensor *t) { return TH##Real##Tensor_nElement(t); }                               \
    inline bool dense(TH##Real##Tensor *t) { return TH##Real##Tensor_isContiguous(t); }                                \
    inline void *data(TH##Real##Tensor *t) { return TH##Real##Tensor_data(t); }                                        \
    inline void free_on_host(TH##Real##Tensor *t) { TH##Real##Tensor_free(t); }                                        \
    inline TH##Real##Tensor *of_storage(TH##Real##Storage *) { return nullptr; }                                       \
    THC_PAIR(Real, Byte)                                                                                               \
    THC_PAIR(Real, Char)                                                                                               \
    THC_PAIR(Real, Short)                                                                                              \
    THC_PAIR(Real, Int)                                                                                                \
    THC_PAIR(Real, Long)                                                                                               \
    THC_PAIR(Real, Float)                                                                                              \
    THC_PAIR(Real, Double)                                                                                             \
    THC_PAIR(Real, Half)
THC_EVERY_TYPE(THC_HOST)

// A tensor of the host that is freed on every way out.
template <typename Host> class OnHost {
public:
    template <typename From> explicit OnHost(From from) { make_on_host(tensor_, from); }
    ~OnHost() { free_on_host(tensor_); }
    OnHost(const OnHost &) = delete;
    operator Host *() const { return tensor_; }

private:
    Host *tensor_ = nullptr;
};

template <typename T> using HostOf = typename CudaType<T>::Host;

}  // namespace

template <typename T, typename Host> void from_host(Tensor<T> *self, Host *source) {
    check_counts(elements_of(self), count(source));
    if (!self->nDimension) return;
    const OnHost<HostOf<T>> converted(int64_t(elements_of(self)));
    convert_on_host(converted, source);
    OnDevice guard(device_of(self));
    const Owned<T> target = contiguous(self);  // self, or memory that the copy below takes
    upload(target->data(), data(converted), bytes_of(self, sizeof(T)));
    copy<T, T>(self, target);
}

template <typename T, typename Host> void to_host(Host *self, Tensor<T> *source) {
    check_counts(count(self), elements_of(source));
    if (!source->nDimension) return;
    const OnHost<HostOf<T>> arrived(int64_t(elements_of(source)));
    OnDevice guard(device_of(source));
    download(data(arrived), contiguous(source)->data(), bytes_of(source, sizeof(T)));
    convert_on_host(self, arrived);
}

template <typename T, typename Host> void storage_from_host(Storage<T> *self, Host *source) {
    check_counts(self->size, source->size);
    using Tensors = typename std::remove_pointer<decltype(of_storage(source))>::type;
    if (self->size) from_host<T>(whole(self).get(), static_cast<Tensors *>(OnHost<Tensors>(source)));
}

template <typename T, typename Host> void storage_to_host(Host *self, Storage<T> *source) {
    check_counts(self->size, source->size);
    using Tensors = typename std::remove_pointer<decltype(of_storage(self))>::type;
    if (source->size) to_host<T>(static_cast<Tensors *>(OnHost<Tensors>(self)), whole(source).get());
}

namespace {

template <typename T> void check_dense(const Tensor<T> *device, HostOf<T> *host, int device_number, int host_number) {
    TH_ARGUMENT(is_contiguous(device), device_number, "tensor must be contiguous");
    TH_ARGUMENT(dense(host), host_number, "tensor must be contiguous");
}

}  // namespace

template <typename T> void from_pinned(Tensor<T> *self, HostOf<T> *source) {
    check_counts(elements_of(self), count(source));
    check_dense(self, source, 2, 3);
    if (!self->nDimension) return;
    OnDevice guard(device_of(self));
    CUDA_CHECK(cudaMemcpyAsync(self->data(), data(source), bytes_of(self, sizeof(T)), cudaMemcpyHostToDevice,
                               current_stream()));
}

template <typename T> void to_pinned(HostOf<T> *self, Tensor<T> *source) {
    check_counts(count(self), elements_of(source));
    check_dense(source, self, 3, 2);
    if (!source->nDimension) return;
    OnDevice guard(device_of(source));
    CUDA_CHECK(cudaMemcpyAsync(data(self), source->data(), bytes_of(source, sizeof(T)), cudaMemcpyDeviceToHost,
                               current_stream()));
}

}  // namespace th

extern "C" {
// The host's structs stay as they are: th::native would take them for the GPU's.
#define THC_FROM_HOST(symbol, function, Device, Host)                                                                  \
    void symbol(THCState *, Device *self, Host *src) {                                                                 \
        th::note_write(th::native(self));                                                                              \
        th::guarded([&] { th::function(th::native(self), src); });                                                     \
    }
#define THC_TO_HOST(symbol, function, Host, Device)                                                                    \
    void symbol(THCState *, Host *self, Device *src) {                                                                 \
        th::note_write(th::native(self));                                                                              \
        th::guarded([&] { th::function(self, th::native(src)); });                                                     \
    }
#define THC_GENERIC_FILE "thc/tensor/copy_exports.h"
#include <THC/THCGenerateAllTypes.h>
}
