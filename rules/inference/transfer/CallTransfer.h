//===- CallTransfer.h - Contracts and bodies at calls -----------*- C++ -*-===//

#ifndef SPMD_INFERENCE_TRANSFER_CALLTRANSFER_H
#define SPMD_INFERENCE_TRANSFER_CALLTRANSFER_H

#include "Requirements.h"

#include <map>

namespace spmd::rules::inference {

/// A value goes into another function or comes out of one.
void crossOver(AbstractValue &V);
/// \p Types where nobody asks for a gradient: that of an I need not be the same
/// on all ranks.
TypeSet invariantAsReplicate(TypeSet Types);

class CallTransfer {
public:
  CallTransfer(Body &In, Requirements &Contracts)
      : In(In), Contracts(Contracts) {}

  void run(const CallFact &Call);

  /// What a call passes to a body, and the cells of the caller that it is.
  struct Passed {
    Context Inner;
    std::vector<CellId> Cells;
    std::map<std::size_t, SlotId> Declared; ///< by cell: who says what it is
    AxisList Inside; ///< the axes on which the body is checked globally
    const MeshMap *In = nullptr, *Out = nullptr;
  };
  Passed pass(const Function &Target, const CallFact &Call);
  AbstractValue inside(AbstractValue Value, const Passed &To) const;
  AbstractValue outside(AbstractValue Value, const Passed &To) const;

private:
  class Callee;
  bool writesByElements(const Function &Target, const CallFact &Call);
  void requireArgument(Operand Given, const Slot &P, const Function &Target,
                       const CallFact &Call, Callee &Of);
  void leaveArgument(Operand Given, const Slot &P, Callee &Of);
  void mayWriteArguments(const CallFact &Call);
  void
  forEachMember(const Function &Target, const CallFact &Call,
                llvm::function_ref<void(Operand, const Slot &)> Visit) const;
  SlotId callerSlot(const Function &Target, const CallFact &F,
                    std::uint32_t CalleeSlot) const;
  void refer(SlotId Slot, CellId Id, SlotId Referred);
  AbstractValue made(const AbstractValue &Value, int Whole,
                     const Passed &To) const;
  AxisList declaredSpan(const Slot &S, const MeshSpec *On) const;
  void passNumbers(const Function &Target, const CallFact &Call,
                   Context &Inner) const;
  AbstractValue leftIn(std::size_t I, const Passed &To, const Summary &S);
  void takeBack(const Passed &To, const Summary &S, PlaceId At);
  SlotId listAt(CellId Id, SlotId Member) const;
  void rebind(const Function &Target, const CallFact &Call, const Passed &To,
              const Summary &S);
  /// What the caller of \p To knows as \p Of.
  CellId cellHere(Summary::Known Of, const Passed &To) const {
    const CellId Id = To.Cells[Of.Of];
    return Of.Gradient ? Store.contents(Id)->Gradient : Id;
  }
  /// \p List may hold what the caller of \p To knows as \p Held.
  void holdHere(CellId List, llvm::ArrayRef<Summary::Known> Held,
                const Passed &To) {
    for (const Summary::Known &Of : Held)
      In.Alias.mayHold(List, cellHere(Of, To));
  }
  CellId callBody(const Function &Target, const CallFact &Call,
                  AbstractValue &Result);

  Body &In;
  Requirements &Contracts;
  Engine &E = In.E;
  const Function &F = In.F;
  const Declarations &Decls = In.Decls;
  const BodyFacts &Facts = In.Facts;
  const ProgramPoint &Point = In.Point;
  Storage &Store = In.Store;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_TRANSFER_CALLTRANSFER_H
