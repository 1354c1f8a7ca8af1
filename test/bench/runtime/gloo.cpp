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

void rank(int Rank, const c10::intrusive_ptr<c10d::Store> &Store) {
  const auto Options = c10d::ProcessGroupGloo::Options::create();
  Options->devices.push_back(
      c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  const c10::intrusive_ptr<c10d::ProcessGroup> Group =
      c10::make_intrusive<c10d::ProcessGroupGloo>(Store, Rank, 2, Options);
  const Axis A = Group;
  for (const long Bytes : Sizes) {
    const auto compare = [&](const char *What, auto Direct, auto Ours) {
      const auto Align = [&] { Group->barrier()->wait(); };
      const Pair P = pairs(Effort(Bytes), Align, Direct, Ours);
      if (Rank == 0)
        print("gloo", What, Bytes, P);
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
    compare(
        "all_reduce", [&] { Group->allreduce(X)->wait(); },
        [&] { all_reduce(In, A, P, R); });
    compare(
        "all_gather", [&] { Group->allgather(Parts, Part)->wait(); },
        [&] { all_gather(InPart, Out, A, S(0), R); });
    const View Stack(In.data(), DType::F32, {2, Whole / 2});
    const View Exchanged(Out.data(), DType::F32, {2, Whole / 2});
    compare(
        "all_to_all",
        [&] {
          std::vector<std::int64_t> Splits = {Whole / 2, Whole / 2};
          Group->alltoall_base(Y, X[0], Splits, Splits)->wait();
        },
        [&] { all_to_all(Stack, Exchanged, A, V, V); });
  }
}

} // namespace

int main() {
  const auto Store = c10::make_intrusive<c10d::HashStore>();
  std::thread Other(rank, 1, Store);
  rank(0, Store);
  Other.join();
}
