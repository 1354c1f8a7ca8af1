//===- VisitedLists.cpp - One struct of a list after the other ------------===//

#include "VisitedLists.h"

#include "BodyFacts.h"

#include "spmd/ir/Members.h"
#include "spmd/ir/Walk.h"
#include "spmd/ops/OpRole.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace spmd::rules::inference {

/// Whether \p V is the element that an iteration over a range has: its number
/// has no name, and stands where the element does.
static bool isOfRange(const Function &F, const ViewFact &V) {
  const Place &Number = F.Places[index(V.Offset.At)],
              &Element = F.Places[index(V.At)];
  return Number.Line == Element.Line && Number.Column == Element.Column;
}

class VisitedLists::Finder {
public:
  Finder(const Function &F, const Loops &Cycles, const ObjectNames &Objects,
         const ListMembers &InLists, VisitedLists &Out)
      : F(F), Cycles(Cycles), Objects(Objects), InLists(InLists), Out(Out) {}

  void run();

private:
  /// The list, and what numbers its elements; None in a loop over a range.
  struct Visit {
    SlotId List = SlotId::None, Counter = SlotId::None;
    /// What the loop counts up to, or down from; None if it may leave some out.
    SlotId Bound = SlotId::None;
    bool OfRange = false;
  };

  template <typename FnT> void forEachIn(std::uint32_t Head, FnT Fn) const {
    for (std::uint32_t B = Head; B != F.Blocks.size(); ++B)
      if (!Cycles.leaves(Head, B))
        for (const Fact &X : F.Blocks[B].Facts)
          Fn(X);
  }
  void findDefinitions();
  std::optional<std::uint32_t> loopOf(std::uint32_t Block,
                                      const ViewFact &V) const;
  bool isSteppedIn(std::uint32_t Head, SlotId Counter) const;
  bool isOtherwiseNamed(std::uint32_t Head, const Visit &Of) const;
  bool names(const Fact &X, const Visit &Of) const;
  bool isLeftOnlyByCondition(std::uint32_t Head) const;
  SlotId boundOf(std::uint32_t Head, SlotId Counter) const;
  /// What makes the temporary \p S, if that is a \p FactT; null otherwise.
  template <typename FactT> const FactT *madeBy(SlotId S) const {
    const auto It = S == SlotId::None ? Made.end() : Made.find(S);
    return It == Made.end() ? nullptr : std::get_if<FactT>(It->second);
  }
  SlotId copied(SlotId S) const {
    const auto *O = madeBy<OpFact>(S);
    return O && O->Operands.size() == 1 && O->Rule->is(OpRole::Copies)
               ? O->Operands[0].Slot
               : SlotId::None;
  }
  bool isZero(SlotId S) const;
  bool isSetOnce(SlotId S) const;
  SlotId aboveLast(SlotId S) const;
  void noteEach(std::uint32_t Head, SlotId List);
  bool storesNothing(const Fact &X) const;
  void findFollowing();

  const Function &F;
  const Loops &Cycles;
  const ObjectNames &Objects;
  const ListMembers &InLists;
  VisitedLists &Out;
  llvm::DenseMap<SlotId, const Fact *> Made; ///< temporaries: by what
};

void VisitedLists::Finder::findDefinitions() {
  for (const Fact &X : factsOf(F))
    forEachSlot(X, [&](SlotId S, SlotAccess A) {
      if (A.Defines && F.slot(S).Kind == SlotKind::Temporary)
        Made.try_emplace(S, &X);
    });
}

/// Whether the loop at \p Head moves \p Counter on, and neither begins with it
/// anew nor gives it to others, who may move it.
bool VisitedLists::Finder::isSteppedIn(std::uint32_t Head,
                                       SlotId Counter) const {
  bool Steps = false, Begins = false;
  forEachIn(Head, [&](const Fact &X) {
    if (const auto *O = std::get_if<OpFact>(&X))
      Steps |= O->WritesTo == Counter;
    forEachSlot(X, [&](SlotId S, SlotAccess A) {
      Begins |=
          S == Counter && (A.Defines || std::holds_alternative<CallFact>(X));
    });
  });
  return Steps && !Begins && F.slot(Counter).Kind == SlotKind::Local;
}

