// Stand-in for cuBLAS.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

typedef struct cublasContext *cublasHandle_t;
typedef cudaDataType cublasDataType_t;
typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15
} cublasStatus_t;
typedef enum {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2
} cublasOperation_t;
typedef enum {
  CUBLAS_FILL_MODE_LOWER = 0,
  CUBLAS_FILL_MODE_UPPER = 1
} cublasFillMode_t;
typedef enum {
  CUBLAS_POINTER_MODE_HOST = 0,
  CUBLAS_POINTER_MODE_DEVICE = 1
} cublasPointerMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3
} cublasMath_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_64F = 70
} cublasComputeType_t;
typedef enum {
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
} cublasGemmAlgo_t;

#ifdef __cplusplus
extern "C" {
#endif
cublasStatus_t cublasCreate(cublasHandle_t *handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle,
                                    cublasPointerMode_t mode);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace,
                                  size_t size);
const char *cublasGetStatusString(cublasStatus_t status);

#define SPMD_STUB_BLAS(letter, T)                                              \
  cublasStatus_t cublas##letter##gemm(                                         \
      cublasHandle_t handle, cublasOperation_t transa,                         \
      cublasOperation_t transb, int m, int n, int k, const T *alpha,           \
      const T *A, int lda, const T *B, int ldb, const T *beta, T *C, int ldc); \
  cublasStatus_t cublas##letter##gemmStridedBatched(                           \
      cublasHandle_t handle, cublasOperation_t transa,                         \
      cublasOperation_t transb, int m, int n, int k, const T *alpha,           \
      const T *A, int lda, long long strideA, const T *B, int ldb,             \
      long long strideB, const T *beta, T *C, int ldc, long long strideC,      \
      int batch);                                                              \
  cublasStatus_t cublas##letter##gemv(                                         \
      cublasHandle_t handle, cublasOperation_t trans, int m, int n,            \
      const T *alpha, const T *A, int lda, const T *x, int incx,               \
      const T *beta, T *y, int incy);                                          \
  cublasStatus_t cublas##letter##ger(cublasHandle_t handle, int m, int n,      \
                                     const T *alpha, const T *x, int incx,     \
                                     const T *y, int incy, T *A, int lda);     \
  cublasStatus_t cublas##letter##geam(                                         \
      cublasHandle_t handle, cublasOperation_t transa,                         \
      cublasOperation_t transb, int m, int n, const T *alpha, const T *A,      \
      int lda, const T *beta, const T *B, int ldb, T *C, int ldc);             \
  cublasStatus_t cublas##letter##axpy(cublasHandle_t handle, int n,            \
                                      const T *alpha, const T *x, int incx,    \
                                      T *y, int incy);                         \
  cublasStatus_t cublas##letter##scal(cublasHandle_t handle, int n,            \
                                      const T *alpha, T *x, int incx);         \
  cublasStatus_t cublas##letter##copy(cublasHandle_t handle, int n,            \
                                      const T *x, int incx, T *y, int incy);   \
  cublasStatus_t cublas##letter##dot(cublasHandle_t handle, int n, const T *x, \
                                     int incx, const T *y, int incy,           \
                                     T *result);                               \
  cublasStatus_t cublas##letter##nrm2(cublasHandle_t handle, int n,            \
                                      const T *x, int incx, T *result);        \
  cublasStatus_t cublas##letter##asum(cublasHandle_t handle, int n,            \
                                      const T *x, int incx, T *result);
SPMD_STUB_BLAS(S, float)
SPMD_STUB_BLAS(D, double)
#undef SPMD_STUB_BLAS

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k,
                            const void *alpha, const void *A,
                            cudaDataType Atype, int lda, const void *B,
                            cudaDataType Btype, int ldb, const void *beta,
                            void *C, cudaDataType Ctype, int ldc,
                            cublasComputeType_t computeType,
                            cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    int m, int n, int k, const void *alpha, const void *A, cudaDataType Atype,
    int lda, long long strideA, const void *B, cudaDataType Btype, int ldb,
    long long strideB, const void *beta, void *C, cudaDataType Ctype, int ldc,
    long long strideC, int batch, cublasComputeType_t computeType,
    cublasGemmAlgo_t algo);
#ifdef __cplusplus
}
#endif
