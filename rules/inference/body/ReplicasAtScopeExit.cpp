//===- ReplicasAtScopeExit.cpp - What objects hold at their end -----------===//
//-----===//
//
// A field that is declared to be the same on every rank must be so when its
// object ends: nobody can make it whole any more. In question are objects that
// a function makes and keeps to itself; at the least doubt, nothing is said.
//
//===----------------------------------------------------------------------===//

#include "ReplicasAtScopeExit.h"

#include "spmd/ir/Members.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace spmd::rules::inference {

namespace {

/// Whether \p F may keep a copy of its parameter or receiver \p Object, or of
/// the local object that it is, for longer than it runs.
class EscapeAnalysis {
public:
  /// \p OfHandle: the object is a handle to what copies of it have as well; an
  /// op reads what it has.
  explicit EscapeAnalysis(const Engine &E, bool OfHandle = false)
      : E(E), OfHandle(OfHandle) {}

  bool escapes(const Function &F, SlotId Object) {
    if (!Asked.insert({&F, index(Object)}).second)
      return false;
    if (F.Blocks.empty() || F.Trusted)
      return true;
    for (const Block &B : F.Blocks)
      for (const Fact &X : B.Facts)
        if (std::visit([&](const auto &Y) { return escapesIn(F, Object, Y); },
                       X))
          return true;
    return false;
  }

private:
  static bool isOneOf(llvm::ArrayRef<Operand> Operands, SlotId Object) {
    return llvm::any_of(Operands,
                        [&](const Operand &O) { return O.Slot == Object; });
  }
  bool escapesIn(const Function &F, SlotId Object, const BindFact &X) {
    if (X.Src.Slot != Object)
      return false;
    return !X.Refers ||
           (F.slot(X.Dst).Kind == SlotKind::Local && escapes(F, X.Dst));
  }
  bool escapesIn(const Function &, SlotId Object, const ViewFact &X) {
    return X.Src.Slot == Object;
  }
  bool escapesIn(const Function &, SlotId Object, const OpFact &X) {
    return !OfHandle && isOneOf(X.Operands, Object);
  }
  bool escapesIn(const Function &, SlotId Object, const TransferFact &X) {
    return X.Src.Slot == Object;
  }
  bool escapesIn(const Function &, SlotId Object, const HavocFact &X) {
    // `torch::load(model, file)`: who sets a pointer does not keep it.
    return X.Slot == Object && !X.Rebinds;
  }
  bool escapesIn(const Function &, SlotId, const NullFact &) { return false; }
  bool escapesIn(const Function &, SlotId Object, const ReturnFact &X) {
    return X.Value.Slot == Object;
  }
  bool escapesIn(const Function &, SlotId Object, const CallFact &X) {
    const bool Passed = isOneOf(X.Arguments, Object);
    if (!Passed && X.Receiver.Slot != Object)
      return false;
    const Function *Callee = E.find(X.Callee);
    if (!Callee)
      return true;
    for (std::uint32_t I = 0; I != X.Arguments.size(); ++I)
      if (X.Arguments[I].Slot == Object &&
          (I >= Callee->NumParameters || !Callee->Slots[I].ByReference ||
           !(OfHandle || Callee->Slots[I].Owned) ||
           escapes(*Callee, SlotId(I))))
        return true;
    return X.Receiver.Slot == Object && Callee->ThisSlot != SlotId::None &&
           escapes(*Callee, Callee->ThisSlot);
  }
  template <typename Other>
  bool escapesIn(const Function &, SlotId, const Other &) {
    return false;
  }

  const Engine &E;
  const bool OfHandle;
  llvm::DenseSet<std::pair<const Function *, std::uint32_t>> Asked;
};

} // namespace

/// Whether all that \p Field is in, up to a variable or the receiver, holds it
/// by value.
bool ReplicasAtScopeExit::isOwned(SlotId Field) const {
  SlotId Base = F.slot(Field).Base;
  while (F.slot(Base).Kind == SlotKind::Field && F.slot(Base).Owned)
    Base = F.slot(Base).Base;
  const Slot &Root = F.slot(Base);
  return Root.Kind == SlotKind::This ||
         (Root.Kind == SlotKind::Local && Root.Owned);
}