/// The loop that has another element \p V, in \p Block, in each iteration.
std::optional<std::uint32_t>
VisitedLists::Finder::loopOf(std::uint32_t Block, const ViewFact &V) const {
  const SlotId Counter = InLists.of(V.Dst).Counter;
  const bool OfRange = Counter == SlotId::None && isOfRange(F, V);
  if (Counter == SlotId::None && !OfRange)
    return std::nullopt;
  for (std::uint32_t Head = Block + 1; Head-- != 0;)
    if (Cycles.beginsAt(Head) && !Cycles.leaves(Head, Block) &&
        (OfRange || isSteppedIn(Head, Counter)))
      return Head;
  return std::nullopt;
}

/// Whether \p X may come to the list, or to an element of it, but by taking
/// that of its iteration.
bool VisitedLists::Finder::names(const Fact &X, const Visit &Of) const {
  if (const auto *V = std::get_if<ViewFact>(&X);
      V && V->Src.Slot == Of.List && V->K == ViewFact::Kind::Element &&
      (Of.OfRange ? isOfRange(F, *V)
                  : InLists.of(V->Dst).Counter == Of.Counter))
    return false;
  bool Out = std::holds_alternative<CallFact>(X) &&
             F.slot(rootOf(F, Of.List)).Kind == SlotKind::Global;
  const auto Meets = [&](SlotId S, SlotId Name) {
    return isWithin(F, S, Name) || isWithin(F, Name, S);
  };
  forEachSlot(X, [&](SlotId S, SlotAccess) {
    Out |= Meets(S, Of.List) ||
           llvm::any_of(Objects.namesOf(Of.List),
                        [&](SlotId Name) { return Meets(S, Name); });
  });
  return Out;
}

bool VisitedLists::Finder::isOtherwiseNamed(std::uint32_t Head,
                                            const Visit &Of) const {
  bool Out = false;
  forEachIn(Head, [&](const Fact &X) { Out = Out || names(X, Of); });
  return Out;
}

bool VisitedLists::Finder::isLeftOnlyByCondition(std::uint32_t Head) const {
  for (std::uint32_t B = Head + 1; B != F.Blocks.size(); ++B)
    if (!Cycles.leaves(Head, B))
      if (F.Blocks[B].Successors.empty() ||
          llvm::any_of(F.Blocks[B].Successors, [&](BlockId To) {
            return Cycles.leaves(Head, index(To)) || index(To) == B;
          }))
        return false;
  return true;
}

bool VisitedLists::Finder::isZero(SlotId S) const {
  const auto *D = madeBy<DefineFact>(S);
  return D && D->K == DefineFact::Kind::Zero;
}

/// `n` of `n - 1`.
SlotId VisitedLists::Finder::aboveLast(SlotId S) const {
  const auto *O = madeBy<OpFact>(S);
  return O && O->Operands.size() == 2 && O->Rule->is(OpRole::Subtracts)
             ? copied(O->Operands[0].Slot)
             : SlotId::None;
}

/// Whether \p S is one number all the time.
bool VisitedLists::Finder::isSetOnce(SlotId S) const {
  unsigned Sets = 0;
  for (const Fact &X : factsOf(F))
    forEachSlot(X, [&](SlotId Here, SlotAccess How) {
      Sets += Here == S && (How.Defines || How.Writes);
    });
  return S != SlotId::None && Sets <= 1;
}

/// `n` of `i = 0; i < n` and of `i = n - 1; i >= 0`. That others begin or end
/// elsewhere, and leave some out, is a way of its own.
SlotId VisitedLists::Finder::boundOf(std::uint32_t Head, SlotId Counter) const {
  SlotId Begin = SlotId::None;
  unsigned Begun = 0;
  for (const BindFact &B : factsOf<BindFact>(F))
    if (B.Dst == Counter && ++Begun)
      Begin = B.Src.Slot;
  bool ByOne = true; // `++i` adds in place, `i += 2` stores a sum
  unsigned Steps = 0;
  forEachIn(Head, [&](const Fact &X) {
    const auto *O = std::get_if<OpFact>(&X);
    if (!O || O->WritesTo != Counter)
      return;
    ++Steps;
    ByOne &= O->Rule->is(OpRole::Adds);
  });
  const auto *Compared = madeBy<OpFact>(F.Blocks[Head].Condition.Slot);
  if (Begun != 1 || Steps != 1 || !ByOne || !Compared ||
      Compared->Operands.size() != 2 ||
      copied(Compared->Operands[0].Slot) != Counter)
    return SlotId::None;
  const SlotId To = Compared->Operands[1].Slot;
  const SlotId Bound = isZero(Begin) ? copied(To)
                       : isZero(To)  ? aboveLast(Begin)
                                     : SlotId::None;
  return isSetOnce(Bound) ? Bound : SlotId::None;
}

