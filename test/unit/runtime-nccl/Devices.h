//===- Devices.h - Threads as ranks with a device each ----------*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RUNTIME_NCCL_DEVICES_H
#define SPMD_TEST_UNIT_RUNTIME_NCCL_DEVICES_H

#include "StandIn.h"

#include <spmd/nccl.h>
#include <spmd/spmd.h>

#include <functional>
#include <vector>

namespace spmd::test {

/// Runs \p Body as \p N ranks, whose meshes are connected by nccl_backend, each
/// on a stream of its own. What the stand-in has complained about fails the
/// test.
void onDevices(int N, const std::function<void(int Rank, cudaStream_t)> &Body);

/// A buffer of a device, filled and read through a stream.
class DeviceBuffer {
public:
  DeviceBuffer(cudaStream_t On, const std::vector<float> &Of);
  ~DeviceBuffer();
  DeviceBuffer(const DeviceBuffer &) = delete;
  DeviceBuffer &operator=(const DeviceBuffer &) = delete;

  View view(const Shape &As) const { return View(Data, As); }
  /// Waits for the stream.
  std::vector<float> values() const;

private:
  cudaStream_t On;
  float *Data = nullptr;
  std::size_t Count;
};

} // namespace spmd::test

#endif // SPMD_TEST_UNIT_RUNTIME_NCCL_DEVICES_H
