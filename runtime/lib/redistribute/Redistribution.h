//===- Redistribution.h - A plan as what one rank does ----------*- C++ -*-===//

#ifndef SPMD_LIB_REDISTRIBUTE_REDISTRIBUTION_H
#define SPMD_LIB_REDISTRIBUTE_REDISTRIBUTION_H

#include "ParseSpec.h"

#include "../local/World.h"

#include "spmd/mesh.h"
#include "spmd/planner/Plan.h"
#include "spmd/work.h"

#include <mutex>

namespace spmd::detail {

/// "train.cpp:12: ", or nothing.
std::string place(Site At);

/// A box of elements that goes from one buffer to another.
struct BoxCopy {
  std::int64_t To, From; ///< offsets, in elements
  StridedCopy Box;       ///< with elements of no size yet
};

/// One step of a plan, for this rank.
struct Stage {
  enum Kind : std::uint8_t {
    Local,     ///< own elements into the next buffer
    ToPartial, ///< the same, between zeros
    AllReduce,
    ReduceScatter,
    AllGather,
    AllToAll,
  };
  Kind K = Local;
  /// Of the ranks that take part, flattened.
  Axis Group;
  std::int64_t HeldSize = 0, NextSize = 0;
  /// Elements that it leaves as they are go by no buffer.
  std::vector<BoxCopy> Own, Pack, Unpack;
  std::int64_t PackedSize = 0, ReceivedSize = 0; ///< 0: no copy is needed
  ChunkSizes Sent, Received;
  bool Even = false; ///< all of the sizes, between any two ranks

  bool communicates() const { return K != Local && K != ToPartial; }
  rules::OperatorKind op() const;
};

/// A redistribution under way, between dense buffers.
struct Passage {
  char *Scratch = nullptr;
  /// Where the next step reads, and the last one writes.
  const void *Held = nullptr;
  void *Result = nullptr;
  DType Type = DType::F32;
  Site At = {};
  std::size_t Step = 0;
  int Free = 0; ///< of the two buffers that take turns
};

/// A compiled plan: shapes are fixed, types of elements are not.
class Redistribution {
public:
  /// Of the local shape \p In on \p M. An Error when the specs do not fit the
  /// mesh, each other or the shape.
  Redistribution(const Mesh &M, const ParsedSpec &Src, const ParsedSpec &Dst,
                 const Shape &In);

  const Shape &out() const { return Out; }
  /// Whether the result is the operand, on every rank.
  bool isIdentity() const { return Identity; }
  /// Whether what has failed may still read and write its buffers.
  bool mayHold() const;
  void run(const View &X, const View &Y, Site At) const;
  /// The call of its first step that communicates, or one on no axis.
  Call firstCall(DType Type, Site At) const;
  const local::RankOfRun &maker() const { return Maker; }
  /// Over what memory like that of these goes.
  BackendScope backendFor(const View &X, const View &Y, Site At) const;
  /// Runs the steps before that one, and starts it; \c S.C is that call.
  void start(Started &S, const View &X, const View &Y) const;
  /// Ends it, and runs the steps after.
  void goOn(Started &S) const;
  /// Gives up the steps after it.
  void abandon(const Started &S, const std::string &Why) const noexcept;
  Error errorOn(DType Type, Site At, const std::string &Cause) const;
  [[noreturn]] void failFor(DType Type, Site At,
                            const std::string &Cause) const;
  /// That of the gradient: made once, when it is asked for.
  const Redistribution &dual(const Mesh &M) const;

private:
  Redistribution(const Mesh &M, const ParsedSpec &Src, const ParsedSpec &Dst);
  void compile();
  void findAxes();
  planner::Layout layoutOf(const ParsedSpec &S) const;
  void sizesFrom(const Shape &In);
  [[noreturn]] void misfit(const std::string &Why) const;

  Stage stageOf(const planner::Step &X, const planner::Layout &Before,
                const planner::Blocks &Held, const planner::Blocks &Next) const;
  void exchange(Stage &S, const planner::Step &X, const planner::Layout &Before,
                const planner::Blocks &Held, const planner::Blocks &Next) const;
  void scatter(Stage &S, const std::vector<int> &Group,
               const planner::Blocks &Held, const planner::Blocks &Next) const;
  std::vector<int> groupOf(const planner::Axes &Over) const;
  void checkOperand(const View &X, Site At) const;
  std::size_t scratchBytes(DType Type) const;
  /// The operand and the result are as they should be; the first step is next.
  Passage enter(const View &X, const View &Y, char *Scratch, Site At) const;
  Call callOf(const Stage &S, DType Type, Site At) const;
  void *next(const Passage &P) const;
  /// All of the next step that needs no other rank; what does.
  Transfer prepare(const Passage &P) const;
  void pass(Passage &P, const void *Received) const;
  void runStep(Passage &P) const;
  void runSteps(const View &Operand, const View &Result, Site At) const;

  const Mesh *On; ///< while it is compiled: the mesh keeps this
  ParsedSpec Src, Dst;
  Shape Global, In, Out;
  /// The axes that are planned over, in the order of the mesh; on the others
  /// nothing happens.
  planner::DeviceMesh Ranks;
  local::RankOfRun Maker; ///< threads that are no rank stand in for it
  int Self = 0;           ///< among these
  std::vector<Stage> Stages;
  /// Where the operand is R or I, for SPMD_CHECK.
  std::vector<std::pair<Axis, Placement>> Alike;
  bool Identity = true;
  std::int64_t LargestBuffer = 0, LargestPacked = 0, LargestReceived = 0;

  mutable std::once_flag DualOnce;
  mutable std::unique_ptr<const Redistribution> Dual;
};

} // namespace spmd::detail

#endif // SPMD_LIB_REDISTRIBUTE_REDISTRIBUTION_H
