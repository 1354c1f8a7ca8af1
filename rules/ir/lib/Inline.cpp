//===- Inline.cpp - A function with the bodies of what it calls -----------===//

#include "spmd/ir/Inline.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace spmd::rules {

namespace {

class Inliner {
public:
  Inliner(const Function &F, const Module &M, std::size_t MaxFacts)
      : MaxFacts(MaxFacts) {
    for (const auto &X : M.Functions)
      Known[X->Symbol] = X.get();
    Out.F = F;
    Out.F.Blocks.clear();
    Out.F.ObjectOf.clear();
    for (std::uint32_t I = 0; I != F.Places.size(); ++I) {
      Out.Places.push_back({&F, PlaceId(I)});
      PlaceOf[{&F, I}] = PlaceId(I);
    }
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
      note(SlotId(I));
  }

  InlinedFunction run(const Function &F) {
    Frame Root{F, {}, nullptr, nullptr, BlockId::None};
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
      Root.Mine.push_back(SlotId(I));
    copy(Root);
    return std::move(Out);
  }

private:
  /// A body that is copied: F itself, or that of a call.
  struct Frame {
    const Function &F;
    std::vector<SlotId> Mine; ///< by slot of F
    const Frame *Caller;
    const CallFact *Call; ///< in the slots and places of Out
    BlockId Then;         ///< where it returns to
  };

  //===--- Slots and places -----------------------------------------------===//

  using Key = std::pair<std::uint32_t, std::string>;
  static std::string globalKey(const Slot &S) {
    return S.Name + '\0' + S.Member;
  }
  void note(SlotId S) {
    const Slot &X = Out.F.slot(S);
    if (X.Kind == SlotKind::Field)
      Fields.try_emplace(Key(index(X.Base), X.Member), S);
    else if (X.Kind == SlotKind::Global)
      Fields.try_emplace(Key(index(SlotId::None), globalKey(X)), S);
  }

  PlaceId place(const Function &F, PlaceId At) {
    if (At == PlaceId::None)
      return At;
    const auto [It, New] = PlaceOf.try_emplace({&F, index(At)}, PlaceId::None);
    if (New) {
      It->second = Out.F.addPlace(F.Places[index(At)]);
      Out.Places.push_back({&F, At});
    }
    return It->second;
  }

  SlotId add(const Frame &Of, const Slot &Like, SlotId Base) {
    Slot New = Like;
    New.Base = Base;
    New.DeclaredAt = place(Of.F, Like.DeclaredAt);
    if (New.Kind == SlotKind::Parameter || New.Kind == SlotKind::This)
      New.Kind = SlotKind::Local;
    if (New.Kind == SlotKind::Field) { // as the caller would write it
      const Slot &Object = Out.F.slot(Base);
      if (Object.Kind == SlotKind::This)
        New.Name = Like.Member;
      else if (!Object.Name.empty())
        New.Name = Object.Name + "." + Like.Member;
    }
    const SlotId Added = Out.F.addSlot(std::move(New));
    note(Added);
    return Added;
  }

  SlotId find(const Frame &Of, Key K, const Slot &Like, SlotId Base) {
    const auto It = Fields.find(K);
    return It != Fields.end() ? It->second : add(Of, Like, Base);
  }

  /// The slot that stands for one of the callee's; a new one where the caller
  /// has none.
  SlotId &mineOf(Frame &Of, SlotId Theirs) {
    SlotId &Mine = Of.Mine[index(Theirs)];
    if (Mine != SlotId::None)
      return Mine;
    const Slot &S = Of.F.slot(Theirs);
    switch (S.Kind) {
    case SlotKind::Parameter:
      if (index(Theirs) < Of.Call->Arguments.size() && !isRebound(Of.F, Theirs))
        Mine = Of.Call->Arguments[index(Theirs)].Slot;
      break;
    case SlotKind::This:
      Mine = Of.Call->Receiver.Slot;
      break;
    case SlotKind::Result:
      Mine = Of.Call->Dst;
      break;
    case SlotKind::Field: {
      const SlotId Base = mineOf(Of, S.Base);
      Mine = find(Of, Key(index(Base), S.Member), S, Base);
      break;
    }
    case SlotKind::Global:
      Mine = find(Of, Key(index(SlotId::None), globalKey(S)), S, SlotId::None);
      break;
    case SlotKind::Local:
    case SlotKind::Temporary:
      break;
    }
    if (Mine == SlotId::None)
      Mine = add(Of, S, SlotId::None);
    return Mine;
  }

