// Layers whose class data tell, as a configuration: what the methods of each
// class put on the stream of its cuBLAS or cuDNN handle is followed.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DWAITS %runtime-include 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- -DBY_EVENT %runtime-include 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- -DONE_STREAM %runtime-include 2>&1 | count 0

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <nccl.h>

#include <sstream>
#include <string>
#include <vector>

struct cudnnContext;
struct cudnnTensorStruct;
typedef cudnnContext *cudnnHandle_t;
typedef cudnnTensorStruct *cudnnTensorDescriptor_t;
enum cudnnStatus_t { CUDNN_STATUS_SUCCESS };
cudnnStatus_t cudnnCreate(cudnnHandle_t *);
cudnnStatus_t cudnnSetStream(cudnnHandle_t, cudaStream_t);
cudnnStatus_t cudnnGetSize(cudnnHandle_t, cudnnTensorDescriptor_t, size_t *);
cudnnStatus_t cudnnScaleTensor(cudnnHandle_t, cudnnTensorDescriptor_t, void *y, const void *alpha);
cudnnStatus_t cudnnAddTensor(cudnnHandle_t, const void *alpha, cudnnTensorDescriptor_t, const void *A, const void *beta,
                             cudnnTensorDescriptor_t, void *C);

struct Layer {
  int n;
  float *g, *sum;
  virtual void allocate() = 0;
  virtual void backward(const float *x) = 0;
  virtual int size() = 0;
};
struct Bias : Layer {
  cudnnHandle_t handle;
  cudnnTensorDescriptor_t of;
  Bias(int count, cudnnHandle_t h) {
    n = count;
    handle = h;
    size_t bytes;
    cudnnGetSize(handle, of, &bytes);
    for (int i = 0; i < 3; i++)
      n += i;
  }
  void allocate() {
    cudaMalloc(&g, n * sizeof(float));
    cudaMalloc(&sum, n * sizeof(float));
  }
  void backward(const float *x) {
    float one = 1, zero = 0;
    if (cudnnAddTensor(handle, &one, of, x, &zero, of, g) != CUDNN_STATUS_SUCCESS)
      exit(1);
  }
  int size() { return n; }
};
struct Dense : Layer {
  cublasHandle_t handle;
  Dense(int count, cublasHandle_t h) {
    n = count;
    handle = h;
  }
  void allocate() {
    cudaMalloc(&g, n * sizeof(float));
    cudaMalloc(&sum, n * sizeof(float));
  }
  void backward(const float *x) {
    float one = 1, zero = 0;
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, x, n, x, n, &zero, g, n);
  }
  int size() { return n; }
};
struct Relu : Layer {
  void allocate() {}
  void backward(const float *) {}
  int size() { return 0; }
};

struct Net {
  int num;
  Layer **layers;
  Net(std::vector<std::string> names, cudnnHandle_t dnn, cublasHandle_t blas) {
    num = names.size();
    layers = (Layer **)malloc(num * sizeof(Layer *));
    for (int i = 0; i < num; i++) {
      std::istringstream in(names[i]);
      std::string name;
      in >> name;
      int sizes[3], count = name == "bias" ? 3 : 1;
      for (int k = 0; k < count; k++)
        in >> sizes[k];
      if (name == "bias")
        layers[i] = new Bias(sizes[0], dnn);
      else if (name == "dense")
        layers[i] = new Dense(sizes[0], blas);
      else
        layers[i] = new Relu;
    }
  }
  Layer **get() { return layers; }
};

int main(int argc, char **argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  ncclCommInitRank(&comm, 1, id, 0);
  cudaStream_t compute, transfer;
  cudaStreamCreate(&compute);
#ifdef ONE_STREAM
  transfer = compute;
#else
  cudaStreamCreate(&transfer);
#endif
  cudaEvent_t ready;
  cudaEventCreate(&ready);
  cudnnHandle_t dnn;
  cublasHandle_t blas;
  cudnnCreate(&dnn);
  cublasCreate(&blas);
  cudnnSetStream(dnn, compute);
  cublasSetStream(blas, compute);
  Net *net = new Net({"bias 3", "relu", "dense 4", "relu", "dense 2"}, dnn, blas);
  Layer **layers = net->get();
  for (int i = 0; i < net->num; i++)
    layers[i]->allocate();
  float *x;
  cudaMalloc(&x, 64);
  for (int step = 0; step < 100; step++) {
    for (int i = net->num - 1; i >= 0; i--) {
      layers[i]->backward(x);
      if (layers[i]->size() > 0) {
#if defined(WAITS)
        cudaStreamSynchronize(compute);
#elif defined(BY_EVENT)
        cudaEventRecord(ready, compute);
        cudaStreamWaitEvent(transfer, ready, 0);
#endif
        // CHECK: [[#@LINE+2]]:9: error: 'g' is read by 'ncclAllReduce' while the 'cublasSgemm' of line {{[0-9]+}} may still write it: no event orders it behind 'compute' [spmd-async-hazard]
        // CHECK: [[#@LINE+1]]:9: error: 'g' is read by 'ncclAllReduce' while the 'cudnnAddTensor' of line {{[0-9]+}} may still write it: no event orders it behind 'compute' [spmd-async-hazard]
        ncclAllReduce(layers[i]->g, layers[i]->sum, layers[i]->size(), ncclFloat, ncclSum, comm, transfer);
      }
    }
    cudaStreamSynchronize(transfer);
  }
  ncclCommDestroy(comm);
}