/// Whether \p F makes a module that it keeps as \p Member.
static bool makesModule(const Function &F, llvm::StringRef Member) {
  return llvm::any_of(factsOf<OpFact>(F), [&](const OpFact &O) {
    if (!O.Rule->is(OpRole::Initialises) || O.WritesTo == SlotId::None)
      return false;
    const Slot &List = F.slot(O.WritesTo);
    return List.Kind == SlotKind::Field && F.slot(List.Base).Member == Member;
  });
}

/// The same of modules that are made by a function that this one calls, and are
/// held by pointers that none of those hands on: they are the only ones.
bool ReplicasAtScopeExit::isHeldAlone(SlotId Field) const {
  SlotId Base = F.slot(Field).Base;
  llvm::StringSet<> Holders;
  for (; F.slot(Base).Kind == SlotKind::Field; Base = F.slot(Base).Base)
    if (!F.slot(Base).Owned)
      Holders.insert(F.slot(Base).Member);
  if (F.slot(Base).Kind != SlotKind::Local || !F.slot(Base).Owned)
    return false;
  const auto Called = E.calledFrom(F);
  const auto HandsOn = [&](const Function *Of) {
    for (std::uint32_t I = 0; I != Of->Slots.size(); ++I)
      if (const Slot &S = Of->Slots[I];
          S.Kind == SlotKind::Field && Holders.contains(S.Member) &&
          EscapeAnalysis(E).escapes(*Of, SlotId(I)))
        return true;
    return false;
  };
  return llvm::all_of(Holders.keys(),
                      [&](llvm::StringRef Member) {
                        return llvm::any_of(Called, [&](const Function *Of) {
                          return makesModule(*Of, Member);
                        });
                      }) &&
         llvm::none_of(Called, HandsOn);
}

/// Whether what \p F returns is an object of its own, which it hands over.
static bool returnsOwn(const Function &F) {
  bool Any = false;
  for (const ReturnFact &R : factsOf<ReturnFact>(F)) {
    if (R.Value.Slot == SlotId::None ||
        F.slot(R.Value.Slot).Kind != SlotKind::Local ||
        !F.slot(R.Value.Slot).Owned)
      return false;
    Any = true;
  }
  return Any;
}

/// Whether \p Field is one of an object that a call returns by value, and that
/// has no other name: where it is put, it has one.
bool ReplicasAtScopeExit::isOfResult(SlotId Field) const {
  const SlotId Root = rootOf(F, Field);
  if (F.slot(Root).Kind != SlotKind::Temporary)
    return false;
  const Function *Callee = nullptr;
  for (const CallFact &Call : factsOf<CallFact>(F))
    if (Call.Dst == Root)
      Callee = E.find(Call.Callee);
  return Callee && returnsOwn(*Callee);
}

bool ReplicasAtScopeExit::isMadeHere(SlotId Field) const {
  const auto IsMade = [this](SlotId S) {
    S = rootOf(F, S);
    if (F.slot(S).Kind != SlotKind::Temporary)
      return false;
    for (const Block &B : F.Blocks)
      for (const Fact &X : B.Facts)
        if (const auto *Call = std::get_if<CallFact>(&X);
            Call && Call->Receiver.Slot == S)
          if (const Function *Callee = E.find(Call->Callee);
              Callee && Callee->IsConstructor)
            return true;
    return false;
  };
  return isOfResult(Field) || IsMade(Field) ||
         llvm::any_of(Facts.Objects.namesOf(Field), IsMade);
}

bool ReplicasAtScopeExit::isDrawnHere(SlotId Field) const {
  const SlotId Root = rootOf(F, Field);
  return F.slot(Root).Kind == SlotKind::Local &&
         llvm::any_of(factsOf<OpFact>(F),
                      [&](const OpFact &O) {
                        return O.Rule->is(OpRole::Initialises) &&
                               O.WritesTo != SlotId::None &&
                               rootOf(F, O.WritesTo) == Root;
                      }) &&
         !EscapeAnalysis(E, /*OfHandle=*/true).escapes(F, Root);
}

bool ReplicasAtScopeExit::isOfElement(SlotId Field) const {
  const SlotId Root = rootOf(F, Field);
  if (F.slot(Root).Kind != SlotKind::Temporary &&
      F.slot(Root).Kind != SlotKind::Local)
    return false;
  for (const ViewFact &View : factsOf<ViewFact>(F))
    if (View.Dst == Root && View.K == ViewFact::Kind::Handle)
      return true;
  return false;
}

