// c_api/my_lib/gemm/products.cu: the handles of cuBLAS, one per device, and the products that go through them.
#include "gemm/products.cuh"

#include "gemm/cublas.h"
#include "my_lib_cuda.h"

#include <pthread.h>

namespace my_lib {

struct Handle {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    const Cublas *library = nullptr;
    Cublas::handle cublas = nullptr;
};

namespace {

Handle handles[known_devices];
pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
thread_local bool tf32_allowed = false;

bool blas_succeeded(int status, const char *what) {
    return status == Cublas::success ||
           set_error(MY_LIB_ERROR_CUDA, "cuBLAS: expected to %s, got status %d", what, status);
}

Handle *handle_of(int device) {
    if (device >= 0 && device < known_devices) return &handles[device];
    set_error(MY_LIB_ERROR_INVALID_VALUE, "device: expected at least 0 and below %d, got %d", known_devices, device);
    return nullptr;
}

// With the handle's mutex held.
bool create(Handle *handle) {
    if (handle->cublas) return true;
    pthread_mutex_lock(&loading);
    handle->library = cublas();
    pthread_mutex_unlock(&loading);
    return handle->library && blas_succeeded(handle->library->create(&handle->cublas), "create a handle");
}

}  // namespace

bool tf32_is_allowed() { return tf32_allowed; }

bool Products::begin() {
    if (handle_) return true;
    Device device;
    if (!current_device(&device)) return false;
    Handle *handle = handle_of(device.index);
    if (!handle) return false;
    pthread_mutex_lock(&handle->mutex);
    handle_ = handle;  // unlocked by the destructor
    if (!handle->cublas) {
        bool capturing;
        if (!is_capturing(stream_, &capturing)) return false;
        if (capturing)
            return set_error(MY_LIB_ERROR_NOT_PREPARED,
                             "stream: expected my_lib_cuda_prepare(%d) before the capture of a graph began",
                             device.index);
        if (!create(handle)) return false;
    }
    // The workspace is forgotten whenever the stream is set.
    return blas_succeeded(handle->library->set_stream(handle->cublas, stream_), "set the stream") &&
           blas_succeeded(handle->library->set_workspace(handle->cublas, scratch_.memory, Scratch::size),
                          "set the workspace") &&
           blas_succeeded(handle->library->set_math_mode(
                              handle->cublas, tf32_allowed ? Cublas::tf32_math : Cublas::default_math),
                          "set the math mode");
}

Products::~Products() {
    if (handle_) pthread_mutex_unlock(&handle_->mutex);
}

template <typename T, typename Gemm> bool Products::run(const Product<T> &p, Gemm gemm) {
    if (p.rows == 0 || p.columns == 0) return true;
    if (p.depth == 0)
        return p.add || succeeded(cudaMemset2DAsync(p.output, static_cast<size_t>(p.output_stride) * sizeof(T), 0,
                                                    static_cast<size_t>(p.columns) * sizeof(T),
                                                    static_cast<size_t>(p.rows), stream_),
                                  "clear an output");
    if (!begin()) return false;
    const T one = 1, beta = p.add ? 1 : 0;
    const auto operation = [](const Factor<T> &factor) {
        return factor.transposed ? Cublas::transpose : Cublas::no_transpose;
    };
    // cuBLAS counts by columns: what it takes for the transposed factors gives the transposed output.
    return blas_succeeded((handle_->library->*gemm)(handle_->cublas, operation(p.right), operation(p.left), p.columns,
                                                    p.rows, p.depth, &one, p.right.data, p.right.stride, p.left.data,
                                                    p.left.stride, &beta, p.output, p.output_stride),
                          "multiply two matrices");
}

bool Products::multiply(const Product<float> &product) { return run(product, &Cublas::sgemm); }
bool Products::multiply(const Product<double> &product) { return run(product, &Cublas::dgemm); }

}  // namespace my_lib

int my_lib_cuda_prepare(int device) {
    my_lib::Handle *handle = my_lib::handle_of(device);
    int before, count;
    if (!handle || !my_lib::succeeded(cudaGetDeviceCount(&count), "count the devices")) return 0;
    if (device >= count)
        return my_lib::set_error(MY_LIB_ERROR_INVALID_VALUE, "device: expected at least 0 and below %d, got %d", count,
                                 device);
    if (!my_lib::succeeded(cudaGetDevice(&before), "ask for the current device") ||
        !my_lib::succeeded(cudaSetDevice(device), "make the device current"))
        return 0;
    pthread_mutex_lock(&handle->mutex);
    const bool created = my_lib::create(handle);
    pthread_mutex_unlock(&handle->mutex);
    return my_lib::succeeded(cudaSetDevice(before), "return to the device before") && created;
}

int my_lib_cuda_allow_tf32(int allow) {
    if (allow != 0 && allow != 1)
        return my_lib::set_error(MY_LIB_ERROR_INVALID_VALUE, "allow: expected 0 or 1, got %d", allow);
    my_lib::tf32_allowed = allow;
    return 1;
}
