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

#include "spmd/rules/Transition.h"
#include "spmd/tags.h"
#include "spmd/view.h"

namespace spmd {

class Axis;

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
};

/// "S(0)", "S(1, {2,1})", "P"; for messages.
std::string str(const Placement &P);

/// "all_reduce(P -> R) of f32[8]", the whole shape.
std::string describeCall(const Call &C);
/// " at train.cpp:12", or nothing.
std::string at(Site S);

/// Error: "train.cpp:12: spmd::all_reduce(P -> R) of f32[8] over axis 'tp' of 4
/// ranks: …".
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

/// Memory of the kind that a communicator works on.
class Memory {
public:
  virtual ~Memory() = default;
  /// \p Rows runs of \p RowBytes, whose starts are a pitch apart.
  virtual void copyRows(void *To, std::size_t ToPitch, const void *From,
                        std::size_t FromPitch, std::size_t RowBytes,
                        std::size_t Rows) = 0;
  virtual void zero(void *To, std::size_t Bytes) = 0;
  /// At least \p Bytes that the calling thread may use until it asks again for
  /// the same \p Slot, 0 or 1.
  virtual void *scratch(int Slot, std::size_t Bytes) = 0;
  /// From and to the process's own memory, done on return.
  virtual void upload(void *To, const void *Host, std::size_t Bytes) = 0;
  virtual void download(void *Host, const void *From, std::size_t Bytes) = 0;
};

/// The process's own memory.
Memory &hostMemory();

/// The ranks of one axis. All ranks make the same calls in the same order with
/// buffers that have been checked; there are at least two ranks. Buffers are
/// dense, of \c Call::Type, and distinct unless a function says otherwise. What
/// fails is an Error.
class Communicator {
public:
  virtual ~Communicator() = default;
  virtual int size() const = 0;
  virtual int rank() const = 0;
  /// "local", "mpi", "nccl", "c10d", …
  virtual const char *kind() const = 0;
  virtual Memory &memory() { return hostMemory(); }

  /// Sum over the ranks, on every rank. \p In and \p Out may be one buffer.
  virtual void allReduce(const Call &C, const void *In, void *Out,
                         std::int64_t Count) = 0;
  /// The ranks' inputs one after the other.
  virtual void allGather(const Call &C, const void *In, void *Out,
                         const Counts &Parts) = 0;
  /// The sum over the ranks, of which each keeps its part.
  virtual void reduceScatter(const Call &C, const void *In, void *Out,
                             const Counts &Parts) = 0;
  /// Part q of rank r becomes part r of rank q.
  virtual void allToAll(const Call &C, const void *In, const Counts &Sent,
                        void *Out, const Counts &Received) = 0;
};

} // namespace spmd

#endif // SPMD_COMMUNICATOR_H
