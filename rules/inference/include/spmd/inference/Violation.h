//===- Violation.h - What can be wrong with a program -----------*- C++ -*-===//
//
// One struct per finding, with what its message and its repairs need. What all
// have in common is in Violation.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_VIOLATION_H
#define SPMD_INFERENCE_VIOLATION_H

#include "spmd/ir/IR.h"
#include "spmd/ops/FactorRule.h"

namespace spmd::rules {

/// The set of types on one axis, and the tensor dim if the value is S(dim).
struct AxisType {
  TypeSet Set = TypeSet::all();
  std::optional<int> ShardDim;
};
std::string printAxisType(const AxisType &T); ///< "V", "S(0)", "R|I", "?"

/// A place in a function; none in no function.
struct Site {
  const Function *In = nullptr;
  PlaceId At = PlaceId::None;
  explicit operator bool() const { return In; }
  bool isSame(const Site &Other) const {
    return In == Other.In && At == Other.At;
  }
};

/// Where a value's type on an axis came from.
struct Origin {
  const Function *In = nullptr;
  PlaceId At = PlaceId::None;
  enum class Kind : std::uint8_t {
    None,
    Declared, ///< annotation
    Op,       ///< result of an op
    Transfer, ///< result of a collective or conversion
    Constant,
    Narrowed, ///< by a use together with other values
    Gradient,
    Merge,
    Backward, ///< of the output whose gradient the pass Text takes
    Branch,   ///< what was Text differs since some ranks took another way
  } K = Kind::None;
  llvm::StringRef Text; ///< op, collective, or declared subject
};

/// One operand of a violation.
struct ViolationOperand {
  PlaceId At = PlaceId::None;
  std::string Name; ///< the slot's name; empty for a temporary
  AxisType Type;
  Origin From;
  std::string Spec; ///< "[B@dp, S]"; empty when none is known
  /// The op writes its result here: another tensor in its place would take the
  /// result with it.
  bool Written = false;
  bool IsGradient = false; ///< or made of gradients alone
  /// Each rank has another part of a pending sum: these are no terms of one.
  bool IsOwnPart = false;
};

/// How a value lies on the mesh.
struct ValueLayout {
  std::optional<PartitionSpec> Spec; ///< none when nobody knows it
  std::vector<AxisType> Types;       ///< by AxisId
};

/// How the operands of a violation lie on the mesh.
struct OperandLayouts {
  std::vector<ValueLayout> Of;       ///< by operand
  AxisTable Mesh;                    ///< of all axes of the module
  std::vector<AxisId> Global;        ///< those that are checked globally
  std::optional<ValueLayout> Wanted; ///< what a contract declares
};

//===--- Findings on the types of one axis --------------------------------===//

/// I meets another type in an op.
struct InvariantMix {
  /// It is no mix: only some ranks changed what was I.
  bool ModifiedDivergently = false;
};

/// P where only the sum may stand.
struct PartialNonlinear {
  enum class Place : std::uint8_t {
    Operand,
    Divisor,   ///< of a quotient, the second of the op's two operands
    Reduction, ///< of a collective that does not add
    Share,     ///< the same, of what was divided by the number of ranks
    Average,   ///< divided by that, and made by a collective that does not add
    Update,    ///< made by one, scaled, and taken from a replica
    UpdateOfOne, ///< the same of one rank's own terms, which were sent round
    Term,        ///< each rank's of a sum, which another op's terms are of then
  } As = Place::Operand;
};

/// P, or terms that are summed later, and an addend that is neither.
struct PartialAdd {
  Site Summed; ///< the collective that adds up the terms, if they are no P yet
  /// Such a collective had made the addend, too: to divide the second sum makes
  /// no average of both.
  bool OfSum = false;
};

/// P multiplied by what differs between ranks, or by another P.
struct PartialProduct {
  /// Why the operand, the only one, cannot be read whatever it meets.
  enum class Alone : std::uint8_t {
    No,
    ModifiedDivergently,    ///< only some ranks changed what was P
    PartialAtVaryingOffset, ///< each rank has another part of a pending sum
  } Why = Alone::No;
};

/// What a call of a collective declares of its operand and its result.
struct DeclaredTransfer {
  std::optional<Atom> From, To; ///< none of a raw collective
  Site At;                      ///< where From is declared
};

/// The operand of a collective is of none of its source types.
struct SrcType {
  /// What is wrong besides: each rank holds something else, which the
  /// collective takes for one thing.
  enum class Holds : std::uint8_t {
    Any,
    OnRoot, ///< a reduce left the sum on one rank, and terms on the others
    Shards, ///< each rank has another part of a whole
    OfOwn,  ///< the gradient of what each rank has its own
    Terms,  ///< each rank's terms of a contraction
  };
  AxisType Legal;
  DeclaredTransfer Says;
  /// The other axes on which the operand has a legal type: the communicator
  /// may be the wrong one.
  std::vector<std::string> TypedElsewhere;
  Holds Of = Holds::Any;
};

/// A collective is declared to do what it does not.
struct WrongTransition {
  AxisType Legal;
  DeclaredTransfer Says;
  bool NeedsExpert = false; ///< it does, but is almost never meant
};

/// What an annotation is written on that a value disagrees with.
enum class Annotated : std::uint8_t {
  Value,           ///< what assert_type says of it
  Source,          ///< what a redistribute is said to take
  Variable,        ///< in which the value is stored
  Field,           ///< in which the value is stored
  Argument,        ///< a parameter of the function that is called
  Return,          ///< the result of the function that returns the value
  ParameterOnExit, ///< what the caller's tensor must be when this returns
  VariableOnExit,  ///< what a local of the function must be until it ends
  OutputOnExit,    ///< the same, and the function never mentions it
  FieldOnExit,     ///< on which other functions rely when this returns
  MemberOnExit,    ///< of an object that ends with this function
  Read,            ///< of what an op reads
  Unwritten,       ///< the same, before anything is written there
  PutBack,         ///< a shard in a member, which names it already
  LeftBehind,      ///< a shard that no member names any more on exit
  Unread,          ///< what is made of messages, and ends with the function
};

/// A value is not what an annotation says.
struct ContractClash {
  Annotated On = Annotated::Value; ///< what Violation::Op is the name of
  AxisType Required;
  Site Declared;
  /// The same as declared, "[8@ep]" or "ep: R", if that is on another mesh.
  std::string There;
  /// It is the spec that differs, not the type on one axis.
  struct OfSpec {
    SpecClash How;
    std::string Required;
  };
  std::optional<OfSpec> Spec;
};

/// backward() of a loss of which no backward pass is right.
struct LossType {
  TypeSet Legal;
};

/// A backward pass of the program's own leaves another gradient than that of
/// its input. The operand is what it leaves.
struct GivenGradient {
  std::string Input; ///< the name of the forward pass's parameter
  AxisType InputType;
};

/// The first operand is updated by the second, which holds nothing but zeros or
/// is the part that each rank takes of what it alone has computed; or all of
/// that, though the first one is a shard.
struct LostGradient {
  bool IsZero = false, IsForShard = false;
};

/// Right, but something cheaper does the same.
struct RedundantChain {
  std::vector<const TransferFact *> Chain; ///< in a row, the first one first
  const Transition *Instead = nullptr;     ///< null when none is needed
  Atom From, To;
};

//===--- Findings on partition specs --------------------------------------===//

/// A collective or conversion moves shards otherwise than its operand has them.
struct WrongShardTransfer {
  enum class Kind : std::uint8_t {
    NoDim,        ///< V instead of S(i)
    NoSuchDim,    ///< the tensor has fewer dims
    NotLast,      ///< an axis that is not the last of its dim
    OtherDim,     ///< the axis shards another dim
    Uneven,       ///< cut on several axes at once
    Reinterprets, ///< to or from V
    SumsShards,   ///< reduces what are different elements on each rank
  } K = Kind::NoDim;
  std::optional<unsigned> Dim;
  std::string Axes, AxesOfDim; ///< "tp", "(dp,tp)"
};

/// An op, whose operands are those of the violation, or a collective does not
/// give the shards of what it would give on one device.
struct ShardPropagation {
  /// None under Strict, where nobody can tell. That of an op is large, and
  /// every violation has room for the largest of its details.
  std::variant<std::monostate, std::shared_ptr<const SpecViolation>,
               WrongShardTransfer>
      Why;

