// Communicators whose operators meet on the ranks' streams.

#include "Clique.h"

#include <atomic>
#include <thread>

namespace spmd::standin {
namespace {

/// What outlives a handle while its operators are on streams.
struct State {
  std::shared_ptr<Clique> With;
  int Rank = 0, Device = 0;
  /// Operators that were called, have begun and have ended.
  std::atomic<std::uint64_t> Issued{0}, Begun{0}, Ended{0};
  /// Of the call that goes on without its caller.
  std::atomic<ncclResult_t> Latest{ncclSuccess};
};

} // namespace
} // namespace spmd::standin

using namespace spmd::standin;

struct ncclComm {
  std::shared_ptr<State> Of;
  bool Blocks = true;
  int Splits = 0;
  /// What goes on without its caller.
  std::vector<std::thread> Beside;
};

namespace spmd::standin {
namespace {

std::atomic<bool> ConnectsAtFirst{false}, DestroysSlowly{false},
    CanRevoke{true}, MakesIds{true};
std::mutex LiveLock;
/// The communicators there are, and how many calls each is in.
std::map<ncclComm_t, int> Live;

ncclComm_t handle(bool Blocks, int Device) {
  const auto Comm = new ncclComm;
  Comm->Of = std::make_shared<State>();
  Comm->Of->Device = Device;
  Comm->Blocks = Blocks;
  const std::lock_guard<std::mutex> Held(LiveLock);
  Live[Comm] = 0;
  return Comm;
}
ncclComm_t handle(std::shared_ptr<Clique> With, int Rank) {
  const ncclComm_t Comm = handle(/*Blocks=*/true, Rank);
  Comm->Of->With = std::move(With);
  Comm->Of->Rank = Rank;
  return Comm;
}

/// A call on a communicator, which is there and, unless the call \p Asks what
/// it does, has nothing else to do.
class Within {
public:
  explicit Within(ncclComm_t Comm, bool Asks = false) : Comm(Comm) {
    {
      const std::lock_guard<std::mutex> Held(LiveLock);
      const auto At = Live.find(Comm);
      IsThere = At != Live.end();
      if (IsThere)
        ++At->second;
    }
    if (!IsThere)
      complain("a communicator is called that has been destroyed");
    else if (!Asks && Comm->Of->Latest == ncclInProgress)
      complain("a communicator is called that is busy with another call");
  }
  ~Within() {
    const std::lock_guard<std::mutex> Held(LiveLock);
    if (const auto At = Live.find(Comm); At != Live.end())
      --At->second;
  }
  Within(const Within &) = delete;
  Within &operator=(const Within &) = delete;
  explicit operator bool() const { return IsThere; }

private:
  ncclComm_t Comm;
  bool IsThere = false;
};

/// What \p Do returns, at once or, of a communicator that does not block, some
/// time later.
template <class Fn> ncclResult_t perform(ncclComm_t On, ncclComm_t For, Fn Do) {
  if (On->Blocks)
    return Do();
  const std::shared_ptr<State> A = On->Of, B = For->Of;
  A->Latest = B->Latest = ncclInProgress;
  On->Beside.emplace_back([=] { A->Latest = B->Latest = Do(); });
  return ncclInProgress;
}

/// Ends \p Comm, which may have work to do if it \p Aborts.
void end(ncclComm_t Comm, bool Aborts) {
  int Calls = 0;
  {
    const std::lock_guard<std::mutex> Held(LiveLock);
    const auto At = Live.find(Comm);
    if (At == Live.end())
      return complain("a communicator is destroyed twice");
    Calls = At->second;
    Live.erase(At);
  }
  if (Calls)
    complain("a communicator ends under a call on it");
  if (!Aborts && Comm->Of->Ended != Comm->Of->Issued)
    complain("a communicator is destroyed while its operators run");
  if (DestroysSlowly)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (std::thread &T : Comm->Beside)
    T.join();
  delete Comm;
}

struct Pending {
  ncclComm_t Comm;
  cudaStream_t On;
  Group All;
};
thread_local int Depth = 0;
thread_local std::vector<Pending> Open;

bool isLive(ncclComm_t Comm) {
  const std::lock_guard<std::mutex> Held(LiveLock);
  return Live.count(Comm);
}

bool expectBuffers(const Operator &O, const State &Of, bool Replays) {
  const auto Ranks = static_cast<std::size_t>(Of.With->size());
  const bool Reads = O.What != Kind::Receive &&
                     (O.What != Kind::Broadcast || O.Peer == Of.Rank);
  const bool Writes =
      O.What != Kind::Send && (O.What != Kind::Reduce || O.Peer == Of.Rank);
  const std::size_t Read =
      bytesOf(O) * (O.What == Kind::ReduceScatter ? Ranks : 1);
  const std::size_t Written =
      bytesOf(O) * (O.What == Kind::AllGather ? Ranks : 1);
  return (!Reads || expectOnDevice(O.In, Read, "NCCL", Replays, Of.Device)) &&
         (!Writes ||
          expectOnDevice(O.Out, Written, "NCCL", Replays, Of.Device));
}

void run(State &Of, const Underway &As, const Group &All) {
  if (Of.Begun++ == As.Number) {
    Of.With->run(Of.Rank, All);
  } else {
    complain("operators of a communicator ran in another order than they "
             "were called in");
    Of.With->giveUpAll();
  }
  goes(As);
  ++Of.Ended;
}

ncclResult_t launch(Pending P) {
  const std::shared_ptr<State> Of = P.Comm->Of;
  const bool Captured = isCapturing(P.On);
  const auto Put = [Of, P, Captured] {
    put(P.On, [Of, Captured, Comm = P.Comm, All = P.All] {
      if (Captured && !isLive(Comm))
        complain("a graph uses a communicator that has been destroyed");
      for (const Operator &O : All)
        expectBuffers(O, *Of, Captured);
      const Underway As{Of->With->number(), Of->Issued++, Of->With->size(),
                        Of->Device};
      comes(As);
      return [Of, As, All] { run(*Of, As, All); };
    });
    return ncclSuccess;
  };
  if (!ConnectsAtFirst || Captured || Of->Issued)
    return Put();
  return perform(P.Comm, P.Comm, [Of, Put] {
    return Of->With->meet(Of->Rank) ? Put() : ncclInternalError;
  });
}

ncclResult_t issue(ncclComm_t Comm, cudaStream_t On, const Operator &O) {
  const Within Call(Comm);
  if (!Call)
    return ncclInvalidArgument;
  if (deviceOf(On) != Comm->Of->Device) {
    complain("a communicator of one device is given a stream of another");
    return ncclInvalidUsage;
  }
  if (!expectBuffers(O, *Comm->Of, /*Replays=*/false))
    return ncclInvalidArgument;
  if (!Depth)
    return launch({Comm, On, {O}});
  for (Pending &P : Open)
    if (P.Comm == Comm && P.On == On) {
      P.All.push_back(O);
      return ncclSuccess;
    }
  Open.push_back({Comm, On, {O}});
  return ncclSuccess;
}

} // namespace

static std::atomic<int> LatestMaxCtas{0};
int latestMaxCtas() { return LatestMaxCtas; }

void setConnectsAtFirst(bool Does) { ConnectsAtFirst = Does; }
void setCanRevoke(bool Can) { CanRevoke = Can; }
void setMakesIds(bool Does) { MakesIds = Does; }
void setDestroysSlowly(bool Does) { DestroysSlowly = Does; }

ncclResult_t registerTogether(ncclComm_t Comm, std::size_t Bytes,
                              std::function<ncclResult_t()> Do) {
  const Within Call(Comm);
  return perform(Comm, Comm, [Of = Comm->Of, Bytes, Do = std::move(Do)] {
    const std::pair<int, int> Mine{0, static_cast<int>(Bytes)};
    const auto All = Of->With->exchange(Of->Rank, Mine);
    for (const auto &Theirs : All)
      if (Theirs != Mine)
        return ncclInvalidArgument;
    return All.empty() ? ncclInternalError : Do();
  });
}

std::vector<ncclComm_t> world(int N) {
  const auto With = std::make_shared<Clique>(N);
  std::vector<ncclComm_t> All;
  for (int R = 0; R < N; ++R)
    All.push_back(handle(With, R));
  return All;
}

} // namespace spmd::standin