bool ReplicasAtScopeExit::isInVariable(SlotId Field) const {
  return F.slot(rootOf(F, Field)).Kind == SlotKind::Local &&
         !isOfElement(Field);
}

/// What \p S is an element of, or itself.
static SlotId viewed(const Function &F, SlotId S) {
  if (F.slot(S).Kind == SlotKind::Temporary)
    for (const ViewFact &View : factsOf<ViewFact>(F))
      if (View.Dst == S)
        return View.Src.Slot;
  return S;
}

llvm::SmallVector<SlotId, 4>
ReplicasAtScopeExit::otherNames(SlotId Field) const {
  llvm::SmallVector<SlotId, 4> Out;
  const Slot &Of = F.slot(Field);
  if (Of.Base == SlotId::None || F.slot(Of.Base).Kind != SlotKind::Local)
    return Out;
  for (const BindFact &Bind : factsOf<BindFact>(F)) {
    const SlotId Object = viewed(F, Bind.Src.Slot);
    if (Bind.Dst != Of.Base || !(Bind.Refers || Object != Bind.Src.Slot))
      continue;
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
      if (F.Slots[I].Base == Object && F.Slots[I].Member == Of.Member)
        Out.push_back(SlotId(I));
  }
  return Out;
}

/// Whether code that is not seen has an object that \p F was given, of which
/// \p F names members.
static bool givesAway(const Function &F) {
  llvm::DenseSet<std::uint32_t> Objects;
  for (const Slot &S : F.Slots)
    if (S.Kind == SlotKind::Field)
      Objects.insert(index(S.Base));
  return llvm::any_of(factsOf<HavocFact>(F), [&](const HavocFact &X) {
    const SlotKind K = F.slot(rootOf(F, X.Slot)).Kind;
    return Objects.contains(index(X.Slot)) &&
           (K == SlotKind::Parameter || K == SlotKind::This);
  });
}

bool ReplicasAtScopeExit::isGivenAway(SlotId Field) const {
  llvm::DenseSet<std::uint32_t> Names;
  for (SlotId X = F.slot(Field).Base; X != SlotId::None; X = F.slot(X).Base) {
    Names.insert(index(X));
    for (SlotId Name : Facts.Objects.namesOf(X))
      Names.insert(index(Name));
  }
  for (const HavocFact &X : factsOf<HavocFact>(F))
    if (Names.contains(index(X.Slot)))
      return true;
  return llvm::any_of(E.calledFrom(F), [this](const Function *Callee) {
    return Callee != &F && givesAway(*Callee);
  });
}

void ReplicasAtScopeExit::believeFields(State &Exit) {
  Point.Now = &Exit;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    if (S.Kind != SlotKind::Field || !S.Declared || S.Declared->Exit ||
        !isOwned(SlotId(I)))
      continue;
    const std::vector<AxisState> Declared =
        Decls.requirements(S.Declared->Entry, S.Mesh.get());
    for (AxisId A = 0; A != Declared.size(); ++A) {
      const AbstractValue &Now = Store.read(SlotId(I));
      if (!Now.Undefined && Now.Axes[A].Set.isAll() && !Declared[A].Set.isAll())
        Store.narrow(
            SlotId(I), A, Declared[A].Set,
            Decls.origin(Origin::Kind::Declared, S.DeclaredAt, S.Name));
    }
  }
}

std::vector<SlotId> ReplicasAtScopeExit::find() const {
  std::vector<SlotId> Out;
  llvm::DenseMap<std::uint32_t, bool> Local; ///< by root
  const auto IsMadeHere = [&](SlotId Root) {
    SlotId Made = SlotId::None;
    unsigned Calls = 0, Binds = 0;
    for (const Block &B : F.Blocks)
      for (const Fact &X : B.Facts)
        if (const auto *Bind = std::get_if<BindFact>(&X);
            Bind && Bind->Dst == Root)
          Made = Bind->Src.Slot, ++Binds;
    if (Binds != 1 || Made == SlotId::None ||
        F.slot(Made).Kind != SlotKind::Temporary)
      return false;
    for (const Block &B : F.Blocks)
      for (const Fact &X : B.Facts)
        if (const auto *Call = std::get_if<CallFact>(&X);
            Call && Call->Receiver.Slot == Made) {
          const Function *Callee = E.find(Call->Callee);
          if (!Callee || !Callee->IsConstructor || Callee->Blocks.empty())
            return false;
          ++Calls;
        }
    return Calls == 1 && !EscapeAnalysis(E).escapes(F, Root);
  };
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    if (S.Kind != SlotKind::Field || !S.Declared || S.Declared->Exit ||
        !(isOwned(SlotId(I)) || isHeldAlone(SlotId(I))))
      continue;
    SlotId Root = S.Base;
    bool Kept = false;
    for (; F.slot(Root).Kind == SlotKind::Field; Root = F.slot(Root).Base)
      Kept |= EscapeAnalysis(E).escapes(F, Root);
    if (Kept || F.slot(Root).Kind != SlotKind::Local)
      continue;
    const auto [It, New] = Local.try_emplace(index(Root), false);
    if (New)
      It->second = IsMadeHere(Root);
    if (It->second)
      Out.push_back(SlotId(I));
  }
  return Out;
}

