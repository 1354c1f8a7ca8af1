//===- Summarise.cpp - What a body does to its context --------------------===//

#include "Summarise.h"

#include "transfer/CallTransfer.h"

#include "spmd/ir/Members.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace spmd::rules::inference {

namespace {

class Summariser {
public:
  Summariser(Body &In, const State &Exit) : In(In), S(Exit) {}

  Summary run() {
    In.Point.Now = &S;
    findInputs();
    for (unsigned Index = 0; Index != Inputs.size(); ++Index)
      addCell(Index);
    In.Grads.summarise(In.C, Inputs, Out);
    findGradients();
    addResult();
    addLists();
    addRebindings();
    addListsOfOwn();
    return std::move(Out);
  }

private:
  /// The cells that the caller passed.
  void findInputs() {
    Inputs.resize(In.C.Cells.size());
    for (unsigned I = 0; I != Inputs.size(); ++I)
      Inputs[I] = In.Numbers.entry(I);
    for (auto [Slot, Index] : In.C.CellOf)
      Inputs[Index] = In.Start.cellOf(Slot);
    for (unsigned I = 0; I != Inputs.size(); ++I)
      InputOf[Inputs[I]] = static_cast<int>(I);
    Out.ExitCells.resize(Inputs.size());
    Out.Written.resize(static_cast<unsigned>(Inputs.size()));
  }

  void addCell(unsigned Index) {
    const CellId Id = Inputs[Index];
    const AbstractValue *Now = S.contents(Id);
    AbstractValue &After = Out.ExitCells[Index];
    After = Now ? *Now : In.C.Cells[Index];
    // Of what it is a part, the caller says.
    static_cast<ViewPosition &>(After) = In.C.Cells[Index];
    After.Untouched = false;
    After.Holds.clear();
    crossOver(After);
    Out.Written[Index] = In.Log.isWritten(Id);
    for (AxisId A = 0; A != After.Axes.size(); ++A)
      if (const std::optional<AxisState> Diverged =
              After.Axes[A].Set.isAll()
                  ? std::nullopt
                  : In.Log.divergedAtExit(Id, A, In.Entries))
        Out.Diverged.push_back({Index, A, *Diverged});
  }

  /// The gradients of those that the body made.
  void findGradients() {
    for (unsigned I = 0; I != Inputs.size(); ++I)
      if (const AbstractValue *Now = S.contents(Inputs[I]);
          Now && Now->Gradient != NoCell && !InputOf.count(Now->Gradient))
        GradientOf.try_emplace(Now->Gradient, I);
  }

  int aliasOf(CellId Id) const {
    const auto It = InputOf.find(Id);
    return It == InputOf.end() ? -1 : It->second;
  }
  /// Of which of the caller's cells \p Id is a part.
  int wholeOf(CellId Id) const {
    for (CellId Of : In.Store.wholesOf(Id))
      if (const int Alias = aliasOf(Of); Of != Id && Alias >= 0)
        return Alias;
    return -1;
  }
  /// Whether it is a region of that itself.
  bool isRegion(CellId Id) const {
    const AbstractValue *Now = S.contents(Id);
    return Now && Now->Apart && Now->Whole != NoCell &&
           aliasOf(Now->Whole) >= 0;
  }
  /// What \p Id holds, as a value of its own.
  AbstractValue plain(CellId Id) const {
    const AbstractValue *Now = S.contents(Id);
    AbstractValue V = Now ? *Now : In.Decls.unknownValue();
    static_cast<ViewPosition &>(V) = {};
    V.Gradient = NoCell;
    V.Untouched = false;
    V.Holds.clear();
    // The caller is not told which: so all of them are as they were but for
    // their gradients.
    V.Chosen |= !V.IsGradient &&
                llvm::any_of(sharedWith(Id), [](const Summary::Known &Of) {
                  return !Of.Gradient;
                });
    crossOver(V);
    return V;
  }

  /// What of the caller's the list of gradients \p Id may hold, or have in
  /// common with one.
  llvm::SmallVector<Summary::Known, 2> heldIn(CellId Id) const {
    if (const AbstractValue *Of = S.contents(Id); !Of || !Of->IsGradient)
      return {};
    return sharedWith(Id);
  }

