//===- SameElements.cpp - One struct of a list, named again ---------------===//
//
// An element by itself is one of a list, which stands for all of them: what is
// stored through one mention of it would be one of two values for the next.
//
//===----------------------------------------------------------------------===//

#include "spmd/ir/SameElements.h"

#include "spmd/ir/ControlFlow.h"
#include "spmd/ir/Walk.h"
#include "spmd/ops/OpRole.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

namespace spmd::rules {

namespace {

/// More mentions of elements than this are not compared.
constexpr std::size_t MaxMentions = 512;

struct FactAt {
  std::uint32_t Block;
  std::size_t Index;
};

/// An element that some fact takes.
struct Mention {
  FactAt At;
  SlotId Element;
};

class SameElements {
public:
  explicit SameElements(Function &F) : F(F), Definitions(F.Slots.size()) {}

  bool run();

private:
  using Key = std::pair<SlotId, SlotId>; ///< the list and the counter

  void findMentions();
  SlotId counterOf(const ViewFact &V) const;
  bool changes(const Fact &X, Key Of) const;
  bool isOnWay(FactAt X, const Mention &From, const Mention &To);
  bool dominates(const Mention &A, const Mention &B);
  std::vector<FactAt> changesOf(Key Of) const;
  bool isSame(const Mention &A, const Mention &B,
              llvm::ArrayRef<FactAt> Changes);
  const llvm::BitVector &reached(std::uint32_t From, std::uint32_t Avoided);
  void replace(SlotId Element, SlotId By);
  SlotId fieldOf(SlotId Base, llvm::StringRef Member) const;
  void rename();

  Function &F;
  std::vector<unsigned> Definitions; ///< by slot: how many facts make it
  llvm::DenseMap<SlotId, SlotId> CopyOf;
  std::map<Key, std::vector<Mention>> Mentions;
  std::map<std::pair<std::uint32_t, std::uint32_t>, llvm::BitVector> Reached;
  llvm::DenseMap<SlotId, SlotId> By;
  std::vector<FactAt> Again; ///< in order: what is left out
};

} // namespace

const llvm::BitVector &SameElements::reached(std::uint32_t From,
                                             std::uint32_t Avoided) {
  const auto [It, New] = Reached.try_emplace({From, Avoided});
  if (New)
    It->second = reachedFrom(F, From, Avoided);
  return It->second;
}

/// The variable that numbers the element \p V.
SlotId SameElements::counterOf(const ViewFact &V) const {
  if (V.Offset.Slot == SlotId::None)
    return SlotId::None;
  const auto Of = CopyOf.find(V.Offset.Slot);
  return Of != CopyOf.end() && F.slot(Of->second).Kind == SlotKind::Local
             ? Of->second
             : SlotId::None;
}

void SameElements::findMentions() {
  llvm::DenseSet<SlotId> Structs;
  for (const Slot &S : F.Slots)
    if (S.Kind == SlotKind::Field)
      Structs.insert(S.Base);
  for (const Fact &X : factsOf(F))
    forEachSlot(
        X, [&](SlotId S, SlotAccess A) { Definitions[index(S)] += A.Defines; });
  for (const OpFact &O : factsOf<OpFact>(F))
    if (O.WritesTo == SlotId::None && O.Operands.size() == 1 &&
        O.Operands[0].Scalar && O.Rule->is(OpRole::Copies))
      CopyOf[O.Dst] = O.Operands[0].Slot;
  std::size_t Left = MaxMentions;
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B)
    for (const auto &[I, X] : llvm::enumerate(F.Blocks[B].Facts))
      if (const auto *V = std::get_if<ViewFact>(&X);
          V && V->K == ViewFact::Kind::Element && Structs.contains(V->Dst) &&
          F.slot(V->Dst).Kind == SlotKind::Temporary &&
          Definitions[index(V->Dst)] == 1 && Left)
        if (const SlotId Counter = counterOf(*V); Counter != SlotId::None) {
          Mentions[{V->Src.Slot, Counter}].push_back({{B, I}, V->Dst});
          --Left;
        }
}

/// Whether behind \p X the list or the counter \p Of may be another.
bool SameElements::changes(const Fact &X, Key Of) const {
  bool Out = false;
  forEachSlot(X, [&](SlotId S, SlotAccess A) {
    const bool IsGiven = std::holds_alternative<CallFact>(X) && S == Of.second;
    Out |= (S == Of.first && A.Defines) ||
           (S == Of.second && (A.Defines || A.Writes || IsGiven));
  });
  return Out;
}

