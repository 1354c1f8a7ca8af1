//===- OwnedReplicas.cpp - What objects hold at the end of their life -----===//
//
// A field that is declared to be the same on every rank must be so when its
// object ends: nobody can make it whole any more. In question are objects that
// a function makes and keeps to itself; at the least doubt, nothing is said.
//
//===----------------------------------------------------------------------===//

#include "FunctionAnalysis.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

namespace {

/// Whether \p F may keep a copy of its parameter or receiver \p Object, or of
/// the local object that it is, for longer than it runs.
class Keepers {
public:
  explicit Keepers(const Engine &E) : E(E) {}

  bool mayKeep(const Function &F, SlotId Object) {
    if (!Asked.insert({&F, index(Object)}).second)
      return false;
    if (F.Blocks.empty() || F.Trusted)
      return true;
    for (const Block &B : F.Blocks)
      for (const Fact &X : B.Facts)
        if (std::visit([&](const auto &Y) { return keeps(F, Object, Y); }, X))
          return true;
    return false;
  }

private:
  static bool isOneOf(llvm::ArrayRef<Operand> Operands, SlotId Object) {
    return llvm::any_of(Operands,
                        [&](const Operand &O) { return O.Slot == Object; });
  }
  bool keeps(const Function &F, SlotId Object, const BindFact &X) {
    if (X.Src.Slot != Object)
      return false;
    return !X.Refers ||
           (F.slot(X.Dst).Kind == SlotKind::Local && mayKeep(F, X.Dst));
  }
  bool keeps(const Function &, SlotId Object, const ViewFact &X) {
    return X.Src.Slot == Object;
  }
  bool keeps(const Function &, SlotId Object, const OpFact &X) {
    return isOneOf(X.Operands, Object);
  }
  bool keeps(const Function &, SlotId Object, const TransferFact &X) {
    return X.Src.Slot == Object;
  }
  bool keeps(const Function &, SlotId Object, const HavocFact &X) {
    return X.Slot == Object;
  }
  bool keeps(const Function &, SlotId Object, const ReturnFact &X) {
    return X.Value.Slot == Object;
  }
  bool keeps(const Function &, SlotId Object, const CallFact &X) {
    const bool Passed = isOneOf(X.Arguments, Object);
    if (!Passed && X.Receiver.Slot != Object)
      return false;
    const Function *Callee = E.find(X.Callee);
    if (!Callee)
      return true;
    for (std::uint32_t I = 0; I != X.Arguments.size(); ++I)
      if (X.Arguments[I].Slot == Object &&
          (I >= Callee->NumParameters || !Callee->Slots[I].ByReference ||
           !Callee->Slots[I].Owned || mayKeep(*Callee, SlotId(I))))
        return true;
    return X.Receiver.Slot == Object && Callee->ThisSlot != SlotId::None &&
           mayKeep(*Callee, Callee->ThisSlot);
  }
  template <typename Other>
  bool keeps(const Function &, SlotId, const Other &) {
    return false;
  }

  const Engine &E;
  llvm::DenseSet<std::pair<const Function *, std::uint32_t>> Asked;
};

} // namespace

/// Whether all that \p Field is in, up to a variable or the receiver, holds it
/// by value.
bool FunctionAnalysis::isOwned(SlotId Field) const {
  SlotId Base = F.slot(Field).Base;
  while (F.slot(Base).Kind == SlotKind::Field && F.slot(Base).Owned)
    Base = F.slot(Base).Base;
  const Slot &Root = F.slot(Base);
  return Root.Kind == SlotKind::This ||
         (Root.Kind == SlotKind::Local && Root.Owned);
}

/// Whether the function makes an object of which \p Field may be a field.
bool FunctionAnalysis::isMadeHere(SlotId Field) const {
  const auto IsMade = [this](SlotId S) {
    while (F.slot(S).Kind == SlotKind::Field)
      S = F.slot(S).Base;
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
  if (index(Field) >= F.ObjectOf.size())
    return IsMade(Field);
  return IsMade(Field) ||
         llvm::any_of(NamesOf.lookup(index(F.ObjectOf[index(Field)])), IsMade);
}

/// A constructor that leaves a field of which nothing is known leaves it as
/// declared.
void FunctionAnalysis::believeFields(State &Exit) {
  Current = &Exit;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    if (S.Kind != SlotKind::Field || !S.Declared || S.Declared->Exit ||
        !isOwned(SlotId(I)))
      continue;
    const std::vector<AxisState> Declared =
        requirements(S.Declared->Entry, S.Mesh.get());
    for (AxisId A = 0; A != Declared.size(); ++A) {
      const AbstractValue &Now = read(SlotId(I));
      if (!Now.Undefined && Now.Axes[A].Set.isAll() &&
          Declared[A].Set.subsetOf(LocalType::R | LocalType::I))
        narrow(SlotId(I), A, Declared[A].Set,
               origin(Origin::Kind::Declared, S.DeclaredAt, S.Name));
    }
  }
}

