//===- IR.h - The SPMD intermediate representation --------------*- C++ -*-===//
//
// What lowering keeps of a program: functions of basic blocks of facts over
// slots. No `clang::` type survives here. The text form (IRText.h) parses back.
//
// A *slot* is a name that can refer to storage: a variable, a parameter, a
// field path, a temporary. Binding two slots makes them the same storage
// (handle copies, references, pointers into one buffer); an op with WritesTo
// changes what the storage holds, for all slots bound to it.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_IR_IR_H
#define SPMD_IR_IR_H

#include "spmd/ops/OpArgument.h"
#include "spmd/ops/OpRule.h"
#include "spmd/types/CheckingMode.h"
#include "spmd/types/Transition.h"
#include "spmd/types/TypeSpec.h"

#include <memory>
#include <variant>

namespace spmd::rules {

enum class SlotId : std::uint32_t { None = ~0u };
enum class PlaceId : std::uint32_t { None = 0 };
enum class BlockId : std::uint32_t { None = ~0u };
using AxisId = std::uint32_t;

constexpr std::uint32_t index(SlotId S) {
  return static_cast<std::uint32_t>(S);
}
constexpr std::uint32_t index(PlaceId P) {
  return static_cast<std::uint32_t>(P);
}
constexpr std::uint32_t index(BlockId B) {
  return static_cast<std::uint32_t>(B);
}

/// A position in the program. The front end keeps the exact ranges in a
/// parallel table; the text form knows lines and columns.
struct Place {
  std::uint32_t Line = 0;
  std::uint32_t Column = 0;
};

enum class SlotKind : std::uint8_t {
  Local,
  Parameter,
  This, ///< the receiver of a method: base of its fields
  Field,
  Global,
  Temporary,
  Result, ///< a returned struct: base of its fields
};

/// The state of the random generator that all code of the program shares.
inline constexpr llvm::StringLiteral GeneratorName = "random generator";

struct Slot {
  std::string Name; ///< as the user wrote it; empty for a temporary
  SlotKind Kind = SlotKind::Temporary;
  SlotId Base = SlotId::None; ///< Kind Field: `Base.Member`
  std::string Member; ///< Kind Global: what tells it from others of its name
  /// Parameter passed by reference to a handle or struct: assigning it rebinds
  /// the caller's slot.
  bool ByReference = false;
  /// A local that code uses in ways that no fact tells: printed, asked for its
  /// size, passed to unknown code.
  bool Escapes = false;
  /// A local object, or a member by value of one: it ends with what it is in,
  /// and the facts tell all that code does with it.
  bool Owned = false;
  /// A local that is in scope where the function ends.
  bool Outermost = false;
  /// A struct, not a pointer or reference to one: its fields are a part of it.
  bool InPlace = false;
  /// A field that is a tensor, several ones or a buffer: what is said of an
  /// object is about those in it.
  bool IsTensor = false;
  /// A whole number, which may be that of the rank.
  bool Integer = false;
  /// A model that shares no layer with others of the function that are so, as
  /// their classes say.
  bool Apart = false;
  /// What the declaration promises, if annotated.
  std::shared_ptr<const TypeAnnotation> Declared;
  /// A field without an annotation of its own: that of the object says so.
  bool Inherited = false;
  /// The axes a communicator is declared to span, outermost first.
  std::vector<std::string> DeclaredAxes;
  /// Whose axes these are; null: the function's.
  std::shared_ptr<const MeshSpec> Mesh;
  PlaceId DeclaredAt = PlaceId::None;
};

/// Gives \p Field what the annotation of the object \p Of says of it, if it has
/// none of its own, or is said there by name.
void inheritAnnotation(Slot &Field, const Slot &Of);

/// A slot as used in an expression.
struct Operand {
  SlotId Slot = SlotId::None;
  PlaceId At = PlaceId::None;
  /// Of ops: a number of the host's, not a tensor; it has no dims.
  bool Scalar = false;
};

//===--- Facts ------------------------------------------------------------===//

/// Dst is new storage that holds a value from nowhere else.
struct DefineFact {
  enum class Kind : std::uint8_t {
    Constant,  ///< same on all ranks, no gradient
    Zero,      ///< a constant zero
    Unknown,   ///< nothing is known: random, result of unknown code
    Undefined, ///< storage not written yet
    Declared,  ///< as Type says
    RankOf,    ///< the rank on Axis: varies there, constant elsewhere
    SizeOf,    ///< the number of ranks on Axis: a constant
    Axes,      ///< a communicator over AxisNames
    OneRank,   ///< a communicator of this rank alone
    Own,       ///< another number on each rank
  };
  SlotId Dst = SlotId::None;
  Kind K = Kind::Unknown;
  PlaceId At = PlaceId::None;
  std::shared_ptr<const TypeSpec> Type;
  SlotId Axis = SlotId::None;
  std::vector<std::string> AxisNames;

