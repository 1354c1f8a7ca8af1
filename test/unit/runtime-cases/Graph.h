//===- Graph.h - Work of a stream, captured ---------------------*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RUNTIME_CASES_GRAPH_H
#define SPMD_TEST_UNIT_RUNTIME_CASES_GRAPH_H

#include <cuda_runtime_api.h>

namespace spmd::test {

/// What \p Body puts on \p On, to be run again.
class Graph {
public:
  template <class Fn> Graph(cudaStream_t On, Fn Body) : On(On) {
    cudaStreamBeginCapture(On, cudaStreamCaptureModeGlobal);
    Body();
    Result = cudaStreamEndCapture(On, &Captured);
    if (Result == cudaSuccess)
      cudaGraphInstantiate(&Ready, Captured, 0);
  }
  ~Graph() {
    if (Ready)
      cudaGraphExecDestroy(Ready);
    if (Captured)
      cudaGraphDestroy(Captured);
  }
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
  void replay() const { cudaGraphLaunch(Ready, On); }

  cudaError_t Result;

private:
  const cudaStream_t On;
  cudaGraph_t Captured = nullptr;
  cudaGraphExec_t Ready = nullptr;
};

} // namespace spmd::test

#endif // SPMD_TEST_UNIT_RUNTIME_CASES_GRAPH_H
