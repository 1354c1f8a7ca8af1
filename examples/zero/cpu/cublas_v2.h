// What zero uses of cuBLAS, on the host.

#pragma once

#ifdef __CUDA__ // the real thing, for spmd-tidy on kernels
#include_next <cublas_v2.h>
#else

#include "cuda_runtime.h"

using cublasHandle_t = struct CpuBlas *;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };

cublasStatus_t cublasCreate(cublasHandle_t *handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);

/// y = alpha x + y
cublasStatus_t cublasSaxpy(cublasHandle_t handle, int count, const float *alpha,
                           const float *x, int stride_x, float *y,
                           int stride_y);

/// c = alpha op(a) op(b) + beta c; column-major, op(a) is m x k.
cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t op_a,
                           cublasOperation_t op_b, int m, int n, int k,
                           const float *alpha, const float *a, int lda,
                           const float *b, int ldb, const float *beta, float *c,
                           int ldc);

#endif
