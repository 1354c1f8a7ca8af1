// Two threads as ranks: what the layer above a communicator costs, the sum
// against memcpy, and packing against memcpy.

#include "Pairs.h"

#include <spmd/spmd.h>

#include <cstring>

using namespace spmd;
using namespace spmd::bench;

namespace {

/// Moves nothing, so that what is left is the layer above.
struct Nothing final : Communicator {
  int size() const override { return 2; }
  int rank() const override { return 0; }
  const char *kind() const override { return "nothing"; }
  void allReduce(const Call &, const void *, void *, std::int64_t) override {}
  void allGather(const Call &, const void *, void *, const Counts &) override {}
  void reduceScatter(const Call &, const void *, void *,
                     const Counts &) override {}
  void allToAll(const Call &, const void *, const Counts &, void *,
                const Counts &) override {}
};

void layer() {
  const Axis A("tp", std::make_shared<Nothing>());
  float X[256] = {};
  const View In(X, {256});
  const Pair P = pairs(
      Effort(1 << 10), [] {}, [] {}, [&] { all_reduce(In, A, spmd::P, R); });
  print("nothing", "all_reduce", 1 << 10, P);
}

std::vector<float> buffer(long Bytes) {
  return std::vector<float>(static_cast<std::size_t>(Bytes) / 4, 1);
}

void sum(long Bytes) {
  run_local(2, [Bytes](int Rank) {
    const Axis A = Mesh({{"tp", 2}}, Rank).axis("tp");
    std::vector<float> X = buffer(Bytes), Y = X;
    float Token = 0;
    const View In(X.data(), {Bytes / 4}), Out(Y.data(), {Bytes / 4});
    const auto Copy = [&] {
      std::memcpy(Y.data(), X.data(), static_cast<std::size_t>(Bytes));
      asm volatile("" ::: "memory");
    };
    const auto Align = [&] { all_reduce(View(&Token, {}), A, P, R); };
    const Pair Sum = pairs(Effort(Bytes), Align, Copy,
                           [&] { all_reduce(In, Out, A, P, R); });
    const Pair InPlace =
        pairs(Effort(Bytes), Align, Copy, [&] { all_reduce(In, A, P, R); });
    const Pair Waited = pairs(Effort(Bytes), Align, Copy, [&] {
      all_reduce_async(In, Out, A, P, R).wait();
    });
    if (Rank != 0)
      return;
    print("memcpy", "all_reduce", Bytes, Sum);
    print("memcpy", "all_reduce in place", Bytes, InPlace);
    print("memcpy", "all_reduce_async", Bytes, Waited);
  });
}

/// As reduce_scatter from P to S(1) packs a matrix for two ranks, and
/// all_gather unpacks it. Buffers begin where libtorch's do.
void pack(long Bytes, long RunBytes) {
  const auto Size = static_cast<std::size_t>(Bytes);
  Memory &M = hostMemory();
  const std::shared_ptr<void> X = M.allocate(Size), Y = M.allocate(Size);
  std::memset(X.get(), 1, Size);
  std::memset(Y.get(), 1, Size);
  const std::size_t Rows = Size / static_cast<std::size_t>(RunBytes) / 2;
  const Counts Runs(RunBytes);
  const auto Copy = [&] {
    std::memcpy(Y.get(), X.get(), Size);
    asm volatile("" ::: "memory");
  };
  const std::string Of = " of runs of " + std::to_string(RunBytes) + " B";
  print("memcpy", ("pack" + Of).c_str(), Bytes,
        pairs(
            Effort(Bytes), [] {}, Copy,
            [&] { M.pack(Y.get(), X.get(), Rows, Runs, 2); }));
  print("memcpy", ("unpack" + Of).c_str(), Bytes,
        pairs(
            Effort(Bytes), [] {}, Copy,
            [&] { M.unpack(Y.get(), X.get(), Rows, Runs, 2); }));
}

} // namespace

int main() {
  layer();
  for (const long Bytes : Sizes)
    sum(Bytes);
  for (const long Run : {64, 1024, 16384})
    for (const long Bytes : {1 << 20, 1 << 27})
      pack(Bytes, Run);
}