  const SpecViolation *ofOp() const {
    const auto *Op = std::get_if<std::shared_ptr<const SpecViolation>>(&Why);
    return Op ? Op->get() : nullptr;
  }
  const WrongShardTransfer *ofTransfer() const {
    return std::get_if<WrongShardTransfer>(&Why);
  }
};

/// A collective takes an axis off a dim of which it is not the last one.
struct ShardOrder {
  WrongShardTransfer Why;
};

using FindingDetail =
    std::variant<InvariantMix, PartialNonlinear, PartialAdd, PartialProduct,
                 SrcType, WrongTransition, ContractClash, LossType,
                 GivenGradient, LostGradient, RedundantChain, ShardPropagation,
                 ShardOrder>;

/// The alternatives of FindingDetail, in their order.
enum class ViolationKind : std::uint8_t {
  InvariantMix,
  PartialNonlinear,
  PartialAdd,
  PartialProduct,
  SrcType,
  Transition,
  Contract,
  LossType,
  GivenGradient,
  LostGradient,
  Redundant,
  ShardPropagation,
  ShardOrder,
};

//===--- Under Strict -----------------------------------------------------===//

/// The operand has legal types, these, and others that would be the violation;
/// or it has no known type at all.
struct OnlyLegal {
  AxisType Types;
};
/// The shards of an op's result depend on an argument that is not known.
struct UndecidedShards {
  std::string On;
};
/// What is declared on another mesh has no equal form on this one.
struct NoCommonForm {
  std::string Why;
};
/// Why a violation is only possible; none of one that is sure.
using Doubt =
    std::variant<std::monostate, OnlyLegal, UndecidedShards, NoCommonForm>;

//===--- A finding --------------------------------------------------------===//

/// A branch on the way to a finding, and how it was taken.
struct WayStep {
  Site Where;
  std::string Says; ///< "on the way where 'stage' is not 2"
};

struct Violation {
  FindingDetail What;
  const Function *In = nullptr;
  PlaceId At = PlaceId::None;
  std::string Axis;
  const Fact *Cause = nullptr; ///< for the fix-it planner
  std::string Op;              ///< op, collective or subject by name
  std::vector<ViolationOperand> Operands;
  Doubt Unsure;
  /// Of findings on partition specs; of contracts where specs are known.
  std::shared_ptr<const OperandLayouts> Layouts;
  /// The calls through which an unannotated function was analysed.
  std::vector<Site> CalledFrom;
  /// Other calls of that function with whose types the same is wrong.
  std::vector<Site> AlsoFrom;
  /// Some ranks of the axis do not come here: no collective can.
  bool OnSomeRanks = false;
  /// The only way on which it holds; empty: on all.
  std::vector<WayStep> Way;

  ViolationKind kind() const { return ViolationKind(What.index()); }
  template <typename T> const T *as() const { return std::get_if<T>(&What); }
  template <typename T> const T *unsureOf() const {
    return std::get_if<T>(&Unsure);
  }
  /// Reported under Strict: nothing is known to be wrong.
  bool isPossible() const { return Unsure.index() != 0; }
  /// Specs are wrong, whatever the types on each axis are.
  bool isOfSpecs() const {
    const auto *C = as<ContractClash>();
    return (C && C->Spec) || as<ShardPropagation>() || as<ShardOrder>();
  }
};

} // namespace spmd::rules

#endif // SPMD_INFERENCE_VIOLATION_H
