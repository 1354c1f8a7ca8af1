//===- communicator.h - Who moves the data of one axis ----------*- C++ -*-===//
//
// The one interface between typed operators and transport. Operators check
// types and shapes, handle axes of one rank and everything local themselves,
// gather what is strided into dense runs, and leave the rest to the axis's
// communicator.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_COMMUNICATOR_H
#define SPMD_COMMUNICATOR_H

#include "spmd/strided.h"
#include "spmd/tags.h"
#include "spmd/types/Transition.h"
#include "spmd/view.h"

namespace spmd {

class Axis;
class Started;

/// One operator at work, for messages and to see that all ranks mean the same.
struct Call {
  rules::OperatorKind Op;
  const Axis &On;
  const Placement &Src;
  const Placement &Dst;
  DType Type;
  /// This rank's operand.
  Shape In;
  Site At;
  /// The shape before it is cut, or after it is put together: that all ranks
  /// agree on.
  Shape Whole = {};
  /// Of a sum: the mean is asked for.
  bool Mean = false;
  /// Of the operators that have one.
  int Root = 0;
  /// How much goes to, and comes from, each rank: rows of an all_to_all by
  /// counts, or all of it and nothing.
  std::shared_ptr<const ChunkSizes> Sent = nullptr, Received = nullptr;
};

namespace detail {
/// What an operator is told beside its types: the last members of a call.
struct Details {
  bool Mean = false;
  int Root = 0;
  std::shared_ptr<const ChunkSizes> Sent = nullptr, Received = nullptr;
};

/// Which of a communicator's functions does it. A broadcast gathers what only
/// the root has, a reduction to a root scatters all of the sum to it, a
/// permutation is an exchange in which each rank sends to one.
constexpr rules::OperatorKind carrierOf(rules::OperatorKind Op) {
  using rules::OperatorKind;
  switch (Op) {
  case OperatorKind::AllReduceMax:
  case OperatorKind::AllReduceMin:
  case OperatorKind::Barrier:
    return OperatorKind::AllReduce;
  case OperatorKind::Broadcast:
    return OperatorKind::AllGather;
  case OperatorKind::Reduce:
    return OperatorKind::ReduceScatter;
  case OperatorKind::Permute:
    return OperatorKind::AllToAll;
  default:
    return Op;
  }
}

/// As it is called: a sum of which the mean is taken has a name of its own.
inline std::string operatorName(rules::OperatorKind Op, bool Mean) {
  return std::string(rules::operatorName(Op)) + (Mean ? "_mean" : "");
}
} // namespace detail

/// "S(0)", "S(1, {2,1})", "P"; for messages.
std::string str(const Placement &P);

/// "all_reduce(P -> R) of f32[8]", the whole shape.
std::string describeCall(const Call &C);
/// " at train.cpp:12", or nothing.
std::string at(Site S);

/// "train.cpp:12: spmd::all_reduce(P -> R) of f32[8] over axis 'tp' of 4
/// ranks: …".
Error errorOn(const Call &C, const std::string &Cause);
/// Throws it, and dumps the flight record.
[[noreturn]] void failOn(const Call &C, const std::string &Cause);

/// How many elements each rank has in a dense run that is ordered by rank.
class Counts {
public:
  /// \p Unit elements for each of the \p Sizes, a rank's one.
  Counts(const ChunkSizes &Sizes, std::int64_t Unit)
      : PerRank(Sizes.data()), Unit(Unit) {}
  explicit Counts(std::int64_t Each) : Unit(Each) {}