/// Whether \p Slot is seen after the function returns.
bool ReplicasAtScopeExit::isOutside(SlotId Slot) const {
  if (index(Slot) == Numbers.returnSlot())
    return true;
  const SlotKind K = F.slot(rootOf(F, Slot)).Kind;
  return K != SlotKind::Local && K != SlotKind::Temporary;
}

bool ReplicasAtScopeExit::outlives(SlotId Slot, CellId Id,
                                   const State &Exit) const {
  const auto May = Alias.mayBe(Id);
  const auto IsIt = [&](CellId Of) {
    return llvm::any_of(Store.wholesOf(Of), [&](CellId X) {
      return X == Id || llvm::is_contained(May, X);
    });
  };
  if (const AbstractValue *C = Store.contents(Id); !C || C->Whole != NoCell)
    return true;
  for (const auto &Shared : In.C.CellOf)
    if (IsIt(In.Start.cellOf(Shared.first)))
      return true;
  for (std::uint32_t I = 0; I != Numbers.returnSlot() + 1; ++I)
    if (isOutside(SlotId(I)) && IsIt(Exit.cellOf(I)))
      return true;
  for (SlotId Base = F.slot(Slot).Base; Base != SlotId::None;
       Base = F.slot(Base).Base)
    for (std::uint32_t I = 0; I != Numbers.returnSlot() + 1; ++I)
      if (isOutside(SlotId(I)) && Exit.cellOf(I) == Exit.cellOf(index(Base)))
        return true;
  return false;
}

bool ReplicasAtScopeExit::isQuiet(std::uint32_t Block, CellId Id) const {
  const State &S = In.Entries[Block];
  return llvm::none_of(F.Blocks[Block].Facts, [&](const Fact &X) {
    if (std::holds_alternative<CallFact>(X) ||
        std::holds_alternative<HavocFact>(X) ||
        std::holds_alternative<TransferFact>(X) ||
        std::holds_alternative<BackwardFact>(X))
      return true;
    const auto *Op = std::get_if<OpFact>(&X);
    if (!Op || Op->WritesTo == SlotId::None)
      return false;
    // A counter, say.
    const CellId Written = S.cellOf(index(Op->WritesTo));
    const AbstractValue *C = S.contents(Written);
    return F.slot(Op->WritesTo).Kind != SlotKind::Local || !C ||
           Written == Id || C->Whole != NoCell;
  });
}

bool ReplicasAtScopeExit::neverReturns(std::uint32_t Block) const {
  return F.Blocks[Block].Successors.size() == 1 &&
         index(F.Blocks[Block].Successors[0]) == Block;
}

std::vector<bool> ReplicasAtScopeExit::quietToTheEnd(CellId Id) const {
  const auto NumBlocks = static_cast<std::uint32_t>(F.Blocks.size());
  std::vector<bool> Quiet(NumBlocks);
  for (std::uint32_t B = 0; B != NumBlocks; ++B)
    Quiet[B] = In.Entries[B].Reached && (neverReturns(B) || isQuiet(B, Id));
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (std::uint32_t B = 0; B != NumBlocks; ++B)
      if (Quiet[B] && llvm::any_of(F.Blocks[B].Successors, [&](BlockId To) {
            return !Quiet[index(To)];
          })) {
        Quiet[B] = false;
        Changed = true;
      }
  }
  return Quiet;
}

} // namespace spmd::rules::inference
