// CUDA code with no toolkit at all, and the same with one that Clang only half
// knows.
// RUN: clang++-22 %cuda-without-toolkit -std=c++17 -Wall -Wextra -Werror -fsyntax-only %s
// RUN: %if cuda %{ clang++-22 %cuda-with-toolkit -std=c++17 -Wno-unknown-cuda-version -fsyntax-only %s %}

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <nccl.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;
typedef __nv_bfloat16 floatX;

#define CEIL_DIV(M, N) (((M) + (N) - 1) / (N))
#define cudaCheck(err)                                                         \
  do {                                                                         \
    cudaError_t e = (err);                                                     \
    if (e != cudaSuccess) {                                                    \
      fprintf(stderr, "%s\n", cudaGetErrorString(e));                          \
      exit(EXIT_FAILURE);                                                      \
    }                                                                          \
  } while (0)

__constant__ float Scale[4];

struct alignas(16) Packed {
  floatX Payload[8];
};

__device__ inline float warpSum(float V) {
  for (int Offset = 16; Offset > 0; Offset /= 2)
    V += __shfl_xor_sync(0xFFFFFFFF, V, Offset);
  return V;
}

__global__ void __launch_bounds__(512, 2)
    softmax(floatX *Out, const floatX *__restrict__ In, int N, int C) {
  __shared__ float Shared[32];
  extern __shared__ unsigned char Dynamic[];
  const int Row = blockIdx.x * blockDim.y + threadIdx.y;
  if (Row >= N)
    return;
  float Max = -INFINITY, Sum = 0.0f;
  for (int I = threadIdx.x; I < C; I += blockDim.x)
    Max = fmaxf(Max, (float)__ldcs(In + Row * C + I));
  for (int I = threadIdx.x; I < C; I += blockDim.x)
    Sum += expf((float)In[Row * C + I] - Max) + __expf(0.0f);
  Shared[threadIdx.x / warpSize] = warpSum(Sum);
  __syncthreads();
  cg::thread_block Block = cg::this_thread_block();
  auto Warp = cg::tiled_partition<32>(Block);
  Sum = cg::reduce(Warp, Shared[Warp.thread_rank()], cg::plus<float>{});
  for (int I = threadIdx.x; I < C; I += blockDim.x)
    __stcs(Out + Row * C + I,
           (floatX)(expf((float)In[Row * C + I] - Max) / Sum * Scale[0]));
  if (Row == 0 && threadIdx.x == 0)
    atomicAdd((float *)Dynamic, rsqrtf(Sum) + max(C, 1) + min(1.0f, Sum));
}

template <typename T>
__global__ void adamw(T *P, const T *G, float *M, size_t N) {
  size_t I = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Grad = (float)G[I];
  M[I] = fmaf(0.9f, M[I], 0.1f * Grad);
  P[I] = (T)((float)P[I] - 1e-3f * M[I] / (sqrtf(M[I]) + 1e-8f));
  half H = __float2half(Grad);
  float4 F = make_float4(Grad, __half2float(H), 0, 0);
  if (__hadd(H, H) > H)
    printf("%f\n", F.x);
}

struct Trainer {
  ncclComm_t Comm;
  cudaStream_t Stream;
  cublasLtHandle_t Lt;
  int Ranks;
};

void step(Trainer *T, floatX *Acts, float *Grads, float *M, int N, int C) {
  nvtxRangePush("step");
  const int Block = 256;
  const int Grid = CEIL_DIV(N, Block);
  softmax<<<Grid, dim3(32, Block / 32), 4 * sizeof(float), T->Stream>>>(
      Acts, Acts, N, C);
  cudaCheck(cudaGetLastError());
  adamw<<<Grid, Block>>>(Grads, Grads, M, (size_t)N);
  void *Args[] = {&Grads, &Grads, &M, &N};
  cudaCheck(cudaLaunchKernel((const void *)adamw<float>, dim3(Grid),
                             dim3(Block), Args, 0, T->Stream));
  float *Buffer, *Host;
  cudaEvent_t Event;
  cudaCheck(cudaMalloc(&Buffer, N * sizeof(float)));
  cudaCheck(cudaMalloc((void **)&Buffer, N * sizeof(float)));
  cudaCheck(cudaMallocHost(&Host, max(N, 16) * sizeof(float)));
  cudaCheck(cudaMallocManaged(&Buffer, std::max(N, 16) * sizeof(float)));
  cudaCheck(cudaMemAdvise(Buffer, N, cudaMemAdviseSetPreferredLocation,
                          cudaCpuDeviceId));
  cudaCheck(cudaEventCreate(&Event));
  cudaCheck(cudaEventRecord(Event, T->Stream));
  cudaCheck(cudaStreamWaitEvent(T->Stream, Event, 0));
  cudaCheck(cudaMemcpyAsync(Host, Buffer, min(N, C) * sizeof(float),
                            cudaMemcpyDeviceToHost, T->Stream));
  cudaDeviceProp Prop;
  cudaCheck(cudaGetDeviceProperties(&Prop, 0));
  if (ncclGroupStart() != ncclSuccess ||
      ncclAllReduce(Grads, Grads, N, ncclFloat, ncclAvg, T->Comm, T->Stream) !=
          ncclSuccess ||
      ncclGroupEnd() != ncclSuccess)
    exit(EXIT_FAILURE);
  cublasHandle_t Blas;
  cublasCreate(&Blas);
  const float One = 1.0f, Zero = 0.0f;
  cublasGemmEx(Blas, CUBLAS_OP_T, CUBLAS_OP_N, N, N, C, &One, Acts, CUDA_R_16BF,
               C, Acts, CUDA_R_16BF, C, &Zero, Grads, CUDA_R_32F, N,
               CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  cublasLtMatmulDesc_t Desc;
  cublasLtMatmulDescCreate(&Desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  nvtxRangePop();
}