  bool isOfAxis() const { return K == Kind::RankOf || K == Kind::SizeOf; }
};

/// Dst refers to the storage of Src from now on.
struct BindFact {
  SlotId Dst = SlotId::None;
  Operand Src;
  PlaceId At = PlaceId::None;
  /// Dst is a reference or pointer to the object Src, not a copy: what is
  /// stored in a field of one is stored in the other's.
  bool Refers = false;
  /// Dst is a list of handles: it holds Src besides what it held.
  bool Joins = false;
};

/// Dst is the part of Src's storage at an offset. If the offset varies on an
/// axis, so does the part: the slice of a replicated buffer is V.
struct ViewFact {
  enum class Kind : std::uint8_t {
    Offset,  ///< what is behind a pointer's new place
    Element, ///< `p[i]`: an index of unknown type counts as the same on all
             ///< ranks (thread indices are), where an unknown pointer offset
             ///< may vary
    Handle,  ///< one of the handles in a list: others are other storage
    Region,  ///< a place of its own: no other region has any of it
  };
  Kind K = Kind::Offset;
  SlotId Dst = SlotId::None;
  Operand Src;
  Operand Offset; ///< Slot None: not tracked, the same on all ranks
  PlaceId At = PlaceId::None;
};

/// An ordinary op. The result is new storage in Dst (if any) and, with
/// WritesTo, the new contents of that storage too.
struct OpFact {
  SlotId Dst = SlotId::None;
  const OpRule *Rule = nullptr;
  llvm::SmallVector<Operand, 3> Operands;
  llvm::SmallVector<unsigned, 3> FormalOf; ///< parallel to Operands
  /// What the call passes besides, by the names of the C++ parameters.
  std::vector<OpArgument> Arguments;
  SlotId WritesTo = SlotId::None;
  /// Only part of WritesTo is written: its old contents join the result.
  bool PartialWrite = false;
  PlaceId At = PlaceId::None;

  /// In place: `p.sub_(x)` writes to its first operand.
  bool writesOperand(unsigned I) const {
    return WritesTo != SlotId::None && Operands[I].Slot == WritesTo;
  }
};

enum class TransferKind : std::uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Reinterpret,
  Convert,
  Redistribute, ///< any meaning-keeping path
  OutPartial,   ///< V becomes P, P stays
  Broadcast,    ///< from one root
  Reduce,       ///< to one root
  Gather,       ///< to one root
  Scatter,      ///< from one root
  Scan,         ///< each rank's and those before it
  Permute,      ///< send/recv: the value of another rank
  Keep,         ///< of one root, zeros on all others
};
std::string_view transferName(TransferKind K);
/// Whether it makes one value of what all ranks have.
bool reduces(TransferKind K);
/// Whether ranks wait for each other in it: it is no mere change of types.
bool communicates(TransferKind K);
std::optional<OperatorKind> operatorOf(TransferKind K);
TransferKind transferOf(OperatorKind Op);

enum class ReductionKind : std::uint8_t {
  Sum,
  Average,
  Idempotent, ///< min, max, and, or
  Other,      ///< product or user-defined
  Unknown,    ///< chosen at run time
};

/// A collective or a conversion on one axis or several flattened ones.
struct TransferFact {
  TransferKind K;
  SlotId Dst = SlotId::None; ///< the result as an expression
  Operand Src;
  /// Raw collectives: the buffer that receives the result (may be Src's).
  Operand Out;
  Operand Axis;                 ///< a communicator slot
  std::optional<Atom> From, To; ///< declared in the call; absent for raw ones
  /// Between types of all axes instead; Axis is none then.
  std::shared_ptr<const TypeSpec> FromType, ToType;
  PlaceId FromAt = PlaceId::None, ToAt = PlaceId::None;
  ReductionKind Reduction = ReductionKind::Sum;
  bool Expert = false; ///< called with spmd::expert
  /// Of a few elements, as it may be for the ranks to wait for each other.
  bool Few = false;
  /// Few whole numbers, as the ranks have counted something.
  bool Counts = false;
  PlaceId At = PlaceId::None;
};
/// The same of a reduction that picks one of the values.
std::optional<OperatorKind> operatorOf(const TransferFact &T);

