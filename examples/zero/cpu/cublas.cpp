#include "cublas_v2.h"

#include <vector>

cublasStatus_t cublasCreate(cublasHandle_t *handle) {
  *handle = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t) {
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSaxpy(cublasHandle_t, int count, const float *alpha,
                           const float *x, int stride_x, float *y,
                           int stride_y) {
  for (long i = 0; i < count; ++i)
    y[i * stride_y] += *alpha * x[i * stride_x];
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgemm(cublasHandle_t, cublasOperation_t op_a,
                           cublasOperation_t op_b, int m, int n, int k,
                           const float *alpha, const float *a, int lda,
                           const float *b, int ldb, const float *beta, float *c,
                           int ldc) {
  // With the columns of op(a) dense, the innermost loop adds a multiple of one
  // to a column of c: it vectorises, and the order of the sums is fixed.
  std::vector<float> columns(static_cast<std::size_t>(m) * k);
  for (long p = 0; p < k; ++p)
    for (long i = 0; i < m; ++i)
      columns[p * m + i] =
          op_a == CUBLAS_OP_N ? a[p * lda + i] : a[i * lda + p];
  for (long j = 0; j < n; ++j) {
    float *out = c + j * ldc;
    for (long i = 0; i < m; ++i)
      out[i] = *beta == 0 ? 0 : *beta * out[i];
    for (long p = 0; p < k; ++p) {
      const float factor =
          *alpha * (op_b == CUBLAS_OP_N ? b[j * ldb + p] : b[p * ldb + j]);
      const float *column = columns.data() + p * m;
      for (long i = 0; i < m; ++i)
        out[i] += factor * column[i];
    }
  }
  return CUBLAS_STATUS_SUCCESS;
}
