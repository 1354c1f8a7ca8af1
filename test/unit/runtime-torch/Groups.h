//===- Groups.h - Gloo process groups of threads ----------------*- C++ -*-===//

#ifndef SPMD_TEST_RUNTIMETORCH_GROUPS_H
#define SPMD_TEST_RUNTIMETORCH_GROUPS_H

#include <spmd/c10d.h>
#include <spmd/torch.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <functional>
#include <thread>

namespace spmd::test {

/// A group of \p N threads over the loopback device, kept for all cases: to
/// connect takes longer than to run them.
class Groups {
public:
  explicit Groups(int N,
                  std::chrono::milliseconds Timeout = std::chrono::seconds(60))
      : Axes(static_cast<std::size_t>(N)) {
    const auto Store = c10::make_intrusive<c10d::HashStore>();
    each([&](std::size_t Rank) {
      const auto Options = c10d::ProcessGroupGloo::Options::create();
      Options->timeout = Timeout;
      Options->devices.push_back(
          c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
      Axes[Rank] = c10::intrusive_ptr<c10d::ProcessGroup>(
          c10::make_intrusive<c10d::ProcessGroupGloo>(
              Store, static_cast<int>(Rank), static_cast<int>(Axes.size()),
              Options));
    });
  }

  void run(const std::function<void(const Axis &)> &Body) {
    each([&](std::size_t Rank) { Body(Axes[Rank]); });
  }

private:
  void each(const std::function<void(std::size_t)> &Body) {
    std::vector<std::thread> Threads;
    for (std::size_t Rank = 0; Rank < Axes.size(); ++Rank)
      Threads.emplace_back([&Body, Rank] { Body(Rank); });
    for (std::thread &T : Threads)
      T.join();
  }

  std::vector<Axis> Axes;
};

} // namespace spmd::test

#endif // SPMD_TEST_RUNTIMETORCH_GROUPS_H