  /// Whether the body makes a parameter name something else, which its caller
  /// does not see.
  static bool isRebound(const Function &F, SlotId P) {
    return !F.slot(P).ByReference &&
           llvm::any_of(factsOf(F), [P](const Fact &X) {
             return llvm::is_contained(defs(X), P);
           });
  }

  //===--- Facts ----------------------------------------------------------===//

  /// Each slot and place becomes that of Out.
  void rename(const Frame &Of, Fact &X) {
    forEachSlot(X, [&](SlotId &S, SlotAccess) { S = Of.Mine[index(S)]; });
    forEachPlace(X, [&](PlaceId &P) { P = place(Of.F, P); });
  }
  void rename(const Frame &Of, Operand &X) {
    if (X.Slot != SlotId::None)
      X.Slot = Of.Mine[index(X.Slot)];
    X.At = place(Of.F, X.At);
  }

  const Function *calleeOf(const Frame &At, const CallFact &Call) const {
    const Function *F = Known.lookup(Call.Callee);
    if (!F || F->Blocks.empty() || F->Trusted || F->IsChoice ||
        F->IsConstructor || F->Mode.LocalMap || F->Mode.AllLocal ||
        Facts > MaxFacts)
      return nullptr;
    // On another mesh, what its axes are called means something else.
    if (F->Mesh && Out.F.Mesh && *F->Mesh != *Out.F.Mesh)
      return nullptr;
    for (const Frame *Outer = &At; Outer; Outer = Outer->Caller)
      if (&Outer->F == F)
        return nullptr;
    return F;
  }

  static AssertFact promise(AssertFact::Kind K, const Operand &Value,
                            const TypeSpec &T, std::string Subject, PlaceId At,
                            PlaceId DeclaredAt) {
    AssertFact A;
    A.K = K;
    A.Value = Value;
    A.Type = std::make_shared<TypeSpec>(T);
    A.Subject = std::move(Subject);
    A.At = At;
    A.DeclaredAt = DeclaredAt;
    return A;
  }

  Block &block(BlockId B) { return Out.F.Blocks[index(B)]; }
  BlockId newBlock() {
    Out.F.Blocks.emplace_back();
    return BlockId(static_cast<std::uint32_t>(Out.F.Blocks.size() - 1));
  }

  /// Copies the body of \p Call behind \p At; the block that goes on after it.
  BlockId expand(const Frame &Caller, const CallFact &Call,
                 const Function &Callee, BlockId At) {
    if (!llvm::is_contained(Out.Callees, &Callee))
      Out.Callees.push_back(&Callee);
    Frame Inner{Callee, {}, &Caller, &Call, newBlock()};
    Inner.Mine.assign(Callee.Slots.size(), SlotId::None);
    for (std::uint32_t I = 0; I != Callee.Slots.size(); ++I)
      mineOf(Inner, SlotId(I));
    for (unsigned I = 0; I != Callee.NumParameters; ++I) {
      const Slot &P = Callee.Slots[I];
      if (I >= Call.Arguments.size() || Call.Arguments[I].Slot == SlotId::None)
        continue;
      if (P.Declared && !P.Declared->Exit)
        block(At).Facts.push_back(
            promise(AssertFact::Kind::Argument, Call.Arguments[I],
                    P.Declared->Entry, Callee.DisplayName + ": " + P.Name,
                    Call.At, place(Callee, P.DeclaredAt)));
      if (Inner.Mine[I] != Call.Arguments[I].Slot) {
        BindFact Bind;
        Bind.Dst = Inner.Mine[I];
        Bind.Src = Call.Arguments[I];
        Bind.At = Call.At;
        block(At).Facts.push_back(Bind);
      }
    }
    const BlockId Entry = copy(Inner); // makes blocks: others move
    block(At).Successors.push_back(Entry);
    return Inner.Then;
  }

