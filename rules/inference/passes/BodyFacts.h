//===- BodyFacts.h - What is known of a body in any context -----*- C++ -*-===//

#ifndef SPMD_INFERENCE_PASSES_BODYFACTS_H
#define SPMD_INFERENCE_PASSES_BODYFACTS_H

#include "Accumulations.h"
#include "ListMembers.h"
#include "Loops.h"
#include "SumTerms.h"
#include "ValueFlow.h"
#include "VisitedLists.h"

#include "spmd/ops/OpRule.h"

namespace spmd::rules::inference {

/// By slot: a parameter, field or global of which ops take numbers, and nobody
/// anything else.
std::vector<bool> findHostNumbers(const Function &F);

/// By slot: a gradient may flow back to it.
std::vector<bool> findGradientLiveness(const Function &F);

/// By slot: a view makes it a pointer to a place that may lie behind the one it
/// is made of, and a collective or a call is given that.
std::vector<bool> findMovedPointers(const Function &F);

/// By slot: a view makes it a pointer to a place that may lie behind the one it
/// is made of, and a variable or a field keeps that.
std::vector<bool> findKeptPlaces(const Function &F);

/// The variables for buffers that begin with zeros, to which nobody else has a
/// pointer.
std::vector<SlotId> findOwnBuffers(const Function &F);

/// A temporary that one block defines and uses is forgotten after its last
/// mention there: in long functions nearly all slots are such.
struct SlotLiveness {
  explicit SlotLiveness(const Function &F);

  std::vector<bool> AcrossBlocks; ///< by slot
  /// By the number of a fact: the temporaries that are not mentioned again.
  std::vector<std::pair<std::uint32_t, SlotId>> LastMentions;
};

/// Which slots are fields of an object, and which may name one object.
struct ObjectNames {
  explicit ObjectNames(const Function &F);

  llvm::ArrayRef<SlotId> fieldsOf(SlotId Object) const {
    const auto It = Fields.find(index(Object));
    return It == Fields.end() ? llvm::ArrayRef<SlotId>() : It->second;
  }
  /// The slots that may name what \p Slot does, it among them; empty if it is
  /// the only one, or is no object.
  llvm::ArrayRef<SlotId> namesOf(SlotId Slot) const {
    if (index(Slot) >= ClassOf.size())
      return {};
    const auto It = Names.find(index(ClassOf[index(Slot)]));
    return It == Names.end() ? llvm::ArrayRef<SlotId>() : It->second;
  }

private:
  llvm::ArrayRef<SlotId> ClassOf; ///< by slot: the lowest of its class
  llvm::DenseMap<std::uint32_t, llvm::SmallVector<SlotId, 4>> Fields, Names;
};

/// Found once for each function, whatever it is called with.
struct BodyFacts {
  explicit BodyFacts(const Function &F);

  const SlotLiveness Slots;
  const ObjectNames Objects;
  const ListMembers InLists;
  /// Numbers that are elements of buffers, or made of such.
  const NumbersOfBuffers OfBuffers;
  const std::vector<bool> IsNumber;
  const std::vector<bool> HasGradient;
  const std::vector<bool> IsMoved;
  const std::vector<bool> IsKeptPlace;
  const std::vector<SlotId> OwnBuffers;
  const Loops Cycles;
  const VisitedLists Visited;
  const Accumulations Accumulated;
  const AddingOps Adding;
  const Updates InPlace;

  bool givesGradient(const OpFact &O) const {
    const SlotId Into = O.WritesTo == SlotId::None ? O.Dst : O.WritesTo;
    return Into == SlotId::None || HasGradient[index(Into)];
  }
  /// What \p O makes of \p Operands.
  RuleResult apply(const OpFact &O, llvm::ArrayRef<TypeSet> Operands) const {
    return applyRule(*O.Rule, Operands, O.FormalOf, givesGradient(O));
  }
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_BODYFACTS_H
