//===- Observations.h - What transfers come upon ----------------*- C++ -*-===//
//
// A transfer function says what becomes of a state, and tells what it saw.
// Nobody listens before the states have settled; then the checks do, and
// decide what of it is a finding. What is told is there for the call only.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_TRANSFER_OBSERVATIONS_H
#define SPMD_INFERENCE_TRANSFER_OBSERVATIONS_H

#include "body/Body.h"
#include "passes/SumTerms.h"

namespace spmd::rules::inference {

//===--- Ops --------------------------------------------------------------===//

/// The rule of \p O was applied: \p R is its result.
struct RuleApplied {
  const OpFact &O;
  AxisId A;
  const RuleResult &R;
  llvm::ArrayRef<const AbstractValue *> Cells;
};

/// Nothing legal is left of \p Sets.
struct IllegalOperands {
  const OpFact &O;
  AxisId A;
  const RuleResult &R;
  llvm::ArrayRef<TypeSet> Sets;
};

/// What \p O adds to each rank's term of a sum is in it once per rank.
struct ReplicasAdded {
  const OpFact &O;
  AxisId A;
  llvm::ArrayRef<TypeSet> Sets;
  const OperandList &Replicas;
  const TransferFact *By; ///< that makes the sum
};

/// \p T adds up over \p A what \p Added was added to on each rank.
struct SumsAdded {
  const TransferFact &T;
  AxisId A;
  const AddedReplica &Added;
};

/// The result of \p O has no partition spec.
struct NoResultSpec {
  const OpFact &O;
  const SpecViolation &Why;
  llvm::ArrayRef<const PartitionSpec *> Specs;
};

/// It depends on an argument that is not known.
struct UndecidedResultSpec {
  const OpFact &O;
  const Undecided &On;
  llvm::ArrayRef<const PartitionSpec *> Specs;
};

/// The loss \p B is of a type of which no backward pass is right.
struct IllegalLoss {
  const BackwardFact &B;
  AxisId A;
  const AxisState &Is;
  TypeSet Legal;
};

/// What \p Backward leaves as gradient \p Of the \p Input-th argument fits none
/// of what that may be.
struct UnfitGradient {
  const CallFact &Call;
  const Function &Backward;
  AxisId A;
  std::size_t Input;
  const AxisState &Of;
  const AxisState &Gradient;
};

/// \p Call is about to run.
struct Called {
  const CallFact &Call;
};

//===--- Collectives ------------------------------------------------------===//

/// \p T has an operand that is \p Was and must be of \p Legal.
struct IllegalSource {
  const TransferFact &T;
  AxisId A;
  const AxisState &Was;
  TypeSet Legal;
  SrcType::Holds Of = SrcType::Holds::Any;
};

/// \p O is not linear in \p Term, each rank's term of a sum, and its results
/// are added up then.
struct TermEntersNonlinear {
  const OpFact &O;
  const Operand &Term;
  AxisId A;
  const AxisState &Was;
};

/// \p T does not add, and its operand is a pending sum or, if \p OfShares, was
/// divided by the number of ranks, as for an average.
struct ReducedOtherwise {
  const TransferFact &T;
  AxisId A;
  const AxisState &Was;
  bool OfShares = false;
};

/// \p Value is what a collective made that does not add, and \p O divides it by
/// the number of ranks, or takes it from a replica as one does a gradient.
struct TakesExtreme {
  const OpFact &O;
  const Operand &Value;
  AxisId A;
  const AxisState &Was;
  PartialNonlinear::Place As;
};

/// \p O updates its first operand by the second, which is nothing but zeros or
/// each rank's part of its own terms.
struct LosesTerms {
  const OpFact &O;
  AxisId A;
  const AxisState &Was, &By;
  bool ByZeros, ForShard;
};

/// What \p T declares is no row of the table, or one that \p NeedsExpert.
struct NoTransition {
  const TransferFact &T;
  AxisId A;
  const AxisState &Was;
  TypeSet Legal;
  bool NeedsExpert;
};

/// Only some of what the operand of \p T may be, \p Legal, is legal.
struct DoubtfulSource {
  const TransferFact &T;
  AxisId A;
  const AxisState &Was;
  TypeSet Legal;
};

/// \p T moves shards otherwise than \p Src has them.
struct IllegalShards {
  const TransferFact &T;
  const AbstractValue &Src;
  llvm::ArrayRef<AxisId> Span;
  WrongShardTransfer::Kind Why;
  std::optional<unsigned> Dim;
};

/// \p T is right on the axis \p A, where its operand is \p Was.
struct SoundSource {
  const TransferFact &T;
  AxisId A;
  const AxisState &Was;
};

//===--- Annotations ------------------------------------------------------===//

/// What code of another mesh says, on the axes of that.
struct Foreign {
  const MeshMap &Map;
  std::vector<AxisState> Types;
  SpecPtr Spec;
  std::string NoSpec; ///< why Spec has no equal form here
};

/// An annotation that asks something of a value.
struct Requirement {
  Annotated On;
  llvm::StringRef Subject;
  PlaceId DeclaredAt;
  const Function *DeclaredIn;
  SpecPtr Spec = nullptr;
  const Foreign *There = nullptr;
  bool IsElement = false;       ///< of a buffer, not a tensor
  SlotId Buffer = SlotId::None; ///< of that one, if it is known
  bool IsOutput = false;        ///< nobody reads what was there before
  /// A number that tells where the rank's part of something is.
  bool TellsPlace = false;
};

/// \p Value is \p Was on \p A, and must be what \p Required says there.
struct Unmet {
  Operand Value;
  const AxisState &Was;
  const AbstractValue &Before;
  llvm::ArrayRef<AxisState> Required;
  const Requirement &Why;
  PlaceId At;
  AxisId A;
};

/// Only some of what it may be is \p Wanted.
struct DoubtfullyMet {
  Operand Value;
  const AxisState &Was;
  TypeSet Wanted;
  const Requirement &Why;
  PlaceId At;
  AxisId A;
};

/// The partition spec of \p Now is another than is required.
struct UnmetSpec {
  Operand Value;
  const AbstractValue &Now;
  const SpecClash &How;
  llvm::ArrayRef<AxisState> Required;
  const Requirement &Why;
  PlaceId At;
};

/// All of \p Why was asked of \p Value, which was \p Before.
struct Asked {
  Operand Value;
  const AbstractValue &Before;
  const Requirement &Why;
  PlaceId At;
};

//===--- Reads ------------------------------------------------------------===//

/// \p Op reads \p Value.
struct Read {
  const Operand &Value;
  AxisId A;
  PlaceId At;
  llvm::StringRef Op;
};

/// As if it were a pending sum, and it is a part of one that lies elsewhere on
/// each rank: none has all of its terms.
struct ReadAtVaryingOffset : Read {};
/// On ranks of which only some changed what was I or P.
struct ReadModifiedDivergently : Read {};
/// It is V though its storage is declared to be a replica.
struct ReadUnlikePromise : Read {};
/// Nobody has written it.
struct ReadUnwritten : Read {};
/// Before anybody has put there what is declared to be there.
struct ReadBeforeWritten : Read {};

/// \p B makes a member a name of what it is a name of already, each rank's
/// shard on \p A: the whole, which \p Gathered has, nobody reads.
struct PutBackUnread {
  const BindFact &B;
  SlotId Gathered;
  AxisId A;
};

using Observation =
    std::variant<RuleApplied, IllegalOperands, ReplicasAdded, SumsAdded,
                 NoResultSpec, UndecidedResultSpec, IllegalLoss, UnfitGradient,
                 Called, IllegalSource, ReducedOtherwise, TermEntersNonlinear,
                 TakesExtreme, LosesTerms, NoTransition, DoubtfulSource,
                 IllegalShards, SoundSource, Unmet, DoubtfullyMet, UnmetSpec,
                 Asked, ReadAtVaryingOffset, ReadModifiedDivergently,
                 ReadUnlikePromise, ReadUnwritten, ReadBeforeWritten,
                 PutBackUnread>;

/// Whoever wants to know what transfers come upon.
class Listener {
public:
  virtual ~Listener() = default;
  virtual void hear(const Observation &What) = 0;
};

inline void tell(Body &In, const Observation &What) {
  if (In.Listening)
    In.Listening->hear(What);
}

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_TRANSFER_OBSERVATIONS_H
