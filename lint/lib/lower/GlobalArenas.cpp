//===- GlobalArenas.cpp - Globals that point into one allocation ----------===//

#include "GlobalArenas.h"

#include "cxx/TypeClass.h"

#include "llvm/ADT/MapVector.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// What each global pointer is set to: another one, or a place behind it.
class Origins {
public:
  explicit Origins(llvm::ArrayRef<PointerOrigins> Bodies) {
    for (const PointerOrigins &B : Bodies) {
      for (const auto &[VD, Value] : B.Globals)
        if (!Value->isNullPointerConstant(VD->getASTContext(),
                                          Expr::NPC_ValueDependentIsNotNull))
          add(VD->getCanonicalDecl(), behind(B, Value));
      for (const CallExpr *Call : B.Calls)
        for (const Expr *A : Call->arguments())
          if (const Expr *Of = addressed(A))
            if (const VarDecl *VD = variableOf(Of))
              add(VD->getCanonicalDecl(), nullptr);
    }
  }

  /// The global at the end of the way from \p VD; null if there is none.
  const VarDecl *memoryOf(const VarDecl *VD) const {
    const VarDecl *At = VD;
    for (std::size_t Steps = 0; Steps <= Into.size(); ++Steps) {
      const auto Next = Into.find(At);
      if (Next == Into.end() || !Next->second)
        return At == VD ? nullptr : At;
      At = Next->second;
    }
    return nullptr; // round in a circle
  }
  auto begin() const { return Into.begin(); }
  auto end() const { return Into.end(); }

private:
  void add(const VarDecl *VD, const VarDecl *Of) {
    if (!VD->hasGlobalStorage() || classify(VD->getType()) != TypeClass::Buffer)
      return;
    const auto [At, New] = Into.try_emplace(VD, Of);
    if (!New && At->second != Of)
      At->second = nullptr; // of two, nobody knows which
  }
  static const VarDecl *behind(const PointerOrigins &B, const Expr *E,
                               unsigned Depth = 0) {
    constexpr unsigned MaxDepth = 8;
    E = bare(E);
    if (!E || Depth > MaxDepth)
      return nullptr;
    if (const auto *Sum = dyn_cast<BinaryOperator>(E);
        Sum && Sum->isAdditiveOp())
      return behind(B,
                    Sum->getLHS()->getType()->isPointerType() ? Sum->getLHS()
                                                              : Sum->getRHS(),
                    Depth + 1);
    if (const Expr *Of = addressed(E)) {
      const auto *At = dyn_cast<ArraySubscriptExpr>(bare(Of));
      return At ? behind(B, At->getBase(), Depth + 1) : nullptr;
    }
    const VarDecl *VD = variableOf(E);
    if (!VD || !VD->getType()->isPointerType())
      return nullptr;
    if (VD->hasGlobalStorage())
      return VD->getCanonicalDecl();
    return behind(B, B.onlyValue(VD), Depth + 1);
  }

  /// Null: into memory of its own, or nobody knows.
  llvm::MapVector<const VarDecl *, const VarDecl *> Into;
};

} // namespace

GlobalArenas::GlobalArenas(llvm::ArrayRef<PointerOrigins> Bodies) {
  // Of one alone, nobody can tell whether it is another name of the memory.
  constexpr unsigned FewestPointers = 2;
  const Origins Of(Bodies);
  for (const auto &[VD, Into] : Of)
    if (const VarDecl *Memory = Of.memoryOf(VD))
      PointersInto[Memory].push_back(VD);
  for (auto &[Memory, Pointers] : PointersInto) {
    if (Pointers.size() < FewestPointers)
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
