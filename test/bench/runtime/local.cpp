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

/// As reduce_scatter from P to S(1) packs a matrix.
void pack(long Bytes, long RowBytes) {
  std::vector<float> X = buffer(Bytes), Y = X;
  const auto Row = static_cast<std::size_t>(RowBytes);
  const std::size_t Rows = static_cast<std::size_t>(Bytes) / Row / 2;
  Memory &M = hostMemory();
  const auto Copy = [&] {
    std::memcpy(Y.data(), X.data(), Row * Rows);
    asm volatile("" ::: "memory");
  };
  const std::string Of = " of rows of " + std::to_string(RowBytes) + " B";
  print("memcpy", ("pack" + Of).c_str(), Bytes,
        pairs(
            Effort(Bytes), [] {}, Copy,
            [&] { M.copyRows(Y.data(), Row, X.data(), 2 * Row, Row, Rows); }));
  print("memcpy", ("unpack" + Of).c_str(), Bytes,
        pairs(
            Effort(Bytes), [] {}, Copy,
            [&] { M.copyRows(Y.data(), 2 * Row, X.data(), Row, Row, Rows); }));
}

} // namespace

int main() {
  layer();
  for (const long Bytes : Sizes)
    sum(Bytes);
  for (const long Row : {64, 1024, 16384})
    for (const long Bytes : {1 << 20, 1 << 27})
      pack(Bytes, Row);
}
