// Stand-in for cooperative groups.
#pragma once

#include "cuda_runtime.h"

namespace cooperative_groups {

struct thread_group {
  __device__ void sync() const;
  __device__ unsigned size() const;
  __device__ unsigned num_threads() const;
  __device__ unsigned thread_rank() const;
};
struct thread_block : thread_group {
  __device__ dim3 group_index() const;
  __device__ dim3 thread_index() const;
  __device__ dim3 group_dim() const;
};
struct grid_group : thread_group {
  __device__ bool is_valid() const;
};
template <unsigned N, class Parent = void>
struct thread_block_tile : thread_group {
  thread_block_tile() = default;
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<N, Other> &);
  __device__ unsigned meta_group_size() const;
  __device__ unsigned meta_group_rank() const;
  template <class T> __device__ T shfl(T v, int lane) const;
  template <class T> __device__ T shfl_down(T v, unsigned delta) const;
  template <class T> __device__ T shfl_up(T v, unsigned delta) const;
  template <class T> __device__ T shfl_xor(T v, unsigned mask) const;
  __device__ int any(int predicate) const;
  __device__ int all(int predicate) const;
  __device__ unsigned ballot(int predicate) const;
};
__device__ thread_block this_thread_block();
__device__ grid_group this_grid();
template <unsigned N, class Group>
__device__ thread_block_tile<N, Group> tiled_partition(const Group &group);
template <class Group> __device__ void sync(const Group &group);

template <class T> struct plus {
  __host__ __device__ T operator()(T a, T b) const;
};
template <class T> struct greater {
  __host__ __device__ T operator()(T a, T b) const;
};
template <class T> struct less {
  __host__ __device__ T operator()(T a, T b) const;
};
template <class Group, class T, class Op>
__device__ T reduce(const Group &group, T value, Op &&op);
template <class Group, class T>
__device__ T inclusive_scan(const Group &group, T value);
template <class Group, class T>
__device__ T exclusive_scan(const Group &group, T value);
template <class Group>
__device__ void memcpy_async(const Group &group, void *to, const void *from,
                             size_t bytes);
template <class Group> __device__ void wait(const Group &group);

} // namespace cooperative_groups