const char *ncclGetErrorString(ncclResult_t) { return "an error"; }
const char *ncclGetLastError(ncclComm_t) { return ""; }
ncclResult_t ncclCommGetAsyncError(ncclComm_t Comm, ncclResult_t *Error) {
  const Within Call(Comm, /*Asks=*/true);
  if (!Call)
    return ncclInvalidArgument;
  *Error = Comm->Of->Latest;
  return ncclSuccess;
}
ncclResult_t ncclCommCount(const ncclComm_t Comm, int *Count) {
  const Within Call(Comm);
  *Count = Comm->Of->With->size();
  return ncclSuccess;
}
ncclResult_t ncclCommUserRank(const ncclComm_t Comm, int *Rank) {
  *Rank = Comm->Of->Rank;
  return ncclSuccess;
}
ncclResult_t ncclCommCuDevice(const ncclComm_t Comm, int *Device) {
  *Device = Comm->Of->Device;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  ++Depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (--Depth)
    return ncclSuccess;
  ncclResult_t Result = ncclSuccess;
  for (Pending &P : std::exchange(Open, {})) {
    const Within Call(P.Comm);
    if (const ncclResult_t Of = launch(std::move(P)); Of != ncclSuccess)
      Result = Of;
  }
  return Result;
}

ncclResult_t ncclAllReduce(const void *In, void *Out, size_t Count,
                           ncclDataType_t Type, ncclRedOp_t How,
                           ncclComm_t Comm, cudaStream_t S) {
  return issue(Comm, S, {Kind::AllReduce, In, Out, Count, Type, How});
}
ncclResult_t ncclAllGather(const void *In, void *Out, size_t Count,
                           ncclDataType_t Type, ncclComm_t Comm,
                           cudaStream_t S) {
  return issue(Comm, S, {Kind::AllGather, In, Out, Count, Type});
}
ncclResult_t ncclReduceScatter(const void *In, void *Out, size_t Count,
                               ncclDataType_t Type, ncclRedOp_t How,
                               ncclComm_t Comm, cudaStream_t S) {
  return issue(Comm, S, {Kind::ReduceScatter, In, Out, Count, Type, How});
}
ncclResult_t ncclBroadcast(const void *In, void *Out, size_t Count,
                           ncclDataType_t Type, int Root, ncclComm_t Comm,
                           cudaStream_t S) {
  return issue(Comm, S, {Kind::Broadcast, In, Out, Count, Type, ncclSum, Root});
}
ncclResult_t ncclReduce(const void *In, void *Out, size_t Count,
                        ncclDataType_t Type, ncclRedOp_t How, int Root,
                        ncclComm_t Comm, cudaStream_t S) {
  return issue(Comm, S, {Kind::Reduce, In, Out, Count, Type, How, Root});
}
ncclResult_t ncclSend(const void *In, size_t Count, ncclDataType_t Type,
                      int Peer, ncclComm_t Comm, cudaStream_t S) {
  return issue(Comm, S, {Kind::Send, In, nullptr, Count, Type, ncclSum, Peer});
}
ncclResult_t ncclRecv(void *Out, size_t Count, ncclDataType_t Type, int Peer,
                      ncclComm_t Comm, cudaStream_t S) {
  return issue(Comm, S,
               {Kind::Receive, nullptr, Out, Count, Type, ncclSum, Peer});
}

