//===- Inference.h - Forward dataflow over the SPMD IR ----------*- C++ -*-===//
//
// Types flow forward; an op narrows its operands to what makes it legal; merges
// take the union. A violation is reported when nothing legal is left, and the
// value is unknown afterwards so that one mistake gives one finding.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_INFERENCE_H
#define SPMD_INFERENCE_INFERENCE_H

#include "spmd/inference/Limits.h"
#include "spmd/ops/FactorRule.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::rules {

/// The set of types on one axis, and the tensor dim if the value is S(dim).
struct AxisType {
  TypeSet Set = TypeSet::all();
  std::optional<int> ShardDim;
};
std::string printAxisType(const AxisType &T); ///< "V", "S(0)", "R|I", "?"

/// Where a value's type on an axis came from.
struct Origin {
  const Function *In = nullptr;
  PlaceId At = PlaceId::None;
  enum class Kind : std::uint8_t {
    None,
    Declared, ///< annotation
    Op,       ///< result of an op; Via is the operand that decided it
    Transfer, ///< result of a collective or conversion
    Constant,
    Narrowed, ///< by a use together with other values
    Gradient,
    Merge,
    Branch, ///< what was Text differs since some ranks took another way
  } K = Kind::None;
  llvm::StringRef Text; ///< op, collective, or declared subject
};

enum class ViolationKind : std::uint8_t {
  InvariantMix,
  PartialNonlinear,
  PartialAdd,
  PartialProduct,
  SrcType,
  Transition,
  Contract,
  LossType,
  Redundant, ///< right, but something cheaper does the same
  ShardPropagation,
  ShardOrder,
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
  OutputOnExit,    ///< the same, and the function never mentions it
  FieldOnExit,     ///< on which other functions rely when this returns
  MemberOnExit,    ///< of an object that ends with this function
};

/// Why an op cannot read a value, whatever else it reads.
enum class Unreadable : std::uint8_t {
  No,
  ModifiedDivergently,    ///< only some ranks changed what was I or P
  PartialAtVaryingOffset, ///< each rank has another part of a pending sum
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
};

/// How a value lies on the mesh.
struct ValueLayout {
  std::optional<PartitionSpec> Spec; ///< none when nobody knows it
  std::vector<AxisType> Types;       ///< by AxisId
};

/// What is wrong with partition specs.
struct SpecFinding {
  std::optional<SpecViolation> Op;   ///< an op; its operands are those of Op
  std::vector<ValueLayout> Layouts;  ///< by operand of the violation
  AxisTable Mesh;                    ///< of all axes of the module
  std::vector<AxisId> Global;        ///< those that are checked globally
  std::optional<ValueLayout> Wanted; ///< what a contract declares
  /// A contract.
  std::optional<SpecClash> Clash;
  std::string Required;
  /// A collective or conversion.
  enum class Comm : std::uint8_t {
    NoDim,        ///< V instead of S(i)
    NoSuchDim,    ///< the tensor has fewer dims
    NotLast,      ///< an axis that is not the last of its dim
    OtherDim,     ///< the axis shards another dim
    Uneven,       ///< cut on several axes at once
    Reinterprets, ///< to or from V
    SumsShards,   ///< reduces what are different elements on each rank
  };
  std::optional<Comm> Transfer;
  std::optional<unsigned> Dim;
  std::string Axes, AxesOfDim; ///< "tp", "(dp,tp)"
  /// Under Strict: what the rule of the op depends on.
  std::string UndecidedOn;
};

struct CallSite {
  const Function *In = nullptr;
  PlaceId At = PlaceId::None;
};

/// A branch on the way to a finding, and how it was taken.
struct WayStep {
  const Function *In = nullptr;
  PlaceId At = PlaceId::None;
  std::string Says; ///< "on the way where 'stage' is not 2"
};

struct Violation {
  ViolationKind Kind;
  const Function *In = nullptr;
  PlaceId At = PlaceId::None;
  std::string Axis;
  const Fact *Cause = nullptr; ///< for the fix-it planner
  std::string Op;              ///< op, collective or subject by name
  std::vector<ViolationOperand> Operands;
  /// InvariantMix, PartialProduct: why the operand, the only one, is wrong.
  Unreadable Alone = Unreadable::No;
  /// Contract: what Op is the name of.
  Annotated On = Annotated::Value;
  /// SrcType, Contract: what was required; Transition: the declared pair.
  AxisType Required;
  std::optional<Atom> From, To;
  PlaceId RequiredAt = PlaceId::None; ///< where it was declared
  const Function *RequiredIn = nullptr;
  /// The same as declared, "[8@ep]" or "ep: R", if that is on another mesh.
  std::string RequiredThere;
  /// Contract, under Strict: why that has no equal form on this mesh.
  std::string NoForm;
  /// The other axes on which the operand has the required type (a collective
  /// on the wrong communicator).
  std::vector<std::string> TypedElsewhere;
  /// The calls through which an unannotated function was analysed.
  std::vector<CallSite> CalledFrom;
  /// The only way on which it holds; empty: on all.
  std::vector<WayStep> Way;
  /// Reported under Strict: the operand has legal types, Required, and others
  /// that would be this violation; or it has no known type at all.
  bool Possible = false;
  /// Redundant: the operators in a row, the first one first, and the one that
  /// does the same; null when none is needed.
  std::vector<const TransferFact *> Chain;
  const Transition *Instead = nullptr;
  /// ShardPropagation, ShardOrder, and contracts on full specs.
  std::shared_ptr<SpecFinding> Spec;
  /// Contracts on the types of one axis, where full specs are known as well.
  std::shared_ptr<SpecFinding> Layout;
};

struct InferenceOptions {
  bool Strict = false;
  bool FindRedundant = false; ///< also report what is right and too expensive
  Limits Caps;
  const MeshSpec *Mesh = nullptr; ///< from the configuration
  const Function *Only = nullptr; ///< this one alone, with what it calls
};

/// The inferred type of one slot right after a fact, for --dump-types.
struct TypedSlot {
  const Function *In = nullptr;
  PlaceId At = PlaceId::None;
  SlotId Slot = SlotId::None;
  std::vector<std::pair<std::string, AxisType>> Types; ///< by axis
  std::string Spec; ///< "[B@dp, S]" in global code; empty when none is known
};

/// What is known of what a fact makes, or of what a collective takes, in some
/// call of its function. A bit per axis of InferenceResult::Axes.
struct KnownTypes {
  std::uint32_t Typed = 0;
  /// A number of the host's that nobody described, such as a learning rate.
  bool IsNumber = false;
  /// Of a collective: the axes it is over, and those on which it is known what
  /// it is given.
  std::uint32_t Over = 0, Given = 0;
};

struct InferenceResult {
  std::vector<std::string> Axes;
  llvm::DenseMap<std::pair<const Function *, unsigned>, KnownTypes>
      Known;                         ///< by place
  std::vector<Violation> Violations; ///< in order of discovery, deduplicated
  std::vector<GiveUp> GivenUp;       ///< each once, for --strict and --stats
  unsigned FactsVisited = 0;
};

/// Analyses every function that has a body and is not trusted. \p OnType, when
/// given, sees each definition's type in the functions' own context.
InferenceResult
inferModule(const Module &M, const InferenceOptions &Options,
            llvm::function_ref<void(const TypedSlot &)> OnType = nullptr);

} // namespace spmd::rules

#endif // SPMD_INFERENCE_INFERENCE_H
