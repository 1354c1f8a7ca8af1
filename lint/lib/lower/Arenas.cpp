//===- Arenas.cpp - Members that point into one allocation ----------------===//

#include "Arenas.h"

#include "ElementPointers.h"
#include "MemberLists.h"
#include "RankNumbers.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/MapVector.h"

#include <vector>

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// A function that makes members of a struct, or the elements of a list, that
/// it is given point into memory that it returns, or is given.
struct Setup {
  unsigned Struct = 0;                ///< parameter
  const FieldDecl *Pointer = nullptr; ///< null: it is a list of pointers
  std::optional<unsigned> Memory;     ///< parameter; none: what it returns
  bool Out = false; ///< the parameter is where a pointer to the memory goes
};

} // namespace

/// What an assignment to \p Target sets; of a list, one element.
static std::vector<PointerMember> pointersAt(const PointerOrigins &Body,
                                             const Expr *Target) {
  if (const PointerMember List = memberListAt(Target))
    return {List};
  return Body.pointees(Target);
}

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
        Memory || Out ? pointersAt(Body, A.To) : std::vector<PointerMember>();
    if (const ParmVarDecl *P = parameterListAt(A.To)) {
      const unsigned List = P->getFunctionScopeIndex();
      if (Memory)
        Setups.push_back({List, nullptr, *Memory});
      if (Out)
        Setups.push_back({List, nullptr, Out, /*Out=*/true});
    }
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
  return isMemberList(Pointer.second) ||
         (Pointer.first && Pointer.first->getType()->getAsRecordDecl() !=
                               Pointer.second->getParent());
}

namespace {

/// What the bodies of a file say that members point into.
class PointerFinder {
public:
  PointerFinder(llvm::ArrayRef<PointerOrigins> Bodies, const RankNumbers &Ranks)
      : Ranks(Ranks) {
    for (const PointerOrigins &B : Bodies)
      if (std::vector<Setup> Of = setupsIn(B); !Of.empty())
        Setups[B.function()->getCanonicalDecl()] = std::move(Of);
    const MemberListFillers Fillers(Bodies);
    for (const PointerOrigins &B : Bodies) {
      for (const CallExpr *Call : B.Calls)
        addCall(B, Call, {});
      for (const PointerOrigins::Assignment &A : B.Assigned)
        addAssignment(B, A);
      for (const ElementPointer &P : elementPointersIn(B))
        addElement(B, P);
      for (const FieldDecl *List : Fillers.listsIn(B))
        Elsewhere.insert(List);
    }
  }

  /// Of two, nobody knows which, nor where a list leads that somebody fills
  /// otherwise.
  PointsTo found() && {
    for (auto &[Pointer, Into] : Points)
      if (Elsewhere.contains(Pointer.second))
        Into = std::nullopt;
    return std::move(Points);
  }

private:
  void add(Arenas::Path Pointer, Arenas::Path Into) {
    if (Pointer == Into || Pointer.first == Into.second ||
        classify(Pointer.second->getType()) != TypeClass::Buffer)
      return;
    const auto [At, New] = Points.try_emplace(Pointer, Into);
    if (!New && At->second != Into)
      At->second = std::nullopt;
  }
  void addCall(const PointerOrigins &B, const CallExpr *Call,
               const PointerMember &Result);
  void addAssignment(const PointerOrigins &B,
                     const PointerOrigins::Assignment &A);
  void addElement(const PointerOrigins &B, const ElementPointer &P);

  const RankNumbers &Ranks;
  llvm::DenseMap<const FunctionDecl *, std::vector<Setup>> Setups;
  llvm::DenseSet<const FieldDecl *> Elsewhere;
  PointsTo Points;
};

} // namespace

/// What \p Call sets; its result becomes \p Result.
void PointerFinder::addCall(const PointerOrigins &B, const CallExpr *Call,
                            const PointerMember &Result) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (!Callee)
    return;
  for (const Setup &S : Setups.lookup(Callee->getCanonicalDecl())) {
    if (S.Struct >= Call->getNumArgs())
      continue;
    const Expr *Given = Call->getArg(S.Struct);
    const Expr *Into = S.Memory && *S.Memory < Call->getNumArgs()
                           ? Call->getArg(*S.Memory)
                           : nullptr;
    const PointerMember Memory = !S.Memory ? Result
                                 : !Into   ? PointerMember()
                                 : S.Out   ? memberOf(addressed(Into))
                                           : memoryMember(B, Into);
    if (!S.Pointer) {
      if (const PointerMember List = memberList(Given);
          List && Memory && List.Object == Memory.Object)
        add({List.In, List.Field}, {Memory.In, Memory.Field});
      else if (List && S.Memory) // of what is returned, where that goes says
        Elsewhere.insert(List.Field);
      continue;
    }
    const PointerMember Struct = memberOf(addressed(Given));
    if (Struct && Memory && !Struct.In && !Memory.In &&
        Struct.Object == Memory.Object)
      add({Struct.Field, S.Pointer}, {nullptr, Memory.Field});
  }
}

void PointerFinder::addAssignment(const PointerOrigins &B,
                                  const PointerOrigins::Assignment &A) {
  const PointerMember List = memberListAt(A.To);
  const PointerMember To = List ? List : memberOf(A.To);
  if (const auto *Call = dyn_cast_or_null<CallExpr>(bare(A.Value)))
    addCall(B, Call, List ? PointerMember() : To);
  if (!To || !A.To->getType()->isPointerType())
    return;
  const PointerMember From =
      List ? memoryMember(B, A.Value) : B.originOf(A.Value).Of;
  if (From && From.Object == To.Object && !Ranks.areSteps(A.Value))
    add({To.In, To.Field}, {From.In, From.Field});
  else if (List && !staysInList(B, A.To, A.Value) &&
           !B.memoryAt(B.originOf(A.Value)) && !memoryGivenOut(B, A.Value))
    Elsewhere.insert(List.Field);
}

void PointerFinder::addElement(const PointerOrigins &B,
                               const ElementPointer &P) {
  const PointerMember From = memoryIn(B, P.Value).Of;
  if (P.List.Of && From && !From.In && !P.List.Of.In &&
      From.Object == P.List.Of.Object && !Ranks.areSteps(P.Value))
    add({P.List.Of.Field, P.Pointer}, {nullptr, From.Field});
}

Arenas::Arenas(llvm::ArrayRef<PointerOrigins> Bodies,
               const RankNumbers &Ranks) {
  const PointsTo Points = PointerFinder(Bodies, Ranks).found();
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