/// A place where a value must have a declared type.
struct AssertFact {
  enum class Kind : std::uint8_t {
    AssertType, ///< spmd::assert_type(x, "…"): also narrows
    Variable,   ///< initialisation or assignment of an annotated variable
    Field,
    Argument,
    Return,
    Exit, ///< entry -> exit type, at the end of the function
  };
  Operand Value;
  std::shared_ptr<const TypeSpec> Type;
  std::shared_ptr<const MeshSpec> Mesh; ///< of Type; null: the function's
  Kind K = Kind::AssertType;
  /// It becomes an element of a buffer: what is V there may be the same on all
  /// ranks.
  bool IsElement = false;
  SlotId Buffer = SlotId::None; ///< that one, or the element itself
  std::string Subject;          ///< parameter, field or function name
  PlaceId At = PlaceId::None;   ///< of the statement
  PlaceId DeclaredAt = PlaceId::None;
};

/// A number, flag or enumerator that a call hands on: a literal, or what a
/// parameter of the caller is, which it does not change.
struct GivenNumber {
  std::uint32_t Argument = 0;
  std::int64_t Value = 0;
  SlotId Same = SlotId::None; ///< the parameter; then Value is none
};

/// A backward pass that the program itself gives: its second argument has the
/// gradients of the outputs as elements "[0]", …, its result those of the
/// inputs.
struct GivenBackward {
  Operand Output;                       ///< what the forward pass made
  llvm::SmallVector<Operand, 0> Inputs; ///< in order; Slot None: no tensor
};

/// A call of a function whose signature or body the module knows by Callee.
/// Calls are few, and all facts are as large as the largest.
struct CallFact {
  /// The result; with a Backward its Output, of the types whose gradients the
  /// callee takes.
  SlotId Dst = SlotId::None;
  std::string Callee;
  Operand Receiver;
  llvm::SmallVector<Operand, 0> Arguments; ///< by parameter index
  /// The arguments that are numbers which hold for the whole call.
  llvm::SmallVector<GivenNumber, 0> Numbers;
  PlaceId At = PlaceId::None;
  /// Autograd does not look in: what is the same on all ranks is R and I alike.
  bool NoGrad = false;
  /// Not run here: the callee is what autograd will call.
  std::optional<GivenBackward> Backward = std::nullopt;

  /// What the callee's result is here.
  SlotId result() const { return Backward ? SlotId::None : Dst; }
};

/// Dst is the gradient of Src: the dual type, or zeros where it is cleared.
struct GradientFact {
  SlotId Dst = SlotId::None;
  Operand Src;
  PlaceId At = PlaceId::None;
  bool Clears = false; ///< nobody reads it here
};

/// backward() on Loss.
struct BackwardFact {
  Operand Loss;
  PlaceId At = PlaceId::None;
};

/// Unknown code may have written this storage (and rebound the slot when
/// Rebinds): its type is unknown, or as declared, from now on.
struct HavocFact {
  SlotId Slot = SlotId::None;
  bool Rebinds = false;
  PlaceId At = PlaceId::None;
  /// Only the gradients of its tensors, now or in each backward pass to come.
  bool Gradients = false;
  /// And nothing but those: whoever has them cannot change the values.
  bool Alone = false;
  /// What wrote it was no code but a message over this communicator.
  SlotId Comm = SlotId::None;
};

/// On this way Slot is a pointer to nothing: what it names elsewhere is not
/// written here, and not read.
struct NullFact {
  SlotId Slot = SlotId::None;
  PlaceId At = PlaceId::None;
};

struct ReturnFact {
  Operand Value; ///< Slot None: returns nothing tracked
  PlaceId At = PlaceId::None;
};

/// A place with a name, at which somebody looks at values: a test, or who
/// writes a front end. It does nothing to them.
struct PointFact {
  std::string Name;
  llvm::SmallVector<Operand, 2> Of;
  PlaceId At = PlaceId::None;
};

using Fact = std::variant<DefineFact, BindFact, ViewFact, OpFact, TransferFact,
                          AssertFact, CallFact, GradientFact, BackwardFact,
                          HavocFact, NullFact, ReturnFact, PointFact>;
PlaceId placeOf(const Fact &F);

//===--- Functions --------------------------------------------------------===//

