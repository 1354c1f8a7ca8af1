//===- ProfileCases.h - What a profiler is told -----------------*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RUNTIME_CASES_PROFILECASES_H
#define SPMD_TEST_UNIT_RUNTIME_CASES_PROFILECASES_H

#include "TransitionCases.h"

#include <map>
#include <mutex>
#include <thread>

namespace spmd::test {

/// Writes down what each thread does: "1: all_reduce over tp of 2, 16 bytes,
/// train.cpp:3", and "1 ends".
class ProfileLog final : public Profiler {
public:
  std::uint64_t begin(const ProfiledCall &C) override;
  void end(std::uint64_t Begun) noexcept override;
  /// The calling thread's.
  std::vector<std::string> mine();

private:
  std::mutex Lock;
  std::map<std::thread::id, std::vector<std::string>> Lines;
  std::map<std::thread::id, std::uint64_t> Calls;
};

/// Installed while it lives.
struct Profiled {
  const std::shared_ptr<ProfileLog> Log = std::make_shared<ProfileLog>();
  const std::shared_ptr<Profiler> Before = set_profiler(Log);
  ~Profiled() { set_profiler(Before); }
};

/// Operators at once and started, on two ranks.
void checkProfile(Launcher &On);

} // namespace spmd::test

#endif // SPMD_TEST_UNIT_RUNTIME_CASES_PROFILECASES_H
