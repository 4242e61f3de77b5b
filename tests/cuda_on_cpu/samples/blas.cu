// tests/cuda_on_cpu/samples/blas.cu: cuBLAS's functions, against sums that are written out; matrices are by columns.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)

const auto N = CUBLAS_OP_N, T = CUBLAS_OP_T, C = CUBLAS_OP_C;
const auto good = CUBLAS_STATUS_SUCCESS, bad = CUBLAS_STATUS_INVALID_VALUE, unserved = CUBLAS_STATUS_NOT_SUPPORTED;
cublasHandle_t handle;

template <typename S> static S *managed(std::vector<double> values) {
    S *made;
    REQUIRE(cudaMallocManaged(&made, values.size() * sizeof(S) + 1) == cudaSuccess);
    for (size_t i = 0; i < values.size(); i++) made[i] = S(float(values[i]));
    return made;
}
static std::vector<double> numbers(int n, int first) {
    std::vector<double> made(static_cast<size_t>(n));
    for (int i = 0; i < n; i++) made[static_cast<size_t>(i)] = (first + 7 * i) % 11 - 5;
    return made;
}
template <typename S> static bool near(S a, double b) { return std::fabs(double(float(a)) - b) < 1e-3 * std::fmax(1, std::fabs(b)); }

// c = 2 op(a) op(b) + beta c, with room between the columns that nothing may write.
template <typename S, typename Gemm> static void products(Gemm gemm) {
    const int m = 3, n = 2, k = 4, lda = 6, ldb = 7, ldc = 5;
    const S alpha(2.f);
    for (const auto ta : {N, T, C})
        for (const auto tb : {N, T, C})
            for (const float beta_value : {0.f, 1.f, -0.5f}) {
                const S beta(beta_value);
                S *a = managed<S>(numbers(lda * 6, 1)), *b = managed<S>(numbers(ldb * 6, 3)), *c = managed<S>(numbers(ldc * n, 5));
                const std::vector<S> before(c, c + ldc * n);
                if (beta_value == 0) c[0] = S(NAN);  // is not read
                REQUIRE(gemm(handle, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc) == good);
                for (int j = 0; j < n; j++)
                    for (int i = 0; i < ldc; i++) {
                        double sum = 0;
                        for (int l = 0; l < k; l++)
                            sum += double(float(ta == N ? a[l * lda + i] : a[i * lda + l])) * double(float(tb == N ? b[j * ldb + l] : b[l * ldb + j]));
                        const double old = double(float(before[j * ldc + i]));
                        REQUIRE(near(c[j * ldc + i], i >= m ? old : 2 * sum + (beta_value == 0 ? 0 : beta_value * old)));
                    }
                cudaFree(a), cudaFree(b), cudaFree(c);
            }
    S *x = managed<S>({1, 2, 3, 4});
    const S one(1.f), none(0.f);
    const auto call = [&](cublasOperation_t ta, cublasOperation_t tb, int rows, int columns, int inner, int la, int lb, int lc) {
        return gemm(handle, ta, tb, rows, columns, inner, &one, x, la, x, lb, &none, x, lc);
    };
    REQUIRE(call(N, N, 0, 0, 0, 1, 1, 1) == good && call(cublasOperation_t(9), N, 1, 1, 1, 1, 1, 1) == bad);
    REQUIRE(call(N, cublasOperation_t(9), 1, 1, 1, 1, 1, 1) == bad && call(N, N, -1, 1, 1, 1, 1, 1) == bad);
    REQUIRE(call(N, N, 1, -1, 1, 1, 1, 1) == bad && call(N, N, 1, 1, -1, 1, 1, 1) == bad && call(N, N, 0, 0, 0, 0, 1, 1) == bad);
    REQUIRE(call(N, N, 2, 1, 1, 1, 1, 2) == bad && call(T, N, 2, 1, 1, 1, 1, 2) == good && call(T, N, 1, 1, 2, 1, 2, 1) == bad);
    REQUIRE(call(N, N, 1, 1, 2, 1, 1, 1) == bad && call(N, T, 1, 1, 2, 1, 1, 1) == good && call(N, T, 1, 2, 1, 1, 1, 1) == bad);
    REQUIRE(call(N, N, 2, 1, 1, 2, 1, 1) == bad && call(N, N, 0, 0, 0, 1, 0, 1) == bad && call(N, N, 0, 0, 0, 1, 1, 0) == bad);
    REQUIRE(gemm(handle, N, N, 1, 1, 1, nullptr, x, 1, x, 1, &none, x, 1) == bad);
    REQUIRE(gemm(handle, N, N, 1, 1, 1, &one, x, 1, x, 1, nullptr, x, 1) == bad);
    REQUIRE(gemm(nullptr, N, N, 1, 1, 1, &one, x, 1, x, 1, &none, x, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
    x[0] = S(NAN), x[1] = S(2.f);
    REQUIRE(gemm(handle, N, N, 1, 1, 1, &none, x, 1, x, 1, &one, x + 1, 1) == good && near(x[1], 2));  // factors are not read
    cudaFree(x);
}

// Many products: of arrays of pointers, and with steps between them.
template <typename S, typename Strided> static void many_products(Strided strided) {
    const S one(1.f), none(0.f);
    S *a = managed<S>({1, 2, 3, 4, 5, 6}), *b = managed<S>({2, 0, 3}), *c = managed<S>({9, 9, 9, 9, 9, 9});
    REQUIRE(strided(handle, N, N, 2, 1, 1, &one, a, 2, 2, b, 1, 2, &none, c, 2, 3, 2) == good);
    const double expected[] = {2, 4, 9, 9, 12, 9};
    for (int i = 0; i < 6; i++) REQUIRE(near(c[i], expected[i]));
    REQUIRE(strided(handle, N, N, 2, 1, 1, &one, a, 1, 2, b, 1, 2, &none, c, 2, 3, 2) == bad);
}

static void vectors() {
    double *a = managed<double>({1, 2, 9, 3, 4, 9, 5, 6, 9}), *x = managed<double>({1, 9, 2, 9, 3}), *y = managed<double>({4, 5, 6});
    const double two = 2, none = 0, one = 1;
    double found = -1;
    REQUIRE(cublasDdot(handle, 3, x, 2, y, 1, &found) == good && found == 32);
    REQUIRE(cublasDdot(handle, 3, x, -2, y, 1, &found) == good && found == 28);
    REQUIRE(cublasDdot(handle, 0, x, 1, y, 1, &found) == good && found == 0);
    REQUIRE(cublasDnrm2(handle, 2, y, 1, &found) == good && near(found, std::sqrt(41.)));
    REQUIRE(cublasDasum(handle, 3, x, 2, &found) == good && found == 6);
    REQUIRE(cublasDaxpy(handle, 3, &two, x, -2, y, 1) == good && y[0] == 10 && y[1] == 9 && y[2] == 8);
    REQUIRE(cublasDscal(handle, 2, &two, y, 2) == good && y[0] == 20 && y[1] == 9 && y[2] == 16);
    REQUIRE(cublasDcopy(handle, 3, x, 2, y, -1) == good && y[0] == 3 && y[1] == 2 && y[2] == 1);
    y[0] = NAN;
    REQUIRE(cublasDgemv(handle, N, 2, 3, &two, a, 3, x, 2, &none, y, 2) == good && y[0] == 44 && y[1] == 2 && y[2] == 56);
    REQUIRE(cublasDgemv(handle, T, 2, 3, &one, a, 3, x, -2, &one, y, 1) == good);
    REQUIRE(y[0] == 44 + 2 + 2 && y[1] == 2 + 6 + 4 && y[2] == 56 + 10 + 6);
    REQUIRE(cublasDger(handle, 2, 3, &two, x, 2, x, -2, a, 3) == good);
    const double expected[] = {1 + 6, 2 + 12, 9, 3 + 4, 4 + 8, 9, 5 + 2, 6 + 4, 9};
    for (int i = 0; i < 9; i++) REQUIRE(a[i] == expected[i]);
    REQUIRE(cublasDgemv(handle, N, 4, 1, &two, a, 3, x, 1, &none, y, 1) == bad && cublasDger(handle, 4, 1, &two, x, 1, x, 1, a, 3) == bad);
    REQUIRE(cublasDgemv(handle, N, 1, 1, &two, a, 1, x, 0, &none, y, 1) == bad && cublasDger(handle, 1, 1, &two, x, 1, x, 0, a, 1) == bad);

    float *f = managed<float>({1, 2, 3}), sum = 0;
    REQUIRE(cublasDotEx(handle, 3, f, CUDA_R_32F, 1, f, CUDA_R_32F, 1, &sum, CUDA_R_32F, CUDA_R_32F) == good && sum == 14);
    REQUIRE(cublasDotEx(handle, 3, x, CUDA_R_64F, 2, x, CUDA_R_64F, 2, &found, CUDA_R_64F, CUDA_R_64F) == good && found == 14);
    half *h = managed<half>({1, 2, 3}), of_halves;
    REQUIRE(cublasDotEx(handle, 3, h, CUDA_R_16F, 1, h, CUDA_R_16F, 1, &of_halves, CUDA_R_16F, CUDA_R_32F) == good && float(of_halves) == 14);
    REQUIRE(cublasDotEx(handle, 1, f, CUDA_R_32F, 1, x, CUDA_R_64F, 1, &sum, CUDA_R_32F, CUDA_R_32F) == unserved);
    REQUIRE(cublasDotEx(handle, 1, f, CUDA_R_32F, 1, f, CUDA_R_32F, 1, &found, CUDA_R_64F, CUDA_R_64F) == unserved);
    REQUIRE(cublasDotEx(handle, 1, f, CUDA_R_32I, 1, f, CUDA_R_32I, 1, &found, CUDA_R_32I, CUDA_R_32I) == unserved);

    const float plus = 1, zero = 0;
    half *product = managed<half>({0});
    REQUIRE(cublasSgemmEx(handle, T, N, 1, 1, 3, &plus, h, CUDA_R_16F, 3, h, CUDA_R_16F, 3, &zero, product, CUDA_R_16F, 1) == good);
    REQUIRE(float(*product) == 14);
    REQUIRE(cublasSgemmEx(handle, T, N, 1, 1, 3, &plus, f, CUDA_R_32F, 3, f, CUDA_R_32F, 3, &zero, f, CUDA_R_32F, 1) == good && *f == 14);
    REQUIRE(cublasSgemmEx(handle, T, N, 1, 1, 3, &plus, f, CUDA_R_32F, 3, h, CUDA_R_16F, 3, &zero, f, CUDA_R_32F, 1) == unserved);
    REQUIRE(cublasSgemmEx(handle, T, N, 1, 1, 3, &plus, h, CUDA_R_16F, 3, h, CUDA_R_16F, 3, &zero, f, CUDA_R_32F, 1) == unserved);
    REQUIRE(cublasSgemmEx(handle, T, N, 1, 1, 3, &plus, f, CUDA_R_64F, 3, f, CUDA_R_64F, 3, &zero, f, CUDA_R_64F, 1) == unserved);
}

// Factors of matrices of 3 x 3 in columns of 4, equations with them, and inverses.
static void equations(bool pivoted) {
    const int n = 3, ld = 4;
    const std::vector<double> first = {pivoted ? 0. : 5., 2, 1, 77, 4, 1, 3, 77, 2, -2, 6, 77}, second = {4, 1, 2, 77, 1, 5, 1, 77, -1, 2, 6, 77};
    const std::vector<double> right = {1, 2, 3, 77, -1, 0, 4, 77};
    double **a, **b, **inverse;
    int *pivots, *info;
    cudaMallocManaged(&a, 2 * sizeof *a), cudaMallocManaged(&b, 2 * sizeof *b), cudaMallocManaged(&inverse, 2 * sizeof *b);
    cudaMallocManaged(&pivots, 6 * sizeof(int)), cudaMallocManaged(&info, 2 * sizeof(int));
    int *const given = pivoted ? pivots : nullptr;
    for (const auto op : {N, T}) {
        for (int i = 0; i < 2; i++) {
            a[i] = managed<double>(i ? second : first), b[i] = managed<double>(right);
            inverse[i] = managed<double>(std::vector<double>(12, 77)), info[i] = 9;
        }
        REQUIRE(cublasDgetrfBatched(handle, n, a, ld, given, info, 2) == good && info[0] == 0 && info[1] == 0);
        if (pivoted) REQUIRE(pivots[0] == 2 && pivots[1] == 2 && pivots[2] == 3 && pivots[3] == 1 && pivots[5] == 3);
        int all = 9;
        REQUIRE(cublasDgetrsBatched(handle, op, n, 2, a, ld, given, b, ld, &all, 2) == good && all == 0);
        info[0] = info[1] = 9;
        REQUIRE(cublasDgetriBatched(handle, n, a, ld, given, inverse, ld, info, 2) == good && info[0] == 0 && info[1] == 0);
        for (int which = 0; which < 2; which++) {
            const auto &matrix = which ? second : first;
            const auto at = [&](int i, int j) { return matrix[static_cast<size_t>(op == N ? j * ld + i : i * ld + j)]; };
            for (int i = 0; i < n; i++)
                for (int j = 0; j < 3; j++) {
                    double sum = 0, identity = 0;
                    for (int k = 0; k < n; k++) {
                        sum += at(i, k) * b[which][(j % 2) * ld + k];
                        identity += matrix[static_cast<size_t>(k * ld + i)] * inverse[which][j * ld + k];
                    }
                    REQUIRE(near(sum, right[static_cast<size_t>((j % 2) * ld + i)]) && near(identity, i == j));
                }
            REQUIRE(a[which][3] == 77 && b[which][3] == 77 && b[which][7] == 77 && inverse[which][7] == 77);
        }
    }
    a[0] = managed<double>({1, 2, 3, 77, 2, 4, 6, 77, 1, 1, 2, 77});  // of rank 2
    REQUIRE(cublasDgetrfBatched(handle, n, a, ld, given, info, 1) == good && info[0] == 2);
    REQUIRE(cublasDgetrfBatched(handle, -1, a, ld, given, info, 1) == bad && cublasDgetrfBatched(handle, n, a, 2, given, info, 1) == bad);
    REQUIRE(cublasDgetrsBatched(handle, N, n, 1, a, 2, given, b, ld, info, 1) == bad && cublasDgetrsBatched(handle, N, n, 1, a, ld, given, b, 2, info, 1) == bad);
    REQUIRE(cublasDgetriBatched(handle, n, a, 2, given, b, ld, info, 1) == bad && cublasDgetriBatched(handle, n, a, ld, given, b, 2, info, 1) == bad);
}

static void handles() {
    cudaStream_t stream, found;
    cudaStreamCreate(&stream);
    cublasPointerMode_t pointers;
    cublasMath_t math;
    REQUIRE(cublasCreate(nullptr) == bad && cublasSetStream(handle, stream) == good && cublasGetStream(handle, &found) == good);
    REQUIRE(found == stream && cublasSetStream(handle, nullptr) == good && cublasGetPointerMode(handle, &pointers) == good);
    REQUIRE(pointers == CUBLAS_POINTER_MODE_HOST && cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE) == good);
    REQUIRE(cublasGetPointerMode(handle, &pointers) == good && pointers == CUBLAS_POINTER_MODE_DEVICE);
    REQUIRE(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST) == good && cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH) == good);
    REQUIRE(cublasGetMathMode(handle, &math) == good && math == CUBLAS_TF32_TENSOR_OP_MATH);
}

int main() {
    REQUIRE(cublasCreate(&handle) == good);
    handles();
    products<float>(cublasSgemm);
    products<double>(cublasDgemm);
    products<half>(cublasHgemm);
    products<float>([](auto... given) { return cublasSgemm_v2_64(given...); });
    many_products<float>(cublasSgemmStridedBatched);
    many_products<half>(cublasHgemmStridedBatched);
    vectors();
    equations(false);
    equations(true);
    REQUIRE(cublasDestroy(handle) == good);
    std::printf("right\n");
}