  bool even() const { return !PerRank; }
  std::int64_t operator[](int Rank) const {
    return PerRank ? PerRank[Rank] * Unit : Unit;
  }
  /// Elements of the ranks before \p Rank.
  std::int64_t before(int Rank) const {
    if (!PerRank)
      return Rank * Unit;
    std::int64_t N = 0;
    for (int R = 0; R < Rank; ++R)
      N += PerRank[R];
    return N * Unit;
  }

private:
  const std::int64_t *PerRank = nullptr;
  std::int64_t Unit;
};

/// What an operator asks of a communicator, on dense buffers.
struct Transfer {
  const void *In = nullptr;
  void *Out = nullptr;
  /// Elements of an all_reduce.
  std::int64_t Count = 0;
  /// The parts of what is gathered, scattered or sent, and of what an
  /// all_to_all receives.
  Counts Parts = Counts(0), Received = Counts(0);
};

/// Memory of the kind that a communicator works on.
class Memory {
public:
  virtual ~Memory() = default;
  /// Of a device, whose work is on streams: that one operator is done with
  /// memory does not say that the next one may have it.
  virtual bool isDevice() const { return false; }
  /// Whether \p Data is of this kind.
  virtual bool owns(const void *) const { return !isDevice(); }
  /// Why operators cannot work on what is at \p Data; empty if they can.
  virtual std::string refuses(const void *) const { return {}; }
  /// \p Rows runs of \p RowBytes, whose starts are a pitch apart.
  virtual void copyRows(void *To, std::size_t ToPitch, const void *From,
                        std::size_t FromPitch, std::size_t RowBytes,
                        std::size_t Rows) = 0;
  /// \p Whole is \p Rows rows, each a run of bytes for every one of \p Ranks
  /// in turn. \p Pieces holds the runs of each rank together, one rank after
  /// the other. As it is here, by copyRows, a rank at a time.
  virtual void pack(void *Pieces, const void *Whole, std::size_t Rows,
                    const Counts &Runs, int Ranks);
  virtual void unpack(void *Whole, const void *Pieces, std::size_t Rows,
                      const Counts &Runs, int Ranks);
  /// As it is here, by copyRows, as rows of whatever is dense in both arrays.
  virtual void copyStrided(void *To, const void *From, const StridedCopy &C);
  virtual void zero(void *To, std::size_t Bytes) = 0;
  /// \p Count elements times \p By, each rounded once. Whole numbers are an
  /// Error.
  virtual void scale(void *X, DType Type, std::int64_t Count, double By) = 0;
  /// Writes eight bytes that tell \p Count elements from others, all NaNs being
  /// one, in this memory: detail::elementHash. As it is here, by the host.
  virtual void hash(void *To, const void *X, DType Type, std::int64_t Count);
  /// At least \p Bytes, aligned for any type, on the host to 64 bytes, that the
  /// calling thread may use until it asks again for the same slot: 0 and 1 are
  /// of operators, 2 of redistribute, 3 and 4 hold dense copies of strided
  /// views.
  static constexpr int Slots = 5;
  virtual void *scratch(int Slot, std::size_t Bytes) = 0;
  /// The operator that asked for the slot needs it no more. As it is here, it
  /// is kept for the next one.
  virtual void release(int) {}
  /// After a failure: what the calling thread's slots hold stays as it is for
  /// good, and later calls get other memory. As it is here, it is not kept.
  virtual void leaveScratch() {}
  /// \p Bytes of its own for an operator that is not done when it returns;
  /// freed with the last pointer to it, which may outlive this.
  virtual std::shared_ptr<void> allocate(std::size_t Bytes) = 0;
  /// From and to the process's own memory, done on return.
  virtual void upload(void *To, const void *Host, std::size_t Bytes) = 0;
  virtual void download(void *Host, const void *From, std::size_t Bytes) = 0;
};

/// The process's own memory.
Memory &hostMemory();

namespace detail {
/// Where the scratch of an operator ends: slots \p First to \p Last.
struct ScratchScope {
  Memory &Of;
  int First, Last;
  ~ScratchScope() {
    for (int Slot = First; Slot <= Last; ++Slot)
      Of.release(Slot);
  }
};

/// For a transport that cannot be made to leave the memory of what has failed
/// alone: it is never freed.
void keepForGood(std::shared_ptr<void> Memory);
} // namespace detail

/// The ranks of one axis. All ranks make the same calls in the same order with
/// buffers that have been checked; there are at least two ranks. Buffers are
/// dense, of \c Call::Type, and distinct unless a function says otherwise. What
/// fails is an Error.
class Communicator {
public:
  Communicator();
  virtual ~Communicator();
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;
  virtual int size() const = 0;
  virtual int rank() const = 0;
  /// "local", "mpi", "nccl", "c10d", …
  virtual const char *kind() const = 0;
  virtual Memory &memory() { return hostMemory(); }

  /// Whether allReduce and reduceScatter make the mean of it where \c
  /// Call::Mean says so; else the operator scales the sum after it. Who passes
  /// calls on to another says what that one says.
  virtual bool averages() const { return false; }

  /// Sum over the ranks, or the greatest or least of them as \c Call::Op says,
  /// on every rank. \p In and \p Out may be one buffer.
  virtual void allReduce(const Call &C, const void *In, void *Out,
                         std::int64_t Count) = 0;
  /// The ranks' inputs one after the other; of no elements, without address.
  virtual void allGather(const Call &C, const void *In, void *Out,
                         const Counts &Parts) = 0;
  /// The sum over the ranks, of which each keeps its part. Where it has no
  /// elements, \p Out has no address.
  virtual void reduceScatter(const Call &C, const void *In, void *Out,
                             const Counts &Parts) = 0;
  /// Part q of rank r becomes part r of rank q.
  virtual void allToAll(const Call &C, const void *In, const Counts &Sent,
                        void *Out, const Counts &Received) = 0;

  /// Whether what has failed here may still read and write its buffers.
  virtual bool mayHold() const { return false; }

  /// Begins \p S and returns; buffers live until finish. As it is here, a
  /// thread of the communicator's own makes the calls above, one by one.
  virtual void start(Started &S);
  /// Waits until \p S is done. Not in the order of the starts.
  virtual void finish(Started &S);
  /// Whether finish would not wait.
  virtual bool isDone(Started &S);
  /// Called before any of the functions above, which do not overlap with what
  /// has been started: as it is here, waits for it.
  virtual void settle();
  /// This rank gives up \p C, started or to come next, as an exception passes
  /// its owner by: where the others have not come to it, it fails with \p Why.
  virtual void abandon(const Call &C, const std::string &Why) noexcept;

private:
  friend class Started;
  /// What is kept for operators to come, and the thread.
  struct Kept;
  std::unique_ptr<Kept> Here;
};

} // namespace spmd

#endif // SPMD_COMMUNICATOR_H
