// What Clang's CUDA wrapper lacks when it sees a toolkit newer than it knows,
// or in the host half of a translation unit: included by force, with a real
// toolkit as with none. Templates throughout: a real declaration wins.
#pragma once

#ifdef __CUDA__

#include <time.h>

namespace spmd_cuda_gaps {
template <bool> struct If {};
template <> struct If<true> {
  typedef int Yes;
};
} // namespace spmd_cuda_gaps

// nvcc has min and max of numbers on the host too.
#ifdef __CLANG_CUDA_RUNTIME_WRAPPER_H__
#define SPMD_GAP_SIDES __attribute__((host))
#else
#define SPMD_GAP_SIDES __attribute__((host)) __attribute__((device))
#endif
template <class A, class B,
          typename spmd_cuda_gaps::If<__is_arithmetic(A) &&
                                      __is_arithmetic(B)>::Yes = 0>
SPMD_GAP_SIDES constexpr decltype(true ? A() : B()) min(A a, B b) {
  return b < a ? b : a;
}
template <class A, class B,
          typename spmd_cuda_gaps::If<__is_arithmetic(A) &&
                                      __is_arithmetic(B)>::Yes = 0>
SPMD_GAP_SIDES constexpr decltype(true ? A() : B()) max(A a, B b) {
  return a < b ? b : a;
}
#undef SPMD_GAP_SIDES

// The wrapper's are for the device only, the C library's are macros.
#ifdef __CLANG_CUDA_RUNTIME_WRAPPER_H__
#define SPMD_GAP_CLASSIFY(name)                                                \
  template <class T,                                                           \
            typename spmd_cuda_gaps::If<__is_same(T, float) ||                 \
                                        __is_same(T, double)>::Yes = 0>        \
  __attribute__((host)) constexpr bool name(T x) {                             \
    return __builtin_##name(x);                                                \
  }
SPMD_GAP_CLASSIFY(isfinite)
SPMD_GAP_CLASSIFY(isnan)
SPMD_GAP_CLASSIFY(isinf)
#undef SPMD_GAP_CLASSIFY
#endif

// Loads and stores with a cache hint.
#define SPMD_GAP_LOAD(name)                                                    \
  template <class T> __attribute__((device)) T name(const T *address);
SPMD_GAP_LOAD(__ldg)
SPMD_GAP_LOAD(__ldcs)
SPMD_GAP_LOAD(__ldca)
SPMD_GAP_LOAD(__ldcg)
SPMD_GAP_LOAD(__ldlu)
SPMD_GAP_LOAD(__ldcv)
#undef SPMD_GAP_LOAD
#define SPMD_GAP_STORE(name)                                                   \
  template <class T> __attribute__((device)) void name(T *address, T value);
SPMD_GAP_STORE(__stcs)
SPMD_GAP_STORE(__stcg)
SPMD_GAP_STORE(__stwb)
SPMD_GAP_STORE(__stwt)
#undef SPMD_GAP_STORE

// The signature of before CUDA 13, with a device number for a location.
#if defined(CUDART_VERSION) && CUDART_VERSION >= 13000
static inline cudaError_t cudaMemAdvise(const void *p, size_t count,
                                        cudaMemoryAdvise advice, int device) {
  cudaMemLocation Location = {};
  Location.type =
      device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  Location.id = device < 0 ? 0 : device;
  return cudaMemAdvise(p, count, advice, Location);
}
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t count,
                                               int device,
                                               cudaStream_t stream = 0) {
  cudaMemLocation Location = {};
  Location.type =
      device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  Location.id = device < 0 ? 0 : device;
  return cudaMemPrefetchAsync(p, count, Location, 0, stream);
}
#endif

#endif // __CUDA__
