// Communicators whose operators meet on the ranks' streams.

#include "StandIn.h"

#include "../../../runtime/lib/Sum.h"

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

namespace spmd::standin {
namespace {

enum class Kind {
  AllReduce,
  AllGather,
  ReduceScatter,
  Broadcast,
  Reduce,
  Send,
  Receive
};

struct Operator {
  Kind What;
  const void *In;
  void *Out;
  std::size_t Count;
  ncclDataType_t Type;
  ncclRedOp_t How = ncclSum;
  /// The root, or who is sent to or received from.
  int Peer = -1;

  bool isPairwise() const {
    return What == Kind::Send || What == Kind::Receive;
  }
  bool isLike(const Operator &O) const {
    return What == O.What && Count == O.Count && Type == O.Type &&
           How == O.How && Peer == O.Peer;
  }
};
/// What runs as one: a call, or what was between GroupStart and GroupEnd.
using Group = std::vector<Operator>;

DType typeOf(ncclDataType_t T) {
  switch (T) {
  case ncclFloat16:
    return DType::F16;
  case ncclBfloat16:
    return DType::BF16;
  case ncclFloat32:
    return DType::F32;
  case ncclFloat64:
    return DType::F64;
  case ncclInt8:
    return DType::I8;
  case ncclUint8:
    return DType::U8;
  case ncclInt32:
    return DType::I32;
  default:
    return DType::I64;
  }
}

std::size_t bytesOf(const Operator &O) {
  return O.Count * sizeOf(typeOf(O.Type));
}

/// The ranks of one communicator.
class Clique {
public:
  explicit Clique(int Size) : Posted(Size), Gone(Size), Ranks(Size) {}

  int size() const { return Ranks; }
  /// False if \p Rank has been given up meanwhile.
  bool meet(int Rank) {
    std::unique_lock<std::mutex> Held(Lock);
    if (Gone[static_cast<std::size_t>(Rank)])
      return false;
    const std::uint64_t Mine = Phase;
    if (++Arrived == Ranks) {
      Arrived = 0;
      ++Phase;
      Changed.notify_all();
      return true;
    }
    Changed.wait(Held, [&] {
      return Phase != Mine || Gone[static_cast<std::size_t>(Rank)];
    });
    return Phase != Mine;
  }
  void giveUp(int Rank) {
    {
      const std::lock_guard<std::mutex> Held(Lock);
      Gone[static_cast<std::size_t>(Rank)] = true;
    }
    Changed.notify_all();
  }

  void giveUpAll() {
    for (int Rank = 0; Rank < Ranks; ++Rank)
      giveUp(Rank);
  }

  /// All ranks say a pair of numbers, and see those of all.
  std::vector<std::pair<int, int>> exchange(int Rank,
                                            std::pair<int, int> Mine) {
    {
      const std::lock_guard<std::mutex> Held(Lock);
      Said[Rank] = Mine;
    }
    meet(Rank);
    std::vector<std::pair<int, int>> All;
    {
      const std::lock_guard<std::mutex> Held(Lock);
      for (const auto &[Of, Pair] : Said)
        All.push_back(Pair);
    }
    meet(Rank);
    return All;
  }
  /// The same for all who ask with the same number and color.
  std::shared_ptr<Clique> part(int Number, int Color, int Size) {
    const std::lock_guard<std::mutex> Held(Lock);
    std::weak_ptr<Clique> &Known = Parts[{Number, Color}];
    std::shared_ptr<Clique> Out = Known.lock();
    if (!Out)
      Known = Out = std::make_shared<Clique>(Size);
    return Out;
  }

  void run(int Rank, const Group &Mine) {
    if (Mine[0].isPairwise())
      runPairwise(Rank, Mine);
    else
      runTogether(Rank, Mine);
  }

private:
  /// What one rank has sent another.
  struct Message {
    ncclDataType_t Type;
    std::vector<char> Bytes;
  };

