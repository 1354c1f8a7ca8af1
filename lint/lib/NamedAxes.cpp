//===- NamedAxes.cpp - The axes that a function is on ---------------------===//

#include "NamedAxes.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace spmd::lint {

using namespace rules;

/// The slots of \p F that are computed with: an `int tp` is no axis.
static llvm::BitVector numbersOf(const Function &F) {
  llvm::BitVector Out(static_cast<unsigned>(F.Slots.size()));
  const auto Add = [&Out](SlotId S) {
    if (S != SlotId::None)
      Out.set(index(S));
  };
  for (const OpFact &O : factsOf<OpFact>(F))
    for (const Operand &X : O.Operands)
      Add(X.Slot);
  for (const CallFact &Call : factsOf<CallFact>(F))
    for (const GivenNumber &Given : Call.Numbers)
      Add(Given.Same);
  return Out;
}

/// The parameters of \p F that no annotation says more of, and that may be
/// communicators or axes.
static llvm::StringSet<> parametersOf(const Function &F) {
  llvm::StringSet<> Out;
  const llvm::BitVector Numbers = numbersOf(F);
  for (unsigned I = 0; I != F.NumParameters; ++I) {
    const Slot &S = F.Slots[I];
    // A struct that has a communicator's name is none.
    const bool IsStruct = llvm::any_of(
        F.Slots, [I](const Slot &Field) { return Field.Base == SlotId(I); });
    if (!IsStruct && !S.Declared && !S.Integer && S.DeclaredAxes.empty() &&
        !Numbers.test(I))
      Out.insert(S.Name);
  }
  return Out;
}

NamedAxes::NamedAxes(const Module &M) {
  for (const auto &F : M.Functions) {
    Own[F.get()] = parametersOf(*F);
    for (const auto &Name : Own[F.get()])
      Formal.insert(Name.getKey());
  }
  for (const auto &F : M.Functions)
    for (const Slot &S : F->Slots)
      for (const std::string &Axis : S.DeclaredAxes)
        Formal.erase(Axis);
}

std::uint32_t NamedAxes::of(const Function &F,
                            llvm::ArrayRef<std::string> Axes) const {
  const llvm::StringSet<> &Mine = Own.find(&F)->second;
  const auto Names = [](const TypeAnnotation *T, llvm::StringRef Axis) {
    return T && (T->Entry.find(Axis) || (T->Exit && T->Exit->find(Axis)));
  };
  std::uint32_t OfParameters = 0, Others = 0;
  for (std::size_t A = 0; A != Axes.size(); ++A) {
    const llvm::StringRef Axis = Axes[A];
    // Code on one mesh says nothing of the axes of another.
    const MeshAxis *OfMesh = F.Mesh ? F.Mesh->find(Axis) : nullptr;
    const bool IsFormal = Formal.contains(Axis);
    if (F.Mesh && !IsFormal && (!OfMesh || OfMesh->Size == 1))
      continue;
    const bool IsNamed = Names(F.Result.get(), Axis) ||
                         llvm::any_of(F.Slots, [&](const Slot &S) {
                           return Names(S.Declared.get(), Axis);
                         });
    if (Mine.contains(Axis) && IsFormal && !OfMesh)
      OfParameters |= 1u << A;
    else if (!IsFormal || OfMesh || IsNamed)
      Others |= 1u << A;
  }
  return OfParameters ? OfParameters : Others;
}

SlotId namedRanks(const Function &F, SlotId Axis) {
  const auto IsNamed = [&](SlotId S) {
    return S == SlotId::None || !F.slot(S).Name.empty();
  };
  // Backwards: what a temporary is made of comes before it.
  for (const Block &B : llvm::reverse(F.Blocks))
    for (const Fact &X : llvm::reverse(B.Facts)) {
      if (IsNamed(Axis))
        return Axis;
      if (const auto *Bind = std::get_if<BindFact>(&X);
          Bind && Bind->Dst == Axis)
        Axis = Bind->Src.Slot;
      else if (const auto *View = std::get_if<ViewFact>(&X);
               View && View->Dst == Axis)
        Axis = View->Src.Slot;
    }
  return IsNamed(Axis) ? Axis : SlotId::None;
}

bool isOfOneRank(const Function &F, SlotId Axis) {
  return Axis == SlotId::None || !F.slot(Axis).DeclaredAxes.empty() ||
         llvm::any_of(factsOf<DefineFact>(F), [Axis](const DefineFact &D) {
           return D.Dst == Axis && (D.K == DefineFact::Kind::OneRank ||
                                    D.K == DefineFact::Kind::Axes);
         });
}

} // namespace spmd::lint
