// CBLAS computes as cuBLAS does, without a handle.
// RUN: %spmd-tidy --quiet %s -- -isystem %stubs-dir 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
enum CBLAS_LAYOUT { CblasRowMajor = 101 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112 };
void cblas_sgemm(enum CBLAS_LAYOUT, enum CBLAS_TRANSPOSE, enum CBLAS_TRANSPOSE, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
void cblas_sgemv(enum CBLAS_LAYOUT, enum CBLAS_TRANSPOSE, int m, int n, float alpha, const float *a, int lda,
                 const float *x, int incx, float beta, float *y, int incy);
void cblas_sger(enum CBLAS_LAYOUT, int m, int n, float alpha, const float *x, int incx, const float *y, int incy,
                float *a, int lda);
void cblas_saxpy(int n, float alpha, const float *x, int incx, float *y, int incy);
void cblas_sscal(int n, float alpha, float *x, int incx);
void cblas_scopy(int n, const float *x, int incx, float *y, int incy);
float cblas_sdot(int n, const float *x, int incx, const float *y, int incy);
float cblas_snrm2(int n, const float *x, int incx);

#define GIVEN [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] const float *x, int n
#ifdef WRONG
#define SUM(g)
#else
#define SUM(g) MPI_Allreduce(MPI_IN_PLACE, g, n * n, MPI_FLOAT, MPI_SUM, comm)
#endif
void product(GIVEN, [[spmd::type("dp: R")]] float *w, float *y, float *g) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f, x, n, w, n, 0.0f, y, n);
  cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, n, 1.0f, x, n, y, n, 0.0f, g, n);
  SUM(g);
  cblas_sscal(n * n, 0.5f, g, 1);
  // CHECK: [[#@LINE+1]]:3: error: parameter 'w' on exit must be R on 'dp', but 'w' is V: the ranks hold different values
  cblas_saxpy(n * n, -0.1f, g, 1, w, 1);
}
void vector(GIVEN, [[spmd::type("dp: R")]] float *w, float *y, float *g) {
  cblas_sgemv(CblasRowMajor, CblasNoTrans, n, n, 1.0f, w, n, x, 1, 0.0f, y, 1);
  cblas_scopy(n * n, w, 1, g, 1);
  cblas_sscal(n * n, 0.0f, g, 1);
  cblas_sger(CblasRowMajor, n, n, cblas_sdot(n, x, 1, y, 1), y, 1, x, 1, g, n);
  SUM(g);
  // CHECK: [[#@LINE+1]]:3: error: parameter 'w' on exit must be R on 'dp', but 'w' is V: the ranks hold different values
  cblas_saxpy(n * n, -0.1f / (1 + cblas_snrm2(n * n, g, 1)), g, 1, w, 1);
}
