// Two processes with a Gloo group: every operator against the group's own call,
// and what the layer takes around that call.

#include "Pairs.h"

#include <spmd/async.h>
#include <spmd/torch.h>

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <sys/wait.h>
#include <unistd.h>

using namespace spmd;
using namespace spmd::bench;

namespace {

using Clock = std::chrono::steady_clock;

/// A group that notes when another's functions are called and when they are
/// done: two calls of Gloo differ by more than the layer takes, as threads are
/// woken, so that is seen best from within one. Cold as it is after a wait.
class Watched final : public c10d::ProcessGroup {
public:
  explicit Watched(c10::intrusive_ptr<c10d::ProcessGroup> Of)
      : ProcessGroup(Of->getRank(), Of->getSize()), Of(std::move(Of)) {}

  /// Microseconds of \p Do before the group is called, and after it is done.
  template <class Fn> double around(Fn Do) {
    const Clock::time_point Begin = Clock::now();
    Do();
    const Clock::time_point End = Clock::now();
    return std::chrono::duration<double, std::micro>(Called - Begin).count() +
           std::chrono::duration<double, std::micro>(End - Ending->Done)
               .count();
  }

  const std::string getBackendName() const override { return "gloo"; }
  c10::intrusive_ptr<c10d::Work>
  allreduce(std::vector<at::Tensor> &X,
            const c10d::AllreduceOptions &Options) override {
    return watched([&] { return Of->allreduce(X, Options); });
  }
  c10::intrusive_ptr<c10d::Work>
  allgather(std::vector<std::vector<at::Tensor>> &Y, std::vector<at::Tensor> &X,
            const c10d::AllgatherOptions &Options) override {
    return watched([&] { return Of->allgather(Y, X, Options); });
  }
  c10::intrusive_ptr<c10d::Work>
  alltoall_base(at::Tensor &Y, at::Tensor &X, std::vector<std::int64_t> &Into,
                std::vector<std::int64_t> &From,
                const c10d::AllToAllOptions &Options) override {
    return watched(
        [&] { return Of->alltoall_base(Y, X, Into, From, Options); });
  }

private:
  /// One at a time, so the same again and again.
  struct WatchedWork final : c10d::Work {
    bool isCompleted() override {
      const bool Whether = Of->isCompleted();
      if (Whether && !Seen) {
        Seen = true;
        Done = Clock::now();
      }
      return Whether;
    }
    bool wait(std::chrono::milliseconds Limit) override {
      const bool Whether = Of->wait(Limit);
      if (!std::exchange(Seen, false))
        Done = Clock::now();
      return Whether;
    }
    c10::intrusive_ptr<c10d::Work> Of;
    Clock::time_point Done; ///< When it was seen to be done, first.
    bool Seen = false;
  };
  template <class Fn> c10::intrusive_ptr<c10d::Work> watched(Fn Begin) {
    Called = Clock::now();
    Ending->Of = Begin();
    return Ending;
  }

  const c10::intrusive_ptr<c10d::ProcessGroup> Of;
  const c10::intrusive_ptr<WatchedWork> Ending =
      c10::make_intrusive<WatchedWork>();
  Clock::time_point Called;
};

/// Every operator against the group's own call.
/// \p Row measures and prints.
template <class Fn>
void compare(c10d::ProcessGroup &Group, const Axis &A, long Bytes, Fn Row) {
  const long Whole = Bytes / 4;
  std::vector<at::Tensor> X = {torch::ones({Whole})};
  std::vector<at::Tensor> Part = {X[0].narrow(0, 0, Whole / 2)};
  at::Tensor Y = torch::empty({Whole});
  std::vector<std::vector<at::Tensor>> Parts = {
      {Y.narrow(0, 0, Whole / 2), Y.narrow(0, Whole / 2, Whole / 2)}};
  const View In = spmd::detail::viewOf(X[0]),
             InPart = spmd::detail::viewOf(Part[0]);
  const View Out = spmd::detail::viewOf(Y);
  Row(
      "all_reduce", [&] { Group.allreduce(X)->wait(); },
      [&] { all_reduce(In, A, P, R); });
  Row(
      "all_gather", [&] { Group.allgather(Parts, Part)->wait(); },
      [&] { all_gather(InPart, Out, A, S(0), R); });
  const View Stack(In.data(), DType::F32, {2, Whole / 2});
  const View Exchanged(Out.data(), DType::F32, {2, Whole / 2});
  Row(
      "all_to_all",
      [&] {
        std::vector<std::int64_t> Splits = {Whole / 2, Whole / 2};
        Group.alltoall_base(Y, X[0], Splits, Splits)->wait();
      },
      [&] { all_to_all(Stack, Exchanged, A, V, V); });
  Row(
      "all_reduce_async", [&] { Group.allreduce(X)->wait(); },
      [&] { all_reduce_async(In, A, P, R).wait(); });
}

/// The median of what both take around the group's call, and of how much they
/// differ from call to call.
template <class D, class O> Pair around(Watched &Group, D Direct, O Ours) {
  constexpr int Calls = 2000;
  std::vector<double> Directs, Times;
  for (int Call = -100; Call < Calls; ++Call) {
    const double One = Group.around(Direct), Other = Group.around(Ours);
    if (Call < 0) // warm-up
      continue;
    Directs.push_back(One);
    Times.push_back(Other);
  }
  return pairOf(Directs, Times, 0);
}

void rank(int Rank, const c10::intrusive_ptr<c10d::Store> &Store) {
  const auto Options = c10d::ProcessGroupGloo::Options::create();
  Options->devices.push_back(
      c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  const c10::intrusive_ptr<c10d::ProcessGroup> Group =
      c10::make_intrusive<c10d::ProcessGroupGloo>(Store, Rank, 2, Options);
  const auto Row = [Rank](const char *Against, const char *What, long Bytes,
                          const Pair &P) {
    if (Rank == 0)
      print(Against, What, Bytes, P);
  };
  const auto Watch = c10::make_intrusive<Watched>(Group);
  compare(*Watch, c10::intrusive_ptr<c10d::ProcessGroup>(Watch), Sizes[0],
          [&](const char *What, auto Direct, auto Ours) {
            Row("around", What, Sizes[0], around(*Watch, Direct, Ours));
          });
  const auto Together = [&] { Group->barrier()->wait(); };
  for (const long Bytes : Sizes) {
    Effort E(Bytes);
    // Threads are woken in every call, so times vary more than those of MPI.
    E.Samples *= Bytes <= 1 << 24 ? 5 : 2;
    compare(*Group, Group, Bytes,
            [&](const char *What, auto Direct, auto Ours) {
              Row("gloo", What, Bytes, pairs(E, Together, Direct, Ours));
            });
    std::vector<at::Tensor> X = {torch::ones({Bytes / 4})};
    const auto Sum = [&] { Group->allreduce(X)->wait(); };
    Row("itself", "all_reduce of Gloo", Bytes, pairs(E, Together, Sum, Sum));
  }
}

} // namespace

int main() {
  // Before there are threads.
  char File[] = "/tmp/runtime-bench-XXXXXX";
  close(mkstemp(File));
  const pid_t Other = fork();
  rank(Other ? 0 : 1, c10::make_intrusive<c10d::FileStore>(File, 2));
  if (!Other)
    return 0;
  int Status = 0;
  waitpid(Other, &Status, 0);
  unlink(File);
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 1;
}
