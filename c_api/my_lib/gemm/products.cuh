// c_api/my_lib/gemm/products.cuh: products of matrices, by cuBLAS, on the caller's stream and workspace.
#pragma once

#include "runtime/device.cuh"
#include "runtime/workspace.cuh"

#include <cstdint>

namespace my_lib {

// A matrix in row-major order, its rows `stride` elements apart; `transposed` when the product reads it so.
template <typename T> struct Factor {
    const T *data;
    int64_t stride;
    bool transposed = false;
};

// output = left right, or output += left right: (rows, columns) = (rows, depth) (depth, columns).
template <typename T> struct Product {
    int64_t rows, columns, depth;
    Factor<T> left, right;
    T *output;
    int64_t output_stride;
    bool add = false;
};

// What my_lib_cuda_allow_tf32() said last in the calling thread.
bool tf32_is_allowed();

// What cuBLAS works in, taken from the caller's workspace.
struct Scratch {
    static constexpr size_t size = size_t{8} << 20;
    void *memory;
    explicit Scratch(Workspace &workspace) : memory(workspace.take<char>(size)) {}
};

// The products of one call. Holds the handle of the current device, for which calls take turns.
class Products {
public:
    Products(const Scratch &scratch, void *stream) : scratch_(scratch), stream_(static_cast<cudaStream_t>(stream)) {}
    ~Products();
    Products(const Products &) = delete;
    Products &operator=(const Products &) = delete;

    [[nodiscard]] bool multiply(const Product<float> &product);
    [[nodiscard]] bool multiply(const Product<double> &product);

private:
    bool begin();
    template <typename T, typename Gemm> bool run(const Product<T> &product, Gemm gemm);

    Scratch scratch_;
    cudaStream_t stream_;
    struct Handle *handle_ = nullptr;
};

}  // namespace my_lib
