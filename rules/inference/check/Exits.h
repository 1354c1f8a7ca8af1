//===- Exits.h - What a function leaves -------------------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_EXITS_H
#define SPMD_INFERENCE_CHECK_EXITS_H

#include "body/ReplicasAtScopeExit.h"
#include "transfer/Requirements.h"

#include "llvm/ADT/MapVector.h"

namespace spmd::rules::inference {

/// That nobody writes to \p Parameter what it is declared to hold on exit, as
/// \p At shows; on one axis, as it is one mistake. None: nothing is declared.
std::optional<Violation> unwrittenOutput(Body &In, SlotId Parameter,
                                         PlaceId At);

/// What parameters and fields must be when the function returns.
class Exits {
public:
  /// \p Owned are the fields that checkOwned looks at.
  Exits(Body &In, Requirements &Contracts, const ReplicasAtScopeExit &Objects,
        llvm::ArrayRef<SlotId> Owned)
      : In(In), Contracts(Contracts), Objects(Objects), Owned(Owned) {}

  /// Parameters with an exit type hold it in \p Exit.
  void run(State &Exit);
  /// \p S: where the function ends but for those who return before, and leave
  /// things as they were, perhaps.
  void checkLast(State &S) {
    Point.Now = &S;
    Point.Running = nullptr;
    checkReplicas();
  }
  /// \p Slot, a field that is declared R or I of an object that ends here, is
  /// so at the end of the last block that changes it. \p Ends are the states
  /// at the ends of all blocks.
  void checkOwned(SlotId Slot, llvm::ArrayRef<State> Ends, const State &Exit);

private:
  bool isTensorOf(SlotId Object, std::uint32_t Member) const;
  void checkOnExit(SlotId Slot);
  void checkOutput(const Slot &S, SlotId Parameter);
  bool endsHere() const;
  bool isFieldAtEnd(std::uint32_t Number) const;
  bool isSaidElsewhere(SlotId Field, const AbstractValue &Now) const;
  bool isNearest(std::uint32_t Number) const;
  void checkIterations();
  void checkIterations(std::uint32_t Number, CellId Id,
                       const AbstractValue &Now);
  llvm::SmallMapVector<CellId, AbstractValue, 2> endsOf(SlotId Slot) const;
  static void keepLasting(AbstractValue &Value, const AbstractValue &Now);
  void checkReplicas();
  void checkByOtherName(SlotId List);
  bool hasBetterName(const Slot &Field, std::uint32_t Number) const;
  void checkResult();
  void checkLeftBehind();
  void checkUnread();
  bool isNamedOutside(CellId Id) const;
  /// \p Name, stored in \p Id, must be \p Required and \p Is something else
  /// from
  /// \p At on.
  void report(Annotated On, const AxisType &Required, PlaceId DeclaredAt,
              llvm::StringRef Name, CellId Id, Site At, const AxisState &Is,
              AxisId A);
  /// \p S, which is declared R or I and is stored in \p Id, is \p Now.
  void noteDoubt(const Slot &S, const AxisState &Declared, const AxisState &Is,
                 AxisId A);
  bool checkOwnedAfterLoops(SlotId Slot, CellId Id, const State &Exit);
  void checkReplica(const Slot &S, CellId Id, const AbstractValue &Now);
  Site whereItBecame(const Slot &S, CellId Id, const AxisState &Is) const;
  PlaceId callThatChanged(const Slot &S, CellId Id) const;

  Body &In;
  Requirements &Contracts;
  const ReplicasAtScopeExit &Objects;
  llvm::ArrayRef<SlotId> Owned;
  Engine &E = In.E;
  const Function &F = In.F;
  const Declarations &Decls = In.Decls;
  ProgramPoint &Point = In.Point;
  Storage &Store = In.Store;
  Reporter &Report = In.Report;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_EXITS_H