/// Goes to the first successor if what is called \p Of, one number in all of
/// the function, is so related to \p To; to the second if not.
struct BranchTest {
  enum class Relation : std::uint8_t { Equal, Unequal, Less, Greater };
  /// A flag may have any value. A number may be one of elements or of ranks,
  /// and then there is nothing to do for 0, and nobody to talk to for 1.
  /// Elements of a list are told apart by what numbers them: some go one way,
  /// some the other. So are the iterations of a loop. To an element that is not
  /// defined, 0, there is nothing to do. What data decide, as a loss or a norm,
  /// they decide alike where the condition reads the same.
  enum class Kind : std::uint8_t {
    Flag,
    Number,
    Elements,
    Iterations,
    Defined,
    Data
  } K = Kind::Number;
  std::string Of;
  Relation R = Relation::Unequal;
  std::int64_t To = 0;
  /// Kind Iterations: the block that begins the loop. In one iteration it is
  /// one number.
  BlockId Loop = BlockId::None;
  /// The parameter that is the number: calls may say what it is.
  SlotId Parameter = SlotId::None;

  bool operator==(const BranchTest &) const = default;
  /// Whether it holds where the number is \p Value.
  bool holdsFor(std::int64_t Value) const;
  /// What holds where it does not.
  BranchTest negated() const;
};

struct Block {
  std::vector<Fact> Facts;
  /// None: the function returns. A block that ends the program or throws is its
  /// own successor.
  llvm::SmallVector<BlockId, 2> Successors;
  /// What decides between several successors; Slot None: not known.
  Operand Condition;
  /// The same as a comparison of a number that keeps its value while the
  /// function runs: other blocks that test it decide alike.
  std::optional<BranchTest> Test;
  /// The condition compares what is computed, as a loss or a norm, and no
  /// counter or option: no other branch has anything to do with it.
  bool OnData = false;
};

/// A function's contract, its body, or both. Parameters are the slots
/// [0, NumParameters) in order; a method's receiver is ThisSlot.
struct Function {
  std::string Symbol;      ///< unique in the module (a USR or mangled name)
  std::string DisplayName; ///< as written, for messages
  unsigned NumParameters = 0;
  SlotId ThisSlot = SlotId::None;
  std::shared_ptr<const TypeAnnotation> Result; ///< annotated return value
  std::vector<std::string> ResultAxes;          ///< returns a communicator
  PlaceId ResultAt = PlaceId::None;
  std::vector<Slot> Slots;
  /// By slot: the class of those that may name the object that it names; slots
  /// past the end are each alone. addCalleeFields finds them.
  std::vector<SlotId> ObjectOf;
  std::vector<Block> Blocks; ///< Blocks[0] is the entry; empty: no body
  std::vector<Place> Places{Place{}};   ///< [0] is PlaceId::None
  std::shared_ptr<const MeshSpec> Mesh; ///< in force in this function
  CheckingMode Mode;
  /// Trusted: the body is not analysed, annotations are the contract.
  bool Trusted = false;
  bool IsConstructor = false;
  /// Runs in many threads at a time, which together go all its ways: what one
  /// of them does not do to a buffer, as it has no element there, others do.
  bool IsKernel = false;
  /// Makes one of its calls, nobody knows which: what is wrong with one of them
  /// need not be wrong with that which is made.
  bool IsChoice = false;
  /// Some parameter, field or the result is annotated: a call takes the
  /// contract. Otherwise the body is analysed with the caller's types.
  bool hasContract() const;

  SlotId addSlot(Slot S) {
    Slots.push_back(std::move(S));
    return SlotId(static_cast<std::uint32_t>(Slots.size() - 1));
  }
  SlotId addTemporary() { return addSlot(Slot{}); }
  PlaceId addPlace(Place P) {
    Places.push_back(P);
    return PlaceId(static_cast<std::uint32_t>(Places.size() - 1));
  }
  const Slot &slot(SlotId S) const { return Slots[index(S)]; }
  /// A field of a struct that the caller passed by value.
  bool isOwnCopy(const Slot &Field) const;
};

struct Module {
  std::vector<std::unique_ptr<Function>> Functions;
  /// Rules that are in no catalogue: of operators of the language, and of
  /// functions that an annotation describes.
  std::vector<std::unique_ptr<const OpRule>> OwnRules;
  const Function *find(llvm::StringRef Symbol) const;
};

} // namespace spmd::rules

#endif // SPMD_IR_IR_H
