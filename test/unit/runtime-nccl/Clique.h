//===- Clique.h - Ranks whose operators meet --------------------*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RUNTIME_NCCL_CLIQUE_H
#define SPMD_TEST_UNIT_RUNTIME_NCCL_CLIQUE_H

#include "StandIn.h"

#include "../../../runtime/lib/Sum.h"

#include <spmd/communicator.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

namespace spmd::standin {

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

inline DType typeOf(ncclDataType_t T) {
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
  case ncclFloat8e4m3:
    return DType::F8E4M3;
  case ncclFloat8e5m2:
    return DType::F8E5M2;
  case ncclUint32:
    return DType::U32;
  case ncclUint64:
    return DType::U64;
  default:
    return DType::I64;
  }
}

inline std::size_t bytesOf(const Operator &O) {
  return O.Count * sizeOf(typeOf(O.Type));
}

/// The ranks of one communicator.
class Clique {
public:
  explicit Clique(int Size) : Posted(Size), Gone(Size), Ranks(Size) {}

  int size() const { return Ranks; }
  std::uint64_t number() const { return Number; }
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
  /// Nothing if \p Rank has been given up meanwhile.
  std::vector<std::pair<int, int>> exchange(int Rank,
                                            std::pair<int, int> Mine) {
    {
      const std::lock_guard<std::mutex> Held(Lock);
      Said[Rank] = Mine;
    }
    if (!meet(Rank))
      return {};
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
      return reduced(Mine, Ins, 0);
    case Kind::ReduceScatter:
      return reduced(Mine, Ins, Rank * static_cast<std::int64_t>(Mine.Count));
    case Kind::Reduce:
      return Rank == Mine.Peer ? reduced(Mine, Ins, 0) : std::vector<char>();
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

  std::vector<char> reduced(const Operator &O,
                            const std::vector<const void *> &Of,
                            std::int64_t Begin) const {
    std::vector<char> Out(bytesOf(O));
    void *To = Out.data();
    if (Ranks == 1) {
      std::memcpy(To, Of[0], Out.size());
      return Out;
    }
    const std::int64_t End = Begin + static_cast<std::int64_t>(O.Count);
    if (O.How == ncclMax || O.How == ncclMin)
      detail::extreme(typeOf(O.Type), O.How == ncclMax, Of.data(), Ranks, Begin,
                      End, &To, 1, 0);
    else
      detail::sum(typeOf(O.Type), Of.data(), Ranks, Begin, End, &To, 1, 0,
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
  const std::uint64_t Number = ++made();

  static std::atomic<std::uint64_t> &made() {
    static std::atomic<std::uint64_t> Count{0};
    return Count;
  }
};

} // namespace spmd::standin

#endif // SPMD_TEST_UNIT_RUNTIME_NCCL_CLIQUE_H
