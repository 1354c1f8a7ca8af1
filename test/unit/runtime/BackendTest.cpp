// Backends of an integrator's own.

#include "Messages.h"

#include <spmd/spmd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

using spmd::Axis;
using spmd::Counts;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::View;
using spmd::test::messageOf;

namespace {

/// Another communicator, which may be slow.
class Around final : public spmd::Communicator {
public:
  Around(std::shared_ptr<Communicator> In, std::chrono::milliseconds Each)
      : In(std::move(In)), Each(Each) {}
  int size() const override { return In->size(); }
  int rank() const override { return In->rank(); }
  const char *kind() const override { return "around"; }
  bool averages() const override { return In->averages(); }
  void allReduce(const spmd::Call &C, const void *From, void *To,
                 std::int64_t Count) override {
    std::this_thread::sleep_for(Each);
    In->allReduce(C, From, To, Count);
  }
  void allGather(const spmd::Call &, const void *, void *,
                 const Counts &) override {
    throw std::runtime_error("the link is down");
  }
  void reduceScatter(const spmd::Call &, const void *, void *,
                     const Counts &) override {
    throw std::bad_alloc();
  }
  void allToAll(const spmd::Call &, const void *, const Counts &, void *,
                const Counts &) override {}

private:
  const std::shared_ptr<Communicator> In;
  const std::chrono::milliseconds Each;
};

using Connect =
    std::function<std::shared_ptr<spmd::Communicator>(const Axis &)>;

class Made final : public spmd::Backend {
public:
  explicit Made(Connect By) : By(std::move(By)) {}
  const char *name() const override { return "made"; }
  std::shared_ptr<spmd::Communicator> connect(const Axis &A) override {
    return By(A);
  }

private:
  const Connect By;
};

/// Installed for as long as it lives.
class Installed {
public:
  explicit Installed(Connect By)
      : Before(spmd::set_backend(std::make_shared<Made>(std::move(By)))) {}
  ~Installed() { spmd::set_backend(Before); }
  Installed(const Installed &) = delete;
  Installed &operator=(const Installed &) = delete;

private:
  const std::shared_ptr<spmd::Backend> Before;
};

Connect around(std::chrono::milliseconds Each = {}) {
  return [Local = spmd::backend(), Each](const Axis &A) {
    return std::make_shared<Around>(Local->connect(A), Each);
  };
}

Axis tp(int Rank) { return spmd::Mesh({{"tp", 2}}, Rank).axis("tp"); }

TEST(OwnBackend, WhatIsStartedEndsOnTheOneItWasStartedOn) {
  const Installed First(around(std::chrono::milliseconds(50)));
  std::atomic<int> Started{0};
  spmd::run_local(2, [&](int Rank) {
    const Axis A = tp(Rank);
    std::vector<float> X(4000, 1), Y(3, 2);
    spmd::Work Sum = all_reduce_mean_async(View(X.data(), {4000}), A, P, R);
    ++Started;
    while (Started.load() < 2)
      std::this_thread::yield();
    spmd::set_backend(nullptr);
    all_reduce(View(Y.data(), {3}), A, P, R);
    Sum.wait();
    EXPECT_EQ(1, X[3999]);
    EXPECT_EQ(4, Y[2]);
  });
}

TEST(OwnBackend, WhatItThrowsGetsTheCall) {
  const Installed Own(around());
  spmd::run_local(2, [](int Rank) {
    float X[2] = {}, Y[4] = {};
    const Axis A = tp(Rank);
    const std::string Text = "train.cpp:5: spmd::all_gather(S(0) -> R) of "
                             "f32[2] over axis 'tp' of 2 ranks: the link is "
                             "down";
    EXPECT_EQ(Text, messageOf([&] {
                all_gather(View(X, {2}), View(Y, {4}), A, S(0), R,
                           {"train.cpp", 5});
              }));
    EXPECT_EQ(Text, messageOf([&] {
                all_gather_async(View(X, {2}), View(Y, {4}), A, S(0), R,
                                 {"train.cpp", 5})
                    .wait();
              }));
    EXPECT_EQ("train.cpp:6: spmd::reduce_scatter(P -> S(0)) of f32[2] over "
              "axis 'tp' of 2 ranks: no memory is left for what the operator "
              "needs beside its buffers",
              messageOf([&] {
                reduce_scatter(View(X, {2}), View(Y, {1}), A, P, S(0),
                               {"train.cpp", 6});
              }));
  });
}

TEST(OwnBackend, WhatCannotBeConnectedGetsTheCall) {
  const auto Message = [](const Connect &By) {
    const Installed Own(By);
    float X[2] = {};
    return messageOf(
        [&] { all_reduce(View(X, {2}), tp(0), P, R, {"train.cpp", 5}); });
  };
  const std::string Call =
      "train.cpp:5: spmd::all_reduce(P -> R) of f32[2] over "
      "axis 'tp' of 2 ranks: ";
  EXPECT_EQ(Call + "no communicator: the backend 'made' gave none",
            Message([](const Axis &) { return nullptr; }));
  EXPECT_EQ(Call + "no route",
            Message([](const Axis &) -> std::shared_ptr<spmd::Communicator> {
              throw std::runtime_error("no route");
            }));
}

} // namespace
