//===- Repair.h - What would make a violation right -------------*- C++ -*-===//
//
// Planned from the violation and the transition table alone; no source text.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_FIXITS_REPAIR_H
#define SPMD_FIXITS_REPAIR_H

#include "spmd/inference/Inference.h"
#include "spmd/planner/Layout.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace spmd::fixits {

/// One operator of the table, applied to a value.
struct Step {
  const rules::Transition *Row;
  /// Where they say more than the row: S(i).
  std::optional<rules::Atom> From = std::nullopt, To = std::nullopt;
  std::string Axis = {}; ///< empty: the violation's

  rules::Atom from() const { return From.value_or(rules::Atom{Row->Src, {}}); }
  rules::Atom to() const { return To.value_or(rules::Atom{Row->Dst, {}}); }
};

/// What the plan of a redistribution takes.
struct Price {
  double Seconds = 0; ///< with some size for each name
  unsigned Collectives = 0;
  /// "7340032 bytes", "7*B*H/32 elements"; empty when the mesh has no sizes.
  std::string Moved, Peak;
};

struct Repair {
  enum class Action : std::uint8_t {
    WrapOperand,      ///< apply Steps to operand Operand
    RemoveCollective, ///< use the operand instead of the collective's result
    RemoveCall,       ///< not run the function that has it, in this call
    ChangeAxis,       ///< run the collective on Axis instead
    ChangeSource,     ///< declare NewSource as the source type
    ReplaceOperator,  ///< Steps[0] does what was declared
    AddExpert,        ///< say that the rare transition is meant
    Shortcut,         ///< Steps, or nothing, in place of a whole chain
    ReducePartial,    ///< the op's result is a pending sum, which Steps reduce
    Redistribute,     ///< take operand Operand from FromType to ToType at once
    Average, ///< in words: the ranks' means, of the op Of, of all ranks
  };
  Action A = Action::WrapOperand;
  unsigned Operand = 0; ///< index into Violation::Operands
  llvm::SmallVector<Step, 2> Steps;
  std::string Axis;
  rules::Atom NewSource;
  /// ReducePartial: the axes of out_partial, which WrapOperand may need too.
  std::vector<std::string> PartialOn;
  /// ReducePartial: the op; the violation's where none is named.
  rules::PlaceId Of = rules::PlaceId::None;
  /// Redistribute, or in place of Steps.
  std::shared_ptr<const rules::TypeSpec> FromType, ToType;
  /// Of what global code inserts.
  std::optional<Price> Planned;
  /// RemoveCall: index into Violation::CalledFrom. In between are functions
  /// that are one such call each.
  unsigned Call = 0;
  /// Nothing is edited: other calls need the function as it is, say.
  bool InWords = false;
  /// WrapOperand: the operand is a variable, and what it is made as may as well
  /// be declared to mean that, which moves no data and takes no library.
  bool AtVariable = false;
  /// Of other operands, made together with it.
  std::vector<Repair> Also;
  /// What gets whole gets I, where another repair has R.
  bool Invariant = false;
  /// Tried in the IR: what was wrong is right, and nothing else is wrong.
  bool Checks = false;
  /// Keeps the meaning of every value in the program's types.
  bool Safe = false;
  /// The one that --fix applies; at most one per violation.
  bool Preferred = false;
};

/// The cheapest way from \p Src to \p Dst of at most two operators that keep
/// the value's meaning and need no expert; empty when there is none.
llvm::SmallVector<Step, 2> findPath(rules::LocalType Src, rules::LocalType Dst);

/// By axis, what its links take for a collective and for each byte; those of
/// other axes are all alike.
using AxisLinks = llvm::StringMap<planner::Link>;

/// What is wrong with the shards of the operands of an op; null if \p V is
/// something else.
const rules::SpecViolation *shardsOfOp(const rules::Violation &V);
/// Whether \p V is about shards: planReshards() knows what to do.
bool isAboutShards(const rules::Violation &V);
/// Of what is wrong with partition specs, in global code: what an automatic
/// partitioner would insert, best first. docs/global.md has the order.
std::vector<Repair> planReshards(const rules::Violation &V,
                                 const AxisLinks &Links = {});

/// What an operand is made of, as far as that is known.
struct MadeOf {
  /// The ops whose results are pending sums if the operand is to be one; or,
  /// where that is to be whole, if they are added up there: products of shards
  /// or sums of them. None where it is something else on some way.
  llvm::SmallVector<rules::PlaceId, 2> Terms;
  /// The first may as well be of each rank's part of a batch.
  bool MayBeParts = true;
  /// The op that makes a mean of each rank's own share.
  rules::PlaceId Average = rules::PlaceId::None;
  /// Something else is made of each rank's share, as an extreme.
  bool Mixed = false;
};

/// Repairs of \p V, best first: cheapest that keeps the meaning, then the ones
/// that only the author can choose.
std::vector<Repair> planRepairs(
    const rules::Violation &V, const AxisLinks &Links = {},
    llvm::function_ref<MadeOf(const rules::ViolationOperand &)> Of = nullptr);

/// Bytes that a rank sends over an axis of N ranks, as a share of the local
/// tensor: "2(N-1)/N", "(N-1)/N", or "0".
std::string_view bytesMoved(rules::OperatorKind Op);
/// That which the full types of a function agree on, "bf16"; empty when there
/// is none, or they do not.
std::string elementType(const rules::Function *F);
/// "moves 2(N-1)/N of it over 'tp'; backward: all_reduce".
std::string costOf(const Repair &R, llvm::StringRef Axis);

} // namespace spmd::fixits

#endif // SPMD_FIXITS_REPAIR_H