/// Whether who goes from \p From to \p To, without \p From again, may come by
/// \p X.
bool SameElements::isOnWay(FactAt X, const Mention &From, const Mention &To) {
  const std::uint32_t A = From.At.Block, B = To.At.Block;
  if (X.Block == A)
    return X.Index > From.At.Index && (A != B || X.Index < To.At.Index);
  if (A == B)
    return false;
  const auto ComesFromA = [&](std::uint32_t Block) {
    return llvm::any_of(F.Blocks[A].Successors, [&](BlockId S) {
      return index(S) != A && reached(index(S), A).test(Block);
    });
  };
  if (!ComesFromA(X.Block))
    return false;
  if (X.Block != B)
    return reached(X.Block, A).test(B);
  // Round a loop inside, and back.
  return X.Index < To.At.Index ||
         llvm::any_of(
             F.Blocks[B].Successors,
             [&](BlockId S) {
               return index(S) != A && reached(index(S), A).test(B);
             });
}

/// Whether all that come to \p B were at \p A before.
bool SameElements::dominates(const Mention &A, const Mention &B) {
  if (A.At.Block == B.At.Block)
    return A.At.Index < B.At.Index;
  return A.At.Block == 0 || !reached(0, A.At.Block).test(B.At.Block);
}

std::vector<FactAt> SameElements::changesOf(Key Of) const {
  std::vector<FactAt> Out;
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B)
    for (const auto &[I, X] : llvm::enumerate(F.Blocks[B].Facts))
      if (changes(X, Of))
        Out.push_back({B, I});
  return Out;
}

bool SameElements::isSame(const Mention &A, const Mention &B,
                          llvm::ArrayRef<FactAt> Changes) {
  return dominates(A, B) &&
         llvm::none_of(Changes, [&](FactAt X) { return isOnWay(X, A, B); });
}

SlotId SameElements::fieldOf(SlotId Base, llvm::StringRef Member) const {
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (const Slot &S = F.Slots[I];
        S.Kind == SlotKind::Field && S.Base == Base && S.Member == Member)
      return SlotId(I);
  return SlotId::None;
}

/// \p Element is \p By, and each of its members, which the other may lack, that
/// of it.
void SameElements::replace(SlotId Element, SlotId First) {
  By[Element] = First;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    if (S.Kind != SlotKind::Field || S.Base != Element)
      continue;
    if (const SlotId Same = fieldOf(First, S.Member); Same != SlotId::None)
      replace(SlotId(I), Same);
    else
      F.Slots[I].Base = First;
  }
}

void SameElements::rename() {
  const auto Rename = [this](SlotId &S, SlotAccess = {}) {
    if (const auto It = S == SlotId::None ? By.end() : By.find(S);
        It != By.end())
      S = It->second;
  };
  for (const FactAt &X : llvm::reverse(Again)) {
    std::vector<Fact> &Facts = F.Blocks[X.Block].Facts;
    Facts.erase(Facts.begin() + static_cast<std::ptrdiff_t>(X.Index));
  }
  for (Block &B : F.Blocks) {
    for (Fact &X : B.Facts)
      forEachSlot(X, Rename);
    Rename(B.Condition.Slot);
  }
}

bool SameElements::run() {
  findMentions();
  for (const auto &[Of, All] : Mentions) {
    if (All.size() < 2)
      continue;
    const std::vector<FactAt> Changes = changesOf(Of);
    std::vector<const Mention *> Firsts;
    for (const Mention &Here : All) {
      const auto First = llvm::find_if(Firsts, [&](const Mention *Before) {
        return isSame(*Before, Here, Changes);
      });
      if (First == Firsts.end()) {
        Firsts.push_back(&Here);
        continue;
      }
      replace(Here.Element, (*First)->Element);
      Again.push_back(Here.At);
    }
  }
  llvm::sort(Again, [](const FactAt &A, const FactAt &B) {
    return std::pair(A.Block, A.Index) < std::pair(B.Block, B.Index);
  });
  rename();
  return !Again.empty();
}

void nameSameElements(Function &F) {
  // Elements of members come after the structs that these are in.
  constexpr unsigned Deepest = 3;
  for (unsigned I = 0; I != Deepest && SameElements(F).run(); ++I)
    ;
}

} // namespace spmd::rules