  /// Only those who send or receive take part.
  void runPairwise(int Rank, const Group &Mine) {
    {
      const std::lock_guard<std::mutex> Held(Lock);
      for (const Operator &O : Mine)
        if (O.What == Kind::Send) {
          const char *const From = static_cast<const char *>(O.In);
          Messages[{Rank, O.Peer}].push_back(
              {O.Type, {From, From + bytesOf(O)}});
        }
    }
    Changed.notify_all();
    std::unique_lock<std::mutex> Held(Lock);
    for (const Operator &O : Mine) {
      if (O.What != Kind::Receive)
        continue;
      std::deque<Message> &From = Messages[{O.Peer, Rank}];
      Changed.wait(Held, [&] {
        return !From.empty() || Gone[static_cast<std::size_t>(Rank)];
      });
      if (Gone[static_cast<std::size_t>(Rank)])
        return;
      const Message M = std::move(From.front());
      From.pop_front();
      if (M.Type != O.Type || M.Bytes.size() != bytesOf(O))
        complain("a rank receives other than is sent");
      else
        std::memcpy(O.Out, M.Bytes.data(), M.Bytes.size());
    }
  }

  void runTogether(int Rank, const Group &Mine) {
    {
      const std::lock_guard<std::mutex> Held(Lock);
      Posted[static_cast<std::size_t>(Rank)] = &Mine;
    }
    if (!meet(Rank))
      return;
    std::vector<std::vector<char>> Results;
    for (std::size_t At = 0; At < Mine.size(); ++At)
      Results.push_back(resultOf(Rank, At));
    // Others have read what is about to be overwritten.
    if (!meet(Rank))
      return;
    for (std::size_t At = 0; At < Mine.size(); ++At)
      if (!Results[At].empty())
        std::memcpy(Mine[At].Out, Results[At].data(), Results[At].size());
  }

  std::vector<char> resultOf(int Rank, std::size_t At) const {
    const Operator &Mine = (*Posted[static_cast<std::size_t>(Rank)])[At];
    std::vector<const void *> Ins;
    for (const Group *Theirs : Posted) {
      if (Theirs->size() <= At || !(*Theirs)[At].isLike(Mine)) {
        complain("the ranks call different operators");
        return {};
      }
      Ins.push_back((*Theirs)[At].In);
    }
    const std::size_t Bytes = bytesOf(Mine);
    switch (Mine.What) {
    case Kind::AllReduce:
      return added(Mine, Ins, 0);
    case Kind::ReduceScatter:
      return added(Mine, Ins, Rank * static_cast<std::int64_t>(Mine.Count));
    case Kind::Reduce:
      return Rank == Mine.Peer ? added(Mine, Ins, 0) : std::vector<char>();
    case Kind::Broadcast:
      Ins = {Ins[static_cast<std::size_t>(Mine.Peer)]};
      break;
    default: // an all-gather
      break;
    }
    std::vector<char> All(Ins.size() * Bytes);
    for (std::size_t R = 0; R < Ins.size(); ++R)
      if (Bytes)
        std::memcpy(&All[R * Bytes], Ins[R], Bytes);
    return All;
  }

  std::vector<char> added(const Operator &O,
                          const std::vector<const void *> &Of,
                          std::int64_t Begin) const {
    std::vector<char> Out(bytesOf(O));
    void *To = Out.data();
    detail::sum(typeOf(O.Type), Of.data(), Ranks, Begin,
                Begin + static_cast<std::int64_t>(O.Count), &To, 1, 0,
                O.How == ncclAvg ? 1.0 / Ranks : 1);
    return Out;
  }

  std::mutex Lock;
  std::condition_variable Changed;
  std::uint64_t Phase = 0;
  int Arrived = 0;
  std::vector<const Group *> Posted;
  std::vector<bool> Gone;
  /// By sender and receiver.
  std::map<std::pair<int, int>, std::deque<Message>> Messages;
  std::map<int, std::pair<int, int>> Said;
  std::map<std::pair<int, int>, std::weak_ptr<Clique>> Parts;
  const int Ranks;
};

/// What outlives a handle while its operators are on streams.
struct State {
  std::shared_ptr<Clique> With;
  int Rank = 0;
  std::atomic<std::uint64_t> Begun{0};
};

} // namespace
} // namespace spmd::standin

using namespace spmd::standin;

struct ncclComm {
  std::shared_ptr<State> Of;
  std::uint64_t Issued = 0;
  int Splits = 0;
};