  /// The entry of the copy.
  BlockId copy(const Frame &Of) {
    std::vector<BlockId> Mine;
    for (std::size_t I = 0; I != Of.F.Blocks.size(); ++I)
      Mine.push_back(newBlock());
    for (std::size_t I = 0; I != Of.F.Blocks.size(); ++I) {
      BlockId At = Mine[I];
      for (const Fact &X : Of.F.Blocks[I].Facts) {
        Fact Copy = X;
        rename(Of, Copy);
        ++Facts;
        // The parameters of a copied body are none of the whole.
        if (auto *Call = std::get_if<CallFact>(&Copy); Call && Of.Call)
          llvm::erase_if(Call->Numbers, [](const GivenNumber &Given) {
            return Given.Same != SlotId::None;
          });
        if (const auto *Call = std::get_if<CallFact>(&Copy))
          if (const Function *Callee =
                  Call->Backward ? nullptr : calleeOf(Of, *Call)) {
            At = expand(Of, *Call, *Callee, At);
            continue;
          }
        if (const auto *Return = std::get_if<ReturnFact>(&Copy);
            Return && Of.Call)
          hand(Of, *Return, At);
        else
          block(At).Facts.push_back(std::move(Copy));
      }
      for (BlockId S : Of.F.Blocks[I].Successors)
        block(At).Successors.push_back(Mine[index(S)]);
      block(At).Condition = Of.F.Blocks[I].Condition;
      rename(Of, block(At).Condition);
      block(At).OnData = Of.F.Blocks[I].OnData;
      // Of another activation, the number may be another one.
      if (!Of.Call)
        block(At).Test = Of.F.Blocks[I].Test;
      if (std::optional<BranchTest> &Test = block(At).Test) {
        if (Test->Loop != BlockId::None)
          Test->Loop = Mine[index(Test->Loop)];
        if (Test->Parameter != SlotId::None)
          Test->Parameter = Of.Mine[index(Test->Parameter)];
      }
      if (Of.F.Blocks[I].Successors.empty() && Of.Call)
        block(At).Successors.push_back(Of.Then);
    }
    return Mine.empty() ? Of.Then : Mine.front();
  }

  /// What a callee returns is what its call makes.
  void hand(const Frame &Of, const ReturnFact &Return, BlockId At) {
    if (Return.Value.Slot == SlotId::None || Of.Call->Dst == SlotId::None)
      return;
    if (Of.F.Result)
      block(At).Facts.push_back(
          promise(AssertFact::Kind::Return, Return.Value, Of.F.Result->Entry,
                  Of.F.DisplayName + ": result", Of.Call->At,
                  place(Of.F, Of.F.ResultAt)));
    BindFact Bind;
    Bind.Dst = Of.Call->Dst;
    Bind.Src = Return.Value;
    Bind.At = Return.At;
    block(At).Facts.push_back(Bind);
  }

  std::size_t MaxFacts, Facts = 0;
  llvm::StringMap<const Function *> Known;
  std::map<Key, SlotId> Fields; ///< and globals
  std::map<std::pair<const Function *, std::uint32_t>, PlaceId> PlaceOf;
  InlinedFunction Out;
};

} // namespace

InlinedFunction inlineCalls(const Function &F, const Module &M,
                            std::size_t MaxFacts) {
  return Inliner(F, M, MaxFacts).run(F);
}

} // namespace spmd::rules