  /// What of the caller's may be in the list \p Id.
  llvm::SmallVector<Summary::Known, 2> sharedWith(CellId Id) const {
    llvm::SmallSetVector<CellId, 8> Shared;
    Shared.insert_range(In.Alias.heldBy(Id));
    Shared.insert_range(In.Alias.mayBe(Id));
    llvm::SmallVector<Summary::Known, 2> Out;
    for (CellId Of : Shared)
      if (const int Alias = aliasOf(Of); Alias >= 0)
        Out.push_back({static_cast<unsigned>(Alias), false});
      else if (const auto It = GradientOf.find(Of); It != GradientOf.end())
        Out.push_back({It->second, true});
    return Out;
  }

  void addResult() {
    const std::uint32_t Slot = In.Numbers.returnSlot();
    const CellId Returned = S.cellOf(Slot);
    Out.Returns = Returned != Slot;
    Out.ResultAlias = aliasOf(Returned);
    if (!Out.Returns)
      return;
    Out.Result = plain(Returned);
    if (Out.ResultAlias >= 0)
      return;
    Out.ResultWhole = wholeOf(Returned);
    if (const auto It = GradientOf.find(Returned); It != GradientOf.end())
      Out.ResultGradientOf = It->second;
    Out.ResultHolds = heldIn(Returned);
  }

  void addLists() {
    for (const auto &[List, Index] : InputOf)
      for (CellId Member : In.Alias.heldBy(List))
        if (const int Alias = aliasOf(Member); Alias >= 0 && Member != List)
          Out.Joined.emplace_back(Index, Alias);
    llvm::sort(Out.Joined);
  }

  /// Whether no caller can name the object that \p Field is in.
  bool isWithinLocal(SlotId Field) const {
    const SlotKind K = In.F.slot(rootOf(In.F, Field)).Kind;
    return K == SlotKind::Local || K == SlotKind::Temporary;
  }

  /// Whether \p Id is no name that a caller has.
  bool isOwn(SlotId Id) const {
    const Slot &Of = In.F.slot(Id);
    return (Of.Kind == SlotKind::Field && In.F.isOwnCopy(Of)) ||
           isWithinLocal(Id);
  }

  void addRebindings() {
    llvm::DenseMap<CellId, std::uint32_t> First;
    for (std::uint32_t I = 0; I != In.F.Slots.size(); ++I) {
      const Slot &Of = In.F.Slots[I];
      const bool Rebinds = Of.Kind == SlotKind::Field ||
                           Of.Kind == SlotKind::Global ||
                           (Of.Kind == SlotKind::Parameter && Of.ByReference);
      const CellId Id = S.cellOf(I);
      if (!Rebinds || Id == In.Start.cellOf(I) || isOwn(SlotId(I)))
        continue;
      Out.Rebindings.push_back(
          {I, aliasOf(Id), plain(Id), wholeOf(Id), isRegion(Id)});
      const auto [It, New] = First.try_emplace(Id, I);
      if (!New)
        Out.Rebindings.back().SameAs = It->second;
      else if (aliasOf(Id) < 0)
        Out.Rebindings.back().Holds = heldIn(Id);
    }
  }

  /// Who is given a list and memory that the body made needs to know that one
  /// points into the other.
  void addListsOfOwn() {
    llvm::DenseMap<CellId, std::uint32_t> Made;
    for (const Summary::Rebinding &R : Out.Rebindings)
      if (R.Alias < 0 && !R.SameAs)
        Made.try_emplace(S.cellOf(R.Slot), R.Slot);
    if (Made.empty())
      return;
    for (std::uint32_t I = 0; I != In.F.Slots.size(); ++I) {
      const CellId List = S.cellOf(I);
      const llvm::SmallVector<CellId, 4> Held = In.Alias.heldBy(List);
      if (Held.size() == 1 || isOwn(SlotId(I)))
        continue;
      for (CellId Member : Held)
        if (const auto It = Made.find(Member);
            It != Made.end() && Member != List)
          Out.JoinedAnew.emplace_back(I, It->second);
    }
  }

  Body &In;
  State S;
  std::vector<CellId> Inputs;
  llvm::DenseMap<CellId, int> InputOf;
  llvm::DenseMap<CellId, unsigned> GradientOf;
  Summary Out;
};

} // namespace

Summary summarise(Body &In, const State &Exit) {
  return Summariser(In, Exit).run();
}

} // namespace spmd::rules::inference
