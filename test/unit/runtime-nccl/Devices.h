//===- Devices.h - Threads as ranks with a device each ----------*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RUNTIME_NCCL_DEVICES_H
#define SPMD_TEST_UNIT_RUNTIME_NCCL_DEVICES_H

#include "DeviceBuffer.h"
#include "StandIn.h"

#include <spmd/nccl.h>
#include <spmd/spmd.h>

#include <functional>

namespace spmd::test {

/// Runs \p Body as \p N ranks, whose meshes are connected by nccl_backend, each
/// on a stream of its own. What the stand-in has complained about fails the
/// test.
void onDevices(int N, const std::function<void(int Rank, cudaStream_t)> &Body);

} // namespace spmd::test

#endif // SPMD_TEST_UNIT_RUNTIME_NCCL_DEVICES_H
