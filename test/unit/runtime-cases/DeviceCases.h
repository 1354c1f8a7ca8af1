//===- DeviceCases.h - Operators on memory of any kind ----------*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RUNTIME_CASES_DEVICECASES_H
#define SPMD_TEST_UNIT_RUNTIME_CASES_DEVICECASES_H

#include <spmd/spmd.h>

#include <functional>

namespace spmd::test {

/// From and to buffers of eight floats, on a mesh of one axis, "dp", of two
/// ranks.
struct DeviceCase {
  const char *Name;
  std::function<void(const Mesh &, const View &In, const View &Out)> Run;
};

/// Every operator: packed and strided ones, uneven parts, started and local
/// ones, redistributions.
const std::vector<DeviceCase> &deviceCases();

/// The operand of a rank, another one each of so many \p Times.
std::vector<float> operandOf(int Rank, int Times);

/// What the ranks of run_local get, each of its operand.
std::vector<std::vector<float>> onHost(const DeviceCase &C, int Times);

} // namespace spmd::test

#endif // SPMD_TEST_UNIT_RUNTIME_CASES_DEVICECASES_H
