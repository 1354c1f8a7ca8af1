//===- GlobalArenas.cpp - Globals that point into one allocation ----------===//

#include "GlobalArenas.h"

#include "PartSizes.h"
#include "RankNumbers.h"

#include "cxx/TypeClass.h"

#include "llvm/ADT/MapVector.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// A place in what a variable holds; null: in memory of its own, or nobody
/// knows where.
struct Place {
  const VarDecl *In = nullptr;
  bool Begins = false;         ///< perhaps where that does
  const Expr *Steps = nullptr; ///< so many behind where it begins
  bool IsSure = true;          ///< where it is, is where another part ends
  bool operator==(const Place &O) const {
    return In == O.In && Begins == O.Begins;
  }
};

/// What each global pointer is set to: another one, or a place behind it.
class Origins {
public:
  Origins(llvm::ArrayRef<PointerOrigins> Bodies, const RankNumbers &Ranks)
      : Sizes(Bodies) {
    for (const PointerOrigins &B : Bodies) {
      for (const auto &[VD, Value] : B.Globals)
        if (VD->getType()->isPointerType() && Ranks.areSteps(Value))
          add(VD->getCanonicalDecl(), {});
        else if (!Value->isNullPointerConstant(
                     VD->getASTContext(), Expr::NPC_ValueDependentIsNotNull))
          add(VD->getCanonicalDecl(), placeOf(B, Value));
      for (const CallExpr *Call : B.Calls)
        for (const Expr *A : Call->arguments())
          if (const Expr *Of = addressed(A))
            if (const VarDecl *VD = variableOf(Of))
              add(VD->getCanonicalDecl(), {});
    }
    nameLocals();
  }

  /// The global at the end of the way from \p VD; null if there is none.
  Place memoryOf(const VarDecl *VD) const {
    Place At{VD, /*Begins=*/true};
    for (std::size_t Steps = 0; Steps <= Into.size(); ++Steps) {
      const auto Next = Into.find(At.In);
      if (Next == Into.end() || !Next->second.In)
        return At.In == VD ? Place() : At;
      const Place &Of = Next->second;
      At = {Of.In, At.Begins && Of.Begins, At.In == VD ? Of.Steps : nullptr,
            At.IsSure && Of.IsSure};
    }
    return {}; // round in a circle
  }
  auto begin() const { return Into.begin(); }
  auto end() const { return Into.end(); }

private:
  void add(const VarDecl *VD, const Place &Of) {
    if (!VD->hasGlobalStorage() || classify(VD->getType()) != TypeClass::Buffer)
      return;
    const auto [At, New] = Into.try_emplace(VD, Of);
    if (!New && At->second != Of)
      At->second = {}; // of two, nobody knows which
  }

  /// What only a local has a name for is what the first global that points to
  /// where it begins holds.
  void nameLocals() {
    llvm::DenseMap<const VarDecl *, const VarDecl *> NameOf;
    for (auto &[VD, Of] : Into)
      if (Of.In && !Of.In->hasGlobalStorage() && Of.Begins &&
          NameOf.try_emplace(Of.In, VD).second)
        Of = {};
    for (auto &[VD, Of] : Into)
      if (Of.In && !Of.In->hasGlobalStorage()) {
        Of.In = NameOf.lookup(Of.In);
        Of.Begins &= Of.In != nullptr;
      }
  }

  /// \p Steps behind the place \p Of, as \p B says.
  Place behind(const PointerOrigins &B, const Place &Of, const Expr *Steps) {
    const auto *Number = dyn_cast<IntegerLiteral>(bare(Steps));
    if (Number && Number->getValue() == 0)
      return Of;
    if (!Of.In)
      return {};
    return {Of.In, /*Begins=*/false, Of.Begins ? Steps : nullptr,
            Of.IsSure && Sizes.isEnd(B, Of.In, Steps)};
  }

  Place placeOf(const PointerOrigins &B, const Expr *E, unsigned Depth = 0) {
    constexpr unsigned MaxDepth = 8;
    E = bare(E);
    if (!E || Depth > MaxDepth)
      return {};
    if (const auto *Sum = dyn_cast<BinaryOperator>(E);
        Sum && Sum->isAdditiveOp()) {
      const bool First = Sum->getLHS()->getType()->isPointerType();
      return behind(
          B, placeOf(B, First ? Sum->getLHS() : Sum->getRHS(), Depth + 1),
          First ? Sum->getRHS() : Sum->getLHS());
    }
    if (const Expr *Of = addressed(E)) {
      const auto *At = dyn_cast<ArraySubscriptExpr>(bare(Of));
      return At ? behind(B, placeOf(B, At->getBase(), Depth + 1), At->getIdx())
                : Place();
    }
    const VarDecl *VD = variableOf(E);
    if (!VD || !VD->getType()->isPointerType())
      return {};
    if (VD->hasGlobalStorage())
      return {VD->getCanonicalDecl(), /*Begins=*/true};
    const Expr *Value = B.onlyValue(VD);
    const Place Of = Value ? placeOf(B, Value, Depth + 1) : Place();
    if (!B.isSetOnce(VD)) // it may have gone on since
      return {Of.In, /*Begins=*/true};
    return Of.In || isa<ParmVarDecl>(VD)
               ? Of
               : Place{VD->getCanonicalDecl(), /*Begins=*/true};
  }

  PartSizes Sizes;
  llvm::MapVector<const VarDecl *, Place> Into;
};

} // namespace

GlobalArenas::GlobalArenas(llvm::ArrayRef<PointerOrigins> Bodies,
                           const RankNumbers &Ranks) {
  // Of one alone, nobody can tell whether it is another name of the memory.
  constexpr unsigned FewestPointers = 2;
  const Origins Of(Bodies, Ranks);
  // What another pointer has its beginning of, or nobody knows which part.
  llvm::SmallPtrSet<const VarDecl *, 4> Others;
  for (const auto &[VD, Into] : Of)
    if (const Place Memory = Of.memoryOf(VD); Memory.In) {
      PointersInto[Memory.In].push_back(VD);
      if (Memory.Begins || !Memory.IsSure)
        Others.insert(Memory.In);
      // Of several nobody knows which is the smallest.
      if (Memory.Steps)
        if (const auto [At, New] =
                FirstSizes.try_emplace(Memory.In, Memory.Steps);
            !New)
          At->second = nullptr;
    }
  for (auto &[Memory, Pointers] : PointersInto) {
    if (!Others.contains(Memory))
      FirstParts.insert(Memory);
    else if (Pointers.size() < FewestPointers)
      Pointers.clear();
    for (const VarDecl *VD : Pointers)
      MemoryOf[VD] = MemoryOf[Memory] = Memory;
  }
}

llvm::ArrayRef<const VarDecl *>
GlobalArenas::pointersInto(const VarDecl *Memory) const {
  const auto At = PointersInto.find(Memory->getCanonicalDecl());
  return At == PointersInto.end() ? llvm::ArrayRef<const VarDecl *>()
                                  : llvm::ArrayRef(At->second);
}

} // namespace spmd::lint::lower