/// The fields declared R or I of the objects that this function makes.
std::vector<SlotId> FunctionAnalysis::ownedReplicas() const {
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
    return Calls == 1 && !Keepers(E).mayKeep(F, Root);
  };
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    if (S.Kind != SlotKind::Field || !S.Declared || S.Declared->Exit ||
        !isOwned(SlotId(I)))
      continue;
    SlotId Root = S.Base;
    bool Kept = false;
    for (; F.slot(Root).Kind == SlotKind::Field; Root = F.slot(Root).Base)
      Kept |= Keepers(E).mayKeep(F, Root);
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
bool FunctionAnalysis::isOutside(SlotId Slot) const {
  if (index(Slot) == ReturnSlot)
    return true;
  while (F.slot(Slot).Kind == SlotKind::Field)
    Slot = F.slot(Slot).Base;
  const SlotKind K = F.slot(Slot).Kind;
  return K != SlotKind::Local && K != SlotKind::Temporary;
}

/// Whether the storage \p Id, or a part of it, has a name that is seen after
/// the function returns.
bool FunctionAnalysis::outlives(SlotId Slot, CellId Id, const State &Exit) {
  const auto May = mayBe(Id);
  const auto IsIt = [&](CellId Of) {
    return llvm::any_of(wholesOf(Of), [&](CellId X) {
      return X == Id || llvm::is_contained(May, X);
    });
  };
  if (const AbstractValue *C = contents(Id); !C || C->Whole != NoCell)
    return true;
  for (const auto &Shared : C.CellOf)
    if (IsIt(Start.cellOf(Shared.first)))
      return true;
  for (std::uint32_t I = 0; I != ReturnSlot + 1; ++I)
    if (isOutside(SlotId(I)) && IsIt(Exit.cellOf(I)))
      return true;
  for (SlotId Base = F.slot(Slot).Base; Base != SlotId::None;
       Base = F.slot(Base).Base)
    for (std::uint32_t I = 0; I != ReturnSlot + 1; ++I)
      if (isOutside(SlotId(I)) && Exit.cellOf(I) == Exit.cellOf(index(Base)))
        return true;
  return false;
}

/// Whether no fact of \p Block can change the storage \p Id.
bool FunctionAnalysis::isQuiet(std::uint32_t Block, CellId Id) const {
  const State &S = Entries[Block];
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

/// A block that throws or ends the program, after which no one looks.
bool FunctionAnalysis::neverReturns(std::uint32_t Block) const {
  return F.Blocks[Block].Successors.size() == 1 &&
         index(F.Blocks[Block].Successors[0]) == Block;
}

/// The blocks after whose start \p Id is never changed.
std::vector<bool> FunctionAnalysis::quietToTheEnd(CellId Id) const {
  const auto NumBlocks = static_cast<std::uint32_t>(F.Blocks.size());
  std::vector<bool> Quiet(NumBlocks);
  for (std::uint32_t B = 0; B != NumBlocks; ++B)
    Quiet[B] = Entries[B].Reached && (neverReturns(B) || isQuiet(B, Id));
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

/// At the end of some block \p Slot is not what it is declared to be, and
/// nothing follows that could change it: the block is the last one, or the end
/// of a loop with nothing after it.
void FunctionAnalysis::checkOwned(SlotId Slot, llvm::ArrayRef<State> Ends,
                                  const State &Exit) {
  State S = Exit;
  Current = &S;
  const CellId Id = Exit.cellOf(index(Slot));
  if (!Exit.Reached || Excused.contains(Id) || outlives(Slot, Id, Exit))
    return;
  const std::vector<bool> Quiet = quietToTheEnd(Id);
  const auto IsLast = [&](std::uint32_t B) {
    llvm::ArrayRef<BlockId> To = F.Blocks[B].Successors;
    if (!To.empty() &&
        llvm::all_of(To, [&](BlockId X) { return neverReturns(index(X)); }))
      return false;
    if (llvm::all_of(To, [&](BlockId X) { return Quiet[index(X)]; }))
      return true;
    // Round a loop, and out of it.
    if (To.size() != 1 || index(To[0]) > B || !isQuiet(index(To[0]), Id))
      return false;
    return llvm::any_of(F.Blocks[index(To[0])].Successors,
                        [&](BlockId X) { return Quiet[index(X)]; });
  };
  for (std::uint32_t B = 0; B != Ends.size(); ++B) {
    const State &End = Ends[B];
    if (!End.Reached || End.cellOf(index(Slot)) != Id || !IsLast(B))
      continue;
    const AbstractValue *C = End.contents(Id);
    if (!C)
      continue;
    AbstractValue Now = *C;
    // What is made whole before each use may end torn.
    for (AxisId A = 0; A != Now.Axes.size(); ++A)
      if (!(Now.Diverged & ~Now.Reconverged & 1u << A))
        Now.Axes[A] = AxisState();
    checkReplica(F.slot(Slot), Now);
  }
}

} // namespace spmd::rules::inference
