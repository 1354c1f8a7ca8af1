//===- Arenas.cpp - Members that point into one allocation ----------------===//

#include "Arenas.h"

#include "ElementPointers.h"
#include "RankNumbers.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/MapVector.h"

#include <vector>

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// A function that makes members of a struct that it is given point into memory
/// that it returns, or is given.
struct Setup {
  unsigned Struct = 0;                ///< parameter
  const FieldDecl *Pointer = nullptr; ///< null: several
  std::optional<unsigned> Memory;     ///< parameter; none: what it returns
  bool Out = false; ///< the parameter is where a pointer to the memory goes
};

} // namespace

/// The parameter `float **p` of `*p`.
static std::optional<unsigned> outParameter(const Expr *E) {
  const auto *Deref = dyn_cast_or_null<UnaryOperator>(bare(E));
  const auto *P =
      Deref && Deref->getOpcode() == UO_Deref
          ? dyn_cast_or_null<ParmVarDecl>(variableOf(Deref->getSubExpr()))
          : nullptr;
  if (!P || classify(Deref->getType()) != TypeClass::Buffer)
    return std::nullopt;
  return P->getFunctionScopeIndex();
}

/// The parameter by which the caller gets what \p Pointer points into:
/// `float *it = *mem = malloc(…)`, `*mem = it`.
static std::optional<unsigned> memoryGivenOut(const PointerOrigins &Body,
                                              const Expr *Pointer) {
  const VarDecl *VD = Body.originOf(Pointer).Variable;
  if (!VD)
    return outParameter(Pointer);
  for (const PointerOrigins::Assignment &A : Body.Assigned)
    if (const auto P = outParameter(A.To);
        P && Body.originOf(A.Value).Variable == VD)
      return P;
  const Expr *Value = bare(Body.onlyValue(VD));
  if (const auto *Both = dyn_cast_or_null<BinaryOperator>(Value);
      Both && Both->getOpcode() == BO_Assign)
    Value = Both->getLHS();
  return outParameter(Value);
}

static std::vector<Setup> setupsIn(const PointerOrigins &Body) {
  std::vector<Setup> Setups;
  for (const PointerOrigins::Assignment &A : Body.Assigned) {
    if (!A.To->getType()->isPointerType())
      continue;
    // A caller may take the one or the other.
    const auto Memory = Body.memoryAt(Body.originOf(A.Value));
    const auto Out = memoryGivenOut(Body, A.Value);
    const std::vector<PointerMember> Set =
        Memory || Out ? Body.pointees(A.To) : std::vector<PointerMember>();
    for (const PointerMember &M : Set) {
      const auto *P = dyn_cast_or_null<ParmVarDecl>(M.Object);
      if (!P || M.In || !P->getType()->isPointerType())
        continue;
      const unsigned Struct = P->getFunctionScopeIndex();
      if (Memory)
        Setups.push_back({Struct, M.Field, *Memory});
      if (Out)
        Setups.push_back({Struct, M.Field, Out, /*Out=*/true});
    }
  }
  return Setups;
}

using PointsTo = llvm::MapVector<Arenas::Path, std::optional<Arenas::Path>>;

/// The member that holds what \p Pointer points into, by way of others or
/// itself: `m->b = m->w + n`, where `m->w = m->memory`.
static const FieldDecl *memoryBehind(Arenas::Path Pointer,
                                     const PointsTo &Points) {
  for (std::size_t Steps = 0; Steps <= Points.size(); ++Steps) {
    const auto At = Points.find(Pointer);
    if (At == Points.end())
      return Pointer.first ? nullptr : Pointer.second;
    if (!At->second)
      return nullptr;
    Pointer = *At->second;
  }
  return nullptr; // round in a circle
}

/// Of one pointer alone, nobody can tell whether it is another name of the
/// memory for good.
static constexpr unsigned FewestPointers = 2;

static bool isInList(const Arenas::Path &Pointer) {
  return Pointer.first && Pointer.first->getType()->getAsRecordDecl() !=
                              Pointer.second->getParent();
}

