// Two Gloo process groups of one process, a thread each: every operator against
// the group's own call.

#include "Pairs.h"

#include <spmd/torch.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <thread>

using namespace spmd;
using namespace spmd::bench;

namespace {

/// A group whose calls end at once, so that what is left is the layer above:
/// two calls of a Gloo group differ by more, as its threads are woken.
class Nothing final : public c10d::ProcessGroup {
public:
  Nothing() : ProcessGroup(0, 2) {}
  const std::string getBackendName() const override { return "gloo"; }
  c10::intrusive_ptr<c10d::Work>
  allreduce(std::vector<at::Tensor> &,
            const c10d::AllreduceOptions &) override {
    return ended();
  }
  c10::intrusive_ptr<c10d::Work>
  allgather(std::vector<std::vector<at::Tensor>> &, std::vector<at::Tensor> &,
            const c10d::AllgatherOptions &) override {
    return ended();
  }
  c10::intrusive_ptr<c10d::Work>
  alltoall_base(at::Tensor &, at::Tensor &, std::vector<std::int64_t> &,
                std::vector<std::int64_t> &,
                const c10d::AllToAllOptions &) override {
    return ended();
  }

private:
  struct Ended final : c10d::Work {
    bool wait(std::chrono::milliseconds) override { return true; }
  };
  static c10::intrusive_ptr<c10d::Work> ended() {
    return c10::make_intrusive<Ended>();
  }
};

/// Every operator against the group's own call.
template <class Align>
void compare(const char *Against, c10d::ProcessGroup &Group, const Axis &A,
             long Bytes, bool Prints, Align Together) {
  const auto Row = [&](const char *What, auto Direct, auto Ours) {
    const Pair P = pairs(Effort(Bytes), Together, Direct, Ours);
    if (Prints)
      print(Against, What, Bytes, P);
  };
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
}

void layer() {
  const auto Group = c10::make_intrusive<Nothing>();
  const Axis A = c10::intrusive_ptr<c10d::ProcessGroup>(Group);
  compare("no group", *Group, A, 1 << 10, true, [] {});
}

void rank(int Rank, const c10::intrusive_ptr<c10d::Store> &Store) {
  const auto Options = c10d::ProcessGroupGloo::Options::create();
  Options->devices.push_back(
      c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  const c10::intrusive_ptr<c10d::ProcessGroup> Group =
      c10::make_intrusive<c10d::ProcessGroupGloo>(Store, Rank, 2, Options);
  const Axis A = Group;
  const auto Together = [&] { Group->barrier()->wait(); };
  for (const long Bytes : Sizes) {
    compare("gloo", *Group, A, Bytes, Rank == 0, Together);
    std::vector<at::Tensor> X = {torch::ones({Bytes / 4})};
    const auto Sum = [&] { Group->allreduce(X)->wait(); };
    const Pair Itself = pairs(Effort(Bytes), Together, Sum, Sum);
    if (Rank == 0)
      print("itself", "all_reduce of Gloo", Bytes, Itself);
  }
}

} // namespace

int main() {
  layer();
  const auto Store = c10::make_intrusive<c10d::HashStore>();
  std::thread Other(rank, 1, Store);
  rank(0, Store);
  Other.join();
}
