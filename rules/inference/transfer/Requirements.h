//===- Requirements.h - What annotations ask of values ----------*- C++ -*-===//

#ifndef SPMD_INFERENCE_TRANSFER_REQUIREMENTS_H
#define SPMD_INFERENCE_TRANSFER_REQUIREMENTS_H

#include "Observations.h"

namespace spmd::rules::inference {

class Requirements {
public:
  explicit Requirements(Body &In) : In(In) {}

  /// Narrows \p Value to \p Required, or tells what contradicts it and trusts
  /// that.
  void require(Operand Value, llvm::ArrayRef<AxisState> Required,
               const Requirement &Why, PlaceId At);
  /// The same of \p Required that code of another mesh says, if \p Map is
  /// given.
  void requireHere(Operand Value, std::vector<AxisState> Required,
                   Requirement Why, const MeshMap *Map, PlaceId At);
  void run(const AssertFact &A);

private:
  void noteBlank(CellId Id, const Requirement &Why);
  bool isFirstValue(const Requirement &Why, const AbstractValue &Value,
                    AxisId A);
  bool isForAll(const Requirement &Why, AxisId A);
  bool isDrawnForAll(Operand Value, const Requirement &Why);
  bool isBehindOther(const AssertFact &A);
  bool isAtOwnPlace(const Requirement &Why, AxisId A);
  void requireOn(Operand Value, AxisId A, llvm::ArrayRef<AxisState> Required,
                 const Requirement &Why, PlaceId At,
                 const AbstractValue &Before);
  void requireSpec(Operand Value, llvm::ArrayRef<AxisState> Required,
                   const Requirement &Why, PlaceId At);
  void trust(SlotId Slot, AxisId A, const AxisState &Declared,
             const Requirement &Why);

  Body &In;
  Engine &E = In.E;
  const Function &F = In.F;
  const Declarations &Decls = In.Decls;
  Storage &Store = In.Store;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_TRANSFER_REQUIREMENTS_H
