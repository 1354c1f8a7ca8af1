//===- ObjectClasses.cpp - Slots that may name one object -----------------===//

#include "ObjectClasses.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace spmd::rules {

constexpr unsigned MaxDepth = 6;

ObjectClasses::ObjectClasses(Function &F)
    : F(F), Parent(F.ObjectOf), Empty(F.ObjectOf.empty()) {}

void ObjectClasses::grow() {
  while (Parent.size() < F.Slots.size())
    Parent.push_back(SlotId(static_cast<std::uint32_t>(Parent.size())));
}

SlotId ObjectClasses::find(SlotId S) {
  grow();
  while (Parent[index(S)] != S) {
    Parent[index(S)] = Parent[index(Parent[index(S)])];
    S = Parent[index(S)];
  }
  return S;
}

bool ObjectClasses::join(SlotId A, SlotId B) {
  A = find(A);
  B = find(B);
  if (A == B)
    return false;
  // The lowest slot stands for all, so that the order of joins does not matter.
  Parent[std::max(index(A), index(B))] = std::min(A, B);
  Empty = false;
  return true;
}

bool ObjectClasses::close() {
  bool Changed = false;
  for (bool More = true; More;) {
    More = false;
    std::map<std::pair<SlotId, llvm::StringRef>, SlotId> First;
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
      const Slot &S = F.Slots[I];
      if (S.Kind != SlotKind::Field)
        continue;
      const auto [It, New] =
          First.try_emplace({find(S.Base), S.Member}, SlotId(I));
      if (!New)
        More |= join(It->second, SlotId(I));
    }
    Changed |= More;
  }
  return Changed;
}

std::vector<std::vector<SlotId>> ObjectClasses::classes() {
  std::map<SlotId, std::vector<SlotId>> Members;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    Members[find(SlotId(I))].push_back(SlotId(I));
  std::vector<std::vector<SlotId>> Out;
  for (auto &[Of, Names] : Members)
    if (Names.size() > 1)
      Out.push_back(std::move(Names));
  return Out;
}

bool ObjectClasses::isWithinItself(SlotId S) {
  const SlotId Class = find(S);
  unsigned Depth = 0;
  for (SlotId Base = F.slot(S).Base; Base != SlotId::None;
       Base = F.slot(Base).Base)
    if (++Depth == MaxDepth || find(Base) == Class)
      return true;
  return false;
}

void ObjectClasses::store() {
  F.ObjectOf.clear();
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    F.ObjectOf.push_back(find(SlotId(I)));
}

} // namespace spmd::rules
