// What SPMD_CHECK=1 compares of a device's memory; skipped without it.

#include "Devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using spmd::Axis;
using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::test::DeviceBuffer;
using spmd::test::onDevices;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Checked : public ::testing::Test {
protected:
  void SetUp() override {
    if (!spmd::detail::checksCalls())
      GTEST_SKIP() << "SPMD_CHECK is not set";
  }
};

// Hashes come to the host, and nothing else.
TEST_F(Checked, ValuesStayOnTheDevice) {
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    const DeviceBuffer X(Stream, std::vector<float>(10000, 1));
    if (Rank == 0)
      spmd::standin::downloaded();
    spmd::barrier(A);
    all_reduce(X.view({10000}), A, P, R);
    EXPECT_LT(spmd::standin::downloaded(), 2000u);
  });
}

TEST_F(Checked, WhatDiffersIsFound) {
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    std::vector<float> Of(1000, 1);
    Of[999] = static_cast<float>(Rank);
    const DeviceBuffer X(Stream, Of);
    EXPECT_THAT([&] { convert(X.view({1000}), A, R, P); },
                ThrowsMessage<spmd::Error>(
                    HasSubstr("the operand is typed R, but differs between "
                              "rank 0 and rank 1")));
  });
}

} // namespace