Arenas::Arenas(llvm::ArrayRef<PointerOrigins> Bodies,
               const RankNumbers &Ranks) {
  // Of two, nobody knows which.
  PointsTo Points;
  const auto Add = [&Points](Path Pointer, Path Into) {
    if (Pointer == Into || Pointer.first == Into.second ||
        classify(Pointer.second->getType()) != TypeClass::Buffer)
      return;
    const auto [At, New] = Points.try_emplace(Pointer, Into);
    if (!New && At->second != Into)
      At->second = std::nullopt;
  };
  llvm::DenseMap<const FunctionDecl *, std::vector<Setup>> Setups;
  for (const PointerOrigins &B : Bodies)
    if (std::vector<Setup> Of = setupsIn(B); !Of.empty())
      Setups[B.function()->getCanonicalDecl()] = std::move(Of);
  for (const PointerOrigins &B : Bodies) {
    // The call, and where its result goes.
    const auto SetBy = [&](const CallExpr *Call, const PointerMember &Result) {
      const FunctionDecl *Callee = Call->getDirectCallee();
      if (!Callee)
        return;
      for (const Setup &S : Setups.lookup(Callee->getCanonicalDecl())) {
        if (S.Struct >= Call->getNumArgs())
          continue;
        const PointerMember Struct =
            memberOf(addressed(Call->getArg(S.Struct)));
        const PointerMember Memory =
            !S.Memory                         ? Result
            : *S.Memory >= Call->getNumArgs() ? PointerMember()
            : S.Out ? memberOf(addressed(Call->getArg(*S.Memory)))
                    : B.originOf(Call->getArg(*S.Memory)).Of;
        if (Struct && Memory && !Struct.In && !Memory.In &&
            Struct.Object == Memory.Object)
          Add({Struct.Field, S.Pointer}, {nullptr, Memory.Field});
      }
    };
    for (const CallExpr *Call : B.Calls)
      SetBy(Call, {});
    for (const PointerOrigins::Assignment &A : B.Assigned) {
      const PointerMember To = memberOf(A.To);
      if (const auto *Call = dyn_cast_or_null<CallExpr>(bare(A.Value)))
        SetBy(Call, To);
      if (!To || !To.Field->getType()->isPointerType())
        continue;
      if (const PointerMember From = B.originOf(A.Value).Of;
          From && From.Object == To.Object && !Ranks.areSteps(A.Value))
        Add({To.In, To.Field}, {From.In, From.Field});
    }
    for (const ElementPointer &P : elementPointersIn(B)) {
      const PointerMember From = memoryIn(B, P.Value).Of;
      if (P.List.Of && From && !From.In && !P.List.Of.In &&
          From.Object == P.List.Of.Object && !Ranks.areSteps(P.Value))
        Add({P.List.Of.Field, P.Pointer}, {nullptr, From.Field});
    }
  }
  for (const auto &[Pointer, Into] : Points)
    if (const FieldDecl *Memory = memoryBehind(Pointer, Points))
      PointersInto[Memory].push_back(Pointer);
  for (auto &[Memory, Pointers] : PointersInto) {
    // Those of all elements of a list are several.
    if (Pointers.size() < FewestPointers &&
        llvm::none_of(Pointers, [](const Path &P) { return isInList(P); }))
      Pointers.clear();
    // In the order of the struct, so that slots have theirs.
    llvm::sort(Pointers, [](const Path &A, const Path &B) {
      const auto Place = [](const FieldDecl *D) {
        return D ? D->getFieldIndex() + 1 : 0;
      };
      return std::pair(Place(A.first), Place(A.second)) <
             std::pair(Place(B.first), Place(B.second));
    });
    for (const Path &Pointer : Pointers)
      MemoryOf[Pointer] = Memory;
  }
}

llvm::ArrayRef<Arenas::Path>
Arenas::pointersInto(const FieldDecl *Memory) const {
  const auto At = PointersInto.find(Memory);
  return At == PointersInto.end() ? llvm::ArrayRef<Path>()
                                  : llvm::ArrayRef(At->second);
}

const FieldDecl *Arenas::memoryOf(const FieldDecl *In,
                                  const FieldDecl *Pointer) const {
  return MemoryOf.lookup({In, Pointer});
}

} // namespace spmd::lint::lower
