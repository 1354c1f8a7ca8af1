#include "ProfileCases.h"

#include <gtest/gtest.h>

namespace spmd::test {

std::uint64_t ProfileLog::begin(const ProfiledCall &C) {
  const std::lock_guard<std::mutex> Held(Lock);
  const std::uint64_t Number = ++Calls[std::this_thread::get_id()];
  Lines[std::this_thread::get_id()].push_back(
      std::to_string(Number) + ": " + C.Operator + " over " + C.Axis + " of " +
      std::to_string(C.Ranks) + ", " + std::to_string(C.Bytes) + " bytes, " +
      C.At.File + ":" + std::to_string(C.At.Line));
  return Number;
}

void ProfileLog::end(std::uint64_t Begun) noexcept {
  const std::lock_guard<std::mutex> Held(Lock);
  Lines[std::this_thread::get_id()].push_back(std::to_string(Begun) + " ends");
}

std::vector<std::string> ProfileLog::mine() {
  const std::lock_guard<std::mutex> Held(Lock);
  return Lines[std::this_thread::get_id()];
}

void checkProfile(Launcher &On) {
  const Profiled By;
  On.run(2, [&](const Axis &A) {
    Memory &M = A.memory();
    const auto X = M.allocate(16), Y = M.allocate(16);
    M.zero(X.get(), 16);
    all_reduce_mean(View(X.get(), DType::F32, {4}), A, P, R, {"train.cpp", 3});
    Work All = all_gather_async(View(X.get(), DType::F32, {2}),
                                View(Y.get(), DType::F32, {4}), A, S(0), R,
                                {"train.cpp", 4});
    barrier(A, {"train.cpp", 5});
    All.wait();
    const std::string Over = " over " + A.name() + " of 2, ";
    EXPECT_EQ(
        (std::vector<std::string>{
            "1: all_reduce_mean" + Over + "16 bytes, train.cpp:3", "1 ends",
            "2: all_gather" + Over + "8 bytes, train.cpp:4",
            "3: barrier" + Over + "0 bytes, train.cpp:5", "3 ends", "2 ends"}),
        By.Log->mine());
  });
}

} // namespace spmd::test