ncclResult_t ncclCommSplit(ncclComm_t Comm, int Color, int Key, ncclComm_t *Out,
                           ncclConfig_t *Config) {
  const Within Call(Comm);
  if (Config)
    LatestMaxCtas = Config->maxCTAs;
  *Out =
      handle(Config ? Config->blocking != 0 : Comm->Blocks, Comm->Of->Device);
  return perform(Comm, *Out,
                 [=, Number = Comm->Splits++, Of = Comm->Of, New = (*Out)->Of] {
                   const auto All = Of->With->exchange(Of->Rank, {Color, Key});
                   if (All.empty())
                     return ncclInternalError;
                   int Size = 0;
                   for (std::size_t R = 0; R < All.size(); ++R)
                     if (All[R].first == Color) {
                       ++Size;
                       New->Rank +=
                           std::make_pair(All[R].second, static_cast<int>(R)) <
                           std::make_pair(Key, Of->Rank);
                     }
                   New->With = Of->With->part(Number, Color, Size);
                   // All have it before one can be done with it.
                   Of->With->meet(Of->Rank);
                   return ncclSuccess;
                 });
}

ncclResult_t ncclCommDestroy(ncclComm_t Comm) {
  end(Comm, /*Aborts=*/false);
  return ncclSuccess;
}
static void giveUp(ncclComm_t Comm) {
  if (Comm->Of->With)
    Comm->Of->With->giveUp(Comm->Of->Rank);
}
ncclResult_t ncclCommRevoke(ncclComm_t Comm, int) {
  if (!CanRevoke)
    return ncclInvalidUsage;
  giveUp(Comm);
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t Comm) {
  giveUp(Comm);
  end(Comm, /*Aborts=*/true);
  return ncclSuccess;
}

static std::mutex UniqueLock;
static std::map<std::string, std::shared_ptr<Clique>> Unique;

ncclResult_t ncclGetUniqueId(ncclUniqueId *Id) {
  if (!MakesIds)
    return ncclSystemError;
  static int Number = 0;
  const std::lock_guard<std::mutex> Held(UniqueLock);
  std::memset(Id->internal, 0, sizeof Id->internal);
  std::snprintf(Id->internal, sizeof Id->internal, "%d", ++Number);
  return ncclSuccess;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t *Comm, int Ranks,
                                    ncclUniqueId Id, int Rank,
                                    ncclConfig_t *Config) {
  std::shared_ptr<Clique> With;
  {
    const std::lock_guard<std::mutex> Held(UniqueLock);
    std::shared_ptr<Clique> &Known = Unique[Id.internal];
    if (!Known)
      Known = std::make_shared<Clique>(Ranks);
    With = Known;
  }
  LatestMaxCtas = Config->maxCTAs;
  int Device = 0;
  cudaGetDevice(&Device);
  *Comm = handle(Config->blocking != 0, Device);
  (*Comm)->Of->With = With;
  (*Comm)->Of->Rank = Rank;
  return perform(*Comm, *Comm, [With, Rank] {
    return With->meet(Rank) ? ncclSuccess : ncclInternalError;
  });
}
