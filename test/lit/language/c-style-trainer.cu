// A trainer in the style of raw-buffer C: structs of pointers, checking macros
// that end the program, stages chosen at run time, sums through managed memory.
// RUN: %spmd-tidy %s | count 0
// RUN: sed "/ reduce_grads(&model, &c);/d" %s > %t.cu
// RUN: not %spmd-tidy %t.cu -- %stubs 2>&1 | FileCheck %s --check-prefix=FORGOT
// FORGOT: error: 'g[i]' is P on 'dp' and another part of it on each rank{{.*}} [spmd-partial-product]
// RUN: sed "s/loss = multi_gpu_sum(model.mean_loss/loss = multi_gpu_sum(multi_gpu_sum(model.mean_loss, \&c, buf)/" %s > %t2.cu
// RUN: not %spmd-tidy %t2.cu -- %stubs 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: all_reduce on 'dp' takes V or P, but 'unified' is R or I{{.*}} [spmd-src-type]

#include <cuda_runtime.h>
#include <nccl.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CK(cmd) do { ncclResult_t r_ = cmd; if (r_ != ncclSuccess) { fprintf(stderr, "nccl %d\n", r_); exit(1); } } while (0)
#define CUDACHECK(cmd) do { cudaError_t e = cmd; if (e != cudaSuccess) exit(1); } while (0)
inline void ncclCheck(ncclResult_t r, const char *f, int l) { if (r != ncclSuccess) { printf("%s:%d %d\n", f, l, r); exit(1);} }
#define ncclCheck(x) (ncclCheck(x, __FILE__, __LINE__))

struct MultiGpu { [[spmd::type("dp: V")]] int rank; int num; [[spmd::axis("dp")]] ncclComm_t comm; cudaStream_t stream; int zero_stage; };
struct GPT2 {
  [[spmd::type("dp: R")]] float *params_memory;
  [[spmd::type("dp: P")]] float *grads_memory;
  [[spmd::type("dp: V")]] float *m_memory;
  [[spmd::type("dp: V")]] float *v_memory;
  [[spmd::type("dp: V")]] float mean_loss;
  size_t num_parameters, shard;
};
__global__ void adamw_kernel(float *p, float *g, float *m, float *v, size_t n, float lr, float b1, float b2, float scale) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float gr = g[i] * scale;
  m[i] = b1 * m[i] + (1 - b1) * gr;
  v[i] = b2 * v[i] + (1 - b2) * gr * gr;
  p[i] -= lr * m[i] / (sqrtf(v[i]) + 1e-8f);
}
__global__ void norm_kernel(float *out, const float *g, size_t n) {
  __shared__ float s[32];
  float acc = 0.f;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) acc += g[i] * g[i];
  s[threadIdx.x % 32] = acc;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, s[0]);
}
float multi_gpu_sum(float x, MultiGpu *c, float *unified) {
  *unified = x;
  ncclCheck(ncclAllReduce(unified, unified, sizeof(float), ncclFloat, ncclSum, c->comm, c->stream));
  CUDACHECK(cudaStreamSynchronize(c->stream));
  return *unified;
}
void reduce_grads(GPT2 *model, MultiGpu *c) {
  if (c->num == 1) return;
  ncclCheck(ncclGroupStart());
  if (c->zero_stage == 0) {
    ncclCheck(ncclAllReduce(model->grads_memory, model->grads_memory, model->num_parameters, ncclFloat, ncclAvg, c->comm, c->stream));
  } else if (c->zero_stage == 1) {
    float *dst = model->grads_memory + c->rank * model->shard;
    ncclCheck(ncclReduceScatter(model->grads_memory, dst, model->shard, ncclFloat, ncclAvg, c->comm, c->stream));
  }
  ncclCheck(ncclGroupEnd());
}
void gpt2_backward(GPT2 *model);
float gpt2_update(GPT2 *model, MultiGpu *c, float lr, int t, float *norm_buf) {
  size_t off = c->rank * model->shard;
  CUDACHECK(cudaMemset(norm_buf, 0, sizeof(float)));
  norm_kernel<<<32, 256>>>(norm_buf, model->grads_memory + off, model->shard);
  float sq;
  CUDACHECK(cudaMemcpy(&sq, norm_buf, sizeof(float), cudaMemcpyDeviceToHost));
  sq = multi_gpu_sum(sq, c, norm_buf);
  float norm = sqrtf(sq);
  float scale = norm > 1.0f ? 1.0f / norm : 1.0f;
  float *p = model->params_memory + off;
  adamw_kernel<<<32, 256, 0, c->stream>>>(p, model->grads_memory + off, model->m_memory, model->v_memory, model->shard, lr, 0.9f, 0.95f, scale);
  CK(ncclAllGather(p, model->params_memory, model->shard, ncclFloat, c->comm, c->stream));
  return norm;
}
int main(int argc, char **argv) {
  MultiGpu c; GPT2 model; float *buf;
  cudaMallocManaged(&buf, 4);
  for (int step = 0; step < 10; ++step) {
    cudaMemset(model.grads_memory, 0, model.num_parameters * sizeof(float));
    gpt2_backward(&model);
    reduce_grads(&model, &c);
    float loss = multi_gpu_sum(model.mean_loss, &c, buf) / c.num;
    float norm = gpt2_update(&model, &c, 1e-4f, step + 1, buf);
    printf("%d %f %f\n", step, loss, norm);
  }
}
