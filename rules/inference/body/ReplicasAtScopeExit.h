//===- ReplicasAtScopeExit.h - What objects hold at their end ---*- C++ -*-===//
//
// Objects that a function makes and keeps to itself end with it.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_BODY_REPLICASATSCOPEEXIT_H
#define SPMD_INFERENCE_BODY_REPLICASATSCOPEEXIT_H

#include "Body.h"

namespace spmd::rules::inference {

class ReplicasAtScopeExit {
public:
  explicit ReplicasAtScopeExit(Body &In) : In(In) {}

  /// The fields declared R or I of the objects that end with the function.
  std::vector<SlotId> find() const;
  /// Whether the function makes an object of which \p Field may be a field.
  bool isMadeHere(SlotId Field) const;
  /// Whether it is of a variable here that is a module of the library's, whose
  /// first values are drawn here, and that nobody else has.
  bool isDrawnHere(SlotId Field) const;
  /// Whether its object is one of several elements: it is a part of what they
  /// all have there.
  bool isOfElement(SlotId Field) const;
  /// Whether it is one of a variable of the function, not of a value that has
  /// no name.
  bool isInVariable(SlotId Field) const;
  /// The fields that \p Field is where its variable refers to objects, or to
  /// elements, that have other names.
  llvm::SmallVector<SlotId, 4> otherNames(SlotId Field) const;
  /// Whether code that is not seen may have the object of \p Field.
  bool isGivenAway(SlotId Field) const;
  /// A constructor that leaves a field of which nothing is known leaves it as
  /// declared.
  void believeFields(State &Exit);

  /// Whether the storage \p Id, or a part of it, has a name that is seen after
  /// the function returns.
  bool outlives(SlotId Slot, CellId Id, const State &Exit) const;
  /// Whether no fact of \p Block can change the storage \p Id.
  bool isQuiet(std::uint32_t Block, CellId Id) const;
  /// A block that throws or ends the program, after which no one looks.
  bool neverReturns(std::uint32_t Block) const;
  /// The blocks after whose start \p Id is never changed.
  std::vector<bool> quietToTheEnd(CellId Id) const;

private:
  bool isOwned(SlotId Field) const;
  bool isHeldAlone(SlotId Field) const;
  bool isOfResult(SlotId Field) const;
  bool isOutside(SlotId Slot) const;

  Body &In;
  Engine &E = In.E;
  const Function &F = In.F;
  const Declarations &Decls = In.Decls;
  const BodyFacts &Facts = In.Facts;
  ProgramPoint &Point = In.Point;
  Storage &Store = In.Store;
  const MayAlias &Alias = In.Alias;
  const CellNumbers &Numbers = In.Numbers;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_REPLICASATSCOPEEXIT_H