namespace spmd::standin {
namespace {

ncclComm_t handle(std::shared_ptr<Clique> With, int Rank) {
  const auto Of = std::make_shared<State>();
  Of->With = std::move(With);
  Of->Rank = Rank;
  return new ncclComm{Of, 0, 0};
}

struct Pending {
  ncclComm_t Comm;
  cudaStream_t On;
  Group All;
};
std::atomic<bool> ConnectsAtFirst{false};
thread_local int Depth = 0;
thread_local std::vector<Pending> Open;

ncclResult_t launch(Pending P) {
  const std::shared_ptr<State> Of = P.Comm->Of;
  if (ConnectsAtFirst && P.Comm->Issued == 0 && !Of->With->meet(Of->Rank))
    return ncclInternalError;
  put(P.On, [Of, Number = P.Comm->Issued++, All = P.All] {
    if (Of->Begun++ == Number)
      return Of->With->run(Of->Rank, All);
    complain("operators of a communicator ran in another order than they were "
             "called in");
    Of->With->giveUpAll();
  });
  return ncclSuccess;
}

ncclResult_t issue(ncclComm_t Comm, cudaStream_t On, const Operator &O) {
  const auto Ranks = static_cast<std::size_t>(Comm->Of->With->size());
  const bool Reads = O.What != Kind::Receive &&
                     (O.What != Kind::Broadcast || O.Peer == Comm->Of->Rank);
  const bool Writes = O.What != Kind::Send &&
                      (O.What != Kind::Reduce || O.Peer == Comm->Of->Rank);
  const std::size_t Read =
      bytesOf(O) * (O.What == Kind::ReduceScatter ? Ranks : 1);
  const std::size_t Written =
      bytesOf(O) * (O.What == Kind::AllGather ? Ranks : 1);
  if ((Reads && !expectOnDevice(O.In, Read, "NCCL")) ||
      (Writes && !expectOnDevice(O.Out, Written, "NCCL")))
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

void setConnectsAtFirst(bool Does) { ConnectsAtFirst = Does; }

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
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t *Error) {
  *Error = ncclSuccess;
  return ncclSuccess;
}
ncclResult_t ncclCommCount(const ncclComm_t Comm, int *Count) {
  *Count = Comm->Of->With->size();
  return ncclSuccess;
}
ncclResult_t ncclCommUserRank(const ncclComm_t Comm, int *Rank) {
  *Rank = Comm->Of->Rank;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  ++Depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (--Depth)
    return ncclSuccess;
  for (Pending &P : std::exchange(Open, {}))
    if (const ncclResult_t Result = launch(std::move(P)); Result != ncclSuccess)
      return Result;
  return ncclSuccess;
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
                           ncclConfig_t *) {
  State &Mine = *Comm->Of;
  const auto All = Mine.With->exchange(Mine.Rank, {Color, Key});
  int Size = 0, Rank = 0;
  for (std::size_t R = 0; R < All.size(); ++R)
    if (All[R].first == Color) {
      ++Size;
      Rank += std::make_pair(All[R].second, static_cast<int>(R)) <
              std::make_pair(Key, Mine.Rank);
    }
  *Out = handle(Mine.With->part(Comm->Splits++, Color, Size), Rank);
  // All have it before one can be done with it.
  Mine.With->meet(Mine.Rank);
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t Comm) {
  delete Comm;
  return ncclSuccess;
}
ncclResult_t ncclCommRevoke(ncclComm_t Comm, int) {
  Comm->Of->With->giveUp(Comm->Of->Rank);
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t Comm) {
  ncclCommRevoke(Comm, 0);
  delete Comm;
  return ncclSuccess;
}

static std::mutex UniqueLock;
static std::map<std::string, std::shared_ptr<Clique>> Unique;

ncclResult_t ncclGetUniqueId(ncclUniqueId *Id) {
  static int Number = 0;
  const std::lock_guard<std::mutex> Held(UniqueLock);
  std::memset(Id->internal, 0, sizeof Id->internal);
  std::snprintf(Id->internal, sizeof Id->internal, "%d", ++Number);
  return ncclSuccess;
}
ncclResult_t ncclCommInitRank(ncclComm_t *Comm, int Ranks, ncclUniqueId Id,
                              int Rank) {
  std::shared_ptr<Clique> With;
  {
    const std::lock_guard<std::mutex> Held(UniqueLock);
    std::shared_ptr<Clique> &Known = Unique[Id.internal];
    if (!Known)
      Known = std::make_shared<Clique>(Ranks);
    With = Known;
  }
  With->meet(Rank);
  *Comm = handle(With, Rank);
  return ncclSuccess;
}