/// The loop at \p Head comes to all elements of \p List below its bound. What
/// it has of the list is the element of its iteration.
void VisitedLists::Finder::noteEach(std::uint32_t Head, SlotId List) {
  forEachIn(Head, [&](const Fact &X) {
    if (const auto *V = std::get_if<ViewFact>(&X); V && V->Src.Slot == List)
      Out.LoopOfElement[V->Dst] = Head;
    else if (const auto *T = std::get_if<TransferFact>(&X);
             T && T->At != PlaceId::None)
      if (const SlotId Of = InLists.of(T->Src.Slot).Slot;
          Of != SlotId::None && isWithin(F, Of, List))
        Out.LoopOfCollective[T->At] = Head;
  });
}

/// Whether \p X leaves alone what members point to, and where they point.
bool VisitedLists::Finder::storesNothing(const Fact &X) const {
  const auto IsLocal = [&](SlotId S) {
    return S == SlotId::None || F.slot(S).Kind == SlotKind::Local ||
           F.slot(S).Kind == SlotKind::Temporary;
  };
  if (const auto *O = std::get_if<OpFact>(&X))
    return O->WritesTo == SlotId::None ||
           F.slot(O->WritesTo).Kind == SlotKind::Local;
  if (const auto *B = std::get_if<BindFact>(&X))
    return !B->Joins && IsLocal(B->Dst);
  return std::holds_alternative<DefineFact>(X) ||
         std::holds_alternative<ViewFact>(X) ||
         std::holds_alternative<PointFact>(X);
}

/// The loops that come one behind the other, with nothing between them.
void VisitedLists::Finder::findFollowing() {
  std::set<std::uint32_t> Heads;
  for (const auto &[At, Head] : Out.LoopOfCollective)
    Heads.insert(Head);
  for (const std::uint32_t First : Heads)
    for (std::uint32_t B = First + 1; B != F.Blocks.size(); ++B) {
      if (!Cycles.leaves(First, B))
        continue;
      if (Heads.count(B)) {
        Out.Behind[B].push_back(First);
        break;
      }
      if (!llvm::all_of(F.Blocks[B].Facts,
                        [&](const Fact &X) { return storesNothing(X); }))
        break;
    }
}

bool VisitedLists::follows(PlaceId Collective, SlotId Element) const {
  const auto First = LoopOfCollective.find(Collective);
  const auto Next = LoopOfElement.find(Element);
  if (First == LoopOfCollective.end() || Next == LoopOfElement.end())
    return false;
  const auto Before = Behind.find(Next->second);
  return Before != Behind.end() &&
         llvm::is_contained(Before->second, First->second);
}

void VisitedLists::Finder::run() {
  findDefinitions();
  std::map<std::pair<std::uint32_t, SlotId>, Visit> Visits;
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B)
    for (const Fact &X : F.Blocks[B].Facts) {
      const auto *V = std::get_if<ViewFact>(&X);
      if (!V || V->K != ViewFact::Kind::Element || V->Dst == V->Src.Slot ||
          F.slot(V->Src.Slot).IsTensor || Objects.fieldsOf(V->Src.Slot).empty())
        continue;
      const std::optional<std::uint32_t> Head = loopOf(B, *V);
      if (!Head)
        continue;
      Visit Of{V->Src.Slot, InLists.of(V->Dst).Counter};
      Of.OfRange = Of.Counter == SlotId::None;
      if (!Of.OfRange && isLeftOnlyByCondition(*Head))
        Of.Bound = boundOf(*Head, Of.Counter);
      Visits.try_emplace({*Head, Of.List}, Of);
    }
  for (const auto &[At, Here] : Visits) {
    if (isOtherwiseNamed(At.first, Here))
      continue;
    const auto GoesAsFar = [&, &Here = Here](const auto &Other) {
      return Other.first.second != Here.List || Other.second.OfRange ||
             Other.second.Bound == Here.Bound;
    };
    const bool Wholly = Here.OfRange ? isLeftOnlyByCondition(At.first)
                                     : Here.Bound != SlotId::None &&
                                           llvm::all_of(Visits, GoesAsFar);
    Out.Of[At.first].push_back({Here.List, Wholly});
    if (Wholly)
      noteEach(At.first, Here.List);
  }
  findFollowing();
}

VisitedLists::VisitedLists(const Function &F, const Loops &Cycles,
                           const ObjectNames &Objects,
                           const ListMembers &InLists) {
  Finder(F, Cycles, Objects, InLists, *this).run();
}

} // namespace spmd::rules::inference
