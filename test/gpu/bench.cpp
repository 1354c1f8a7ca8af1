// Copies of the runtime beside cudaMemcpyAsync, and its operators beside NCCL's
// own calls on the same ranks: rows of what, bytes and microseconds of both
// sides, as medians of pairs. --quick measures little, to see that it runs.

#include "../bench/runtime/Pairs.h"
#include "Ranks.h"

#include <spmd/async.h>
#include <spmd/spmd.h>

#include <cstring>
#include <thread>

using namespace spmd;
using namespace spmd::bench;

namespace {

bool Quick = false;

struct Buffer {
  explicit Buffer(std::size_t Bytes) { cudaMalloc(&At, Bytes); }
  ~Buffer() { cudaFree(At); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  void *At = nullptr;
};

Effort effort(long Bytes) {
  Effort E(Bytes);
  if (Quick)
    E.Calls = 1, E.Samples = 2;
  return E;
}

/// Both sides to their end on the device: of many calls, as one is too short
/// for the host's clock.
template <class D, class O>
void copies(const char *What, long Bytes, cudaStream_t On, D Direct, O Ours) {
  const int Calls = Quick ? 1 : Bytes <= 1 << 24 ? 200 : 20;
  const auto Many = [&](auto Do) {
    return [&, Do] {
      for (int Call = 0; Call < Calls; ++Call)
        Do();
      cudaStreamSynchronize(On);
    };
  };
  Effort E(Bytes);
  E.Calls = 1;
  E.Samples = Quick ? 2 : 15;
  Pair P = pairs(E, [] {}, Many(Direct), Many(Ours));
  P.Direct /= Calls;
  P.Ours /= Calls;
  print("copies", What, Bytes, P);
}

void copiesOf(long Bytes, Memory &M, cudaStream_t On) {
  const auto Size = static_cast<std::size_t>(Bytes);
  const Buffer From(Size), To(Size);
  const auto Whole = [&] {
    cudaMemcpyAsync(To.At, From.At, Size, cudaMemcpyDeviceToDevice, On);
  };
  copies("the same copy", Bytes, On, Whole, Whole);
  for (const std::size_t Run : {64u, 1024u, 16384u})
    for (const int Ranks : {2, 8}) {
      const std::size_t Rows = Size / Run / static_cast<std::size_t>(Ranks);
      const std::string Of = "runs of " + std::to_string(Run) + " bytes, " +
                             std::to_string(Ranks) + " ranks";
      const Counts Each(static_cast<std::int64_t>(Run));
      copies(("pack " + Of).c_str(), Bytes, On, Whole,
             [&] { M.pack(To.At, From.At, Rows, Each, Ranks); });
      copies(("unpack " + Of).c_str(), Bytes, On, Whole,
             [&] { M.unpack(To.At, From.At, Rows, Each, Ranks); });
    }
  const std::int64_t Side = Quick ? 64 : 2048, Others = Bytes / 4 / Side;
  const StridedCopy Turned = {{Others, Side}, {1, Others}, {Side, 1}, 4};
  copies("transpose float", Bytes, On, Whole,
         [&] { M.copyStrided(To.At, From.At, Turned); });
  copies("scale float, in place", Bytes, On, Whole,
         [&] { M.scale(To.At, DType::F32, Bytes / 4, 1); });
}

/// One call and its end, or only what the host gives it. Processes that share a
/// card have it in turn, for milliseconds.
template <class D, class O>
void operators(const char *What, long Bytes, cudaStream_t On, bool Tells,
               D Direct, O Ours) {
  const auto Ended = [On](auto Do) {
    return [On, Do] {
      Do();
      cudaStreamSynchronize(On);
    };
  };
  const auto Done = [On] { cudaStreamSynchronize(On); };
  Effort E = effort(Bytes);
  if (!test::areThreads())
    E.Calls = 1, E.Samples = std::min(E.Samples, 40);
  const Pair P = pairs(E, [] {}, Ended(Direct), Ended(Ours));
  const Pair Begun = pairs(E, Done, Direct, Ours);
  if (!Tells)
    return;
  print("operators", What, Bytes, P);
  print("begun", What, Bytes, Begun);
}

/// Until what does not block is done, on the host.
void await(ncclComm_t Comm) {
  ncclResult_t State = ncclInProgress;
  while (ncclCommGetAsyncError(Comm, &State) == ncclSuccess &&
         State == ncclInProgress)
    std::this_thread::yield();
}

/// A communicator of NCCL's own, as \p Blocking as the config says.
class RawComm {
public:
  RawComm(const Axis &A, Store &Over, int Blocking) {
    ncclUniqueId Id = {};
    if (A.rank() == 0)
      ncclGetUniqueId(&Id);
    const std::string Text =
        Over.fromFirst("bench id " + std::to_string(Blocking), A.rank(),
                       std::string(Id.internal, sizeof Id.internal));
    std::copy(Text.begin(), Text.end(), Id.internal);
    ncclConfig_t Config = NCCL_CONFIG_INITIALIZER;
    Config.blocking = Blocking;
    ncclCommInitRankConfig(&Comm, A.size(), Id, A.rank(), &Config);
    await(Comm);
  }
  ~RawComm() { ncclCommDestroy(Comm); }
  RawComm(const RawComm &) = delete;
  RawComm &operator=(const RawComm &) = delete;
  operator ncclComm_t() const { return Comm; }

private:
  ncclComm_t Comm = nullptr;
};

void operatorsOf(long Bytes, ncclComm_t Raw, ncclComm_t Polled, const Axis &A,
                 cudaStream_t On) {
  const auto Count = static_cast<std::size_t>(Bytes / 4);
  const std::size_t N = static_cast<std::size_t>(A.size());
  const Buffer In(Count * 4), Out(Count * 4);
  const View X(static_cast<float *>(In.At), {Bytes / 4}),
      Y(static_cast<float *>(Out.At), {Bytes / 4}),
      Part = X.slice(0, 0, Bytes / 4 / A.size());
  const bool Tells = A.rank() == 0;
  const auto Sum = [&] {
    ncclAllReduce(In.At, Out.At, Count, ncclFloat32, ncclSum, Raw, On);
  };
  operators("ncclAllReduce by itself", Bytes, On, Tells, Sum, Sum);
  operators("ncclAllReduce that does not block", Bytes, On, Tells, Sum, [&] {
    ncclAllReduce(In.At, Out.At, Count, ncclFloat32, ncclSum, Polled, On);
    await(Polled);
  });
  operators("all_reduce", Bytes, On, Tells, Sum,
            [&] { all_reduce(X, Y, A, P, R); });
  operators("all_reduce_async", Bytes, On, Tells, Sum,
            [&] { all_reduce_async(X, Y, A, P, R).wait(); });
  operators(
      "all_gather", Bytes, On, Tells,
      [&] { ncclAllGather(In.At, Out.At, Count / N, ncclFloat32, Raw, On); },
      [&] { all_gather(Part, Y, A, S(0), R); });
  operators(
      "reduce_scatter", Bytes, On, Tells,
      [&] {
        ncclReduceScatter(In.At, Out.At, Count / N, ncclFloat32, ncclSum, Raw,
                          On);
      },
      [&] {
        reduce_scatter(X, Y.slice(0, 0, Bytes / 4 / A.size()), A, P, S(0));
      });
}

} // namespace

int main(int Count, char **Args) {
  Quick = Count > 1 && std::strcmp(Args[1], "--quick") == 0;
  const bool Alone = test::ranks() == 1;
  test::onRanks([&](const Mesh &M, cudaStream_t Stream) {
    const Axis A = M.axis("dp");
    if (Alone) {
      for (const long Bytes : {1l << 20, 1l << 28})
        copiesOf(Quick ? 1 << 16 : Bytes, A.memory(), Stream);
      return;
    }
    const Job Mine = test::areThreads() ? init() : test::job();
    const RawComm Raw(A, Mine.store(), 1), Polled(A, Mine.store(), 0);
    for (const long Bytes : {1l << 10, 1l << 20, 1l << 26})
      operatorsOf(Quick ? 1 << 12 : Bytes, Raw, Polled, A, Stream);
  });
}
