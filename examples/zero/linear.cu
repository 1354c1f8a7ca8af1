// cuBLAS is column-major: it sees every row-major matrix transposed.

#include "layers.h"

namespace zero {
namespace {

constexpr float one = 1, none = 0;

__global__ void add_to_rows(float *out, const float *bias, int rows, int outs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * outs)
    out[i] += bias[i % outs];
}

/// One thread per column.
__global__ void sum_rows(float *dbias, const float *dout, int rows, int outs) {
  const int o = blockIdx.x * blockDim.x + threadIdx.x;
  if (o >= outs)
    return;
  float sum = 0;
  for (int row = 0; row < rows; ++row)
    sum += dout[row * outs + o];
  dbias[o] += sum;
}

} // namespace

void linear_forward(float *out, const float *in, const float *weight, int rows,
                    int ins, int outs, Launch on) {
  CUBLASCHECK(cublasSgemm(on.blas, CUBLAS_OP_T, CUBLAS_OP_N, outs, rows, ins,
                          &one, weight, ins, in, ins, &none, out, outs));
}

void add_bias(float *out, const float *bias, int rows, int outs, Launch on) {
  add_to_rows<<<blocks_for(rows * outs), threads, 0, on.stream>>>(out, bias,
                                                                  rows, outs);
  CUDACHECK(cudaGetLastError());
}

void linear_backward_input(float *din, const float *dout, const float *weight,
                           int rows, int ins, int outs, Launch on) {
  CUBLASCHECK(cublasSgemm(on.blas, CUBLAS_OP_N, CUBLAS_OP_N, ins, rows, outs,
                          &one, weight, ins, dout, outs, &none, din, ins));
}

void linear_backward_weight(float *dweight, const float *dout, const float *in,
                            int rows, int ins, int outs, Launch on) {
  CUBLASCHECK(cublasSgemm(on.blas, CUBLAS_OP_N, CUBLAS_OP_T, ins, outs, rows,
                          &one, in, ins, dout, outs, &one, dweight, ins));
}

void bias_backward(float *dbias, const float *dout, int rows, int outs,
                   Launch on) {
  sum_rows<<<blocks_for(outs), threads, 0, on.stream>>>(dbias, dout, rows,
                                                        outs);
  CUDACHECK(cudaGetLastError());
}

} // namespace zero
