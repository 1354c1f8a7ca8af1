//===- Arenas.cpp - Members that point into one allocation ----------------===//

#include "Arenas.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

#include <vector>

using namespace clang;

namespace spmd::lint::lower {

namespace {

const Expr *bare(const Expr *E) {
  while (E) {
    E = E->IgnoreParenCasts();
    const auto *U = dyn_cast<UnaryOperator>(E);
    if (!U || U->getOpcode() != UO_Extension)
      break;
    E = U->getSubExpr();
  }
  return E;
}

/// A member of an object, in a struct that is a member of it or directly. The
/// object is a variable, or null for `this`.
struct Member {
  const ValueDecl *Object = nullptr;
  const FieldDecl *In = nullptr, *Field = nullptr;
  explicit operator bool() const { return Field; }
};

Member memberOf(const Expr *E) {
  const auto *M = dyn_cast_or_null<MemberExpr>(bare(E));
  const auto *Field = M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
  if (!Field)
    return {};
  const Expr *Base = bare(M->getBase());
  if (isa<CXXThisExpr>(Base))
    return {nullptr, nullptr, Field};
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Base))
    return {Ref->getDecl(), nullptr, Field};
  const Member Outer = memberOf(Base);
  return Outer && !Outer.In && !M->isArrow()
             ? Member{Outer.Object, Outer.Field, Field}
             : Member();
}

const Expr *addressed(const Expr *E) {
  const auto *U = dyn_cast_or_null<UnaryOperator>(bare(E));
  return U && U->getOpcode() == UO_AddrOf ? U->getSubExpr() : nullptr;
}

const VarDecl *variable(const Expr *E) {
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(bare(E));
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

/// What a pointer is computed from: a variable that nothing else was assigned
/// to, or a member.
struct Origin {
  const VarDecl *Variable = nullptr;
  Member Of;
};

/// A function that makes members of a struct that it is given point into memory
/// that it returns, or is given.
struct Setup {
  unsigned Struct = 0;                ///< parameter
  const FieldDecl *Pointer = nullptr; ///< null: several
  std::optional<unsigned> Memory;     ///< parameter; none: what it returns
};

/// The assignments of one body.
class Body : public RecursiveASTVisitor<Body> {
public:
  explicit Body(const FunctionDecl *FD) { TraverseStmt(FD->getBody()); }

  bool VisitVarDecl(VarDecl *VD) {
    if (VD->getInit())
      ValuesOf[VD].push_back(VD->getInit());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->getOpcode() != BO_Assign)
      return true;
    if (const VarDecl *VD = variable(E->getLHS()))
      ValuesOf[VD].push_back(E->getRHS());
    else
      Assigned.push_back({E->getLHS(), E->getRHS()});
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    Calls.push_back(E);
    return true;
  }
  bool VisitReturnStmt(ReturnStmt *S) {
    if (S->getRetValue())
      Returned.push_back(S->getRetValue());
    return true;
  }

  struct Assignment {
    const Expr *To, *Value;
  };
  std::vector<Assignment> Assigned; ///< not those to variables
  std::vector<const CallExpr *> Calls;
  llvm::SmallVector<const Expr *, 2> Returned;

  Origin originOf(const Expr *E, unsigned Depth = 0) const;
  std::vector<Setup> setups() const;

private:
  llvm::DenseMap<const VarDecl *, llvm::SmallVector<const Expr *, 1>> ValuesOf;

  const Expr *onlyValue(const VarDecl *VD) const;
  std::vector<Member> pointees(const Expr *Target) const;
  std::optional<std::optional<unsigned>> memoryAt(const Origin &O) const;
};

} // namespace

/// What \p VD begins with, if it is set once, but for steps from where it is.
const Expr *Body::onlyValue(const VarDecl *VD) const {
  const Expr *Only = nullptr;
  const auto Values = ValuesOf.find(VD);
  if (Values == ValuesOf.end())
    return nullptr;
  for (const Expr *Value : Values->second) {
    const auto *B = dyn_cast<BinaryOperator>(bare(Value));
    if (B && B->isAdditiveOp() &&
        (variable(B->getLHS()) == VD || variable(B->getRHS()) == VD))
      continue;
    if (Only)
      return nullptr;
    Only = Value;
  }
  return Only;
}

Origin Body::originOf(const Expr *E, unsigned Depth) const {
  constexpr unsigned MaxDepth = 8;
  E = bare(E);
  if (!E || Depth > MaxDepth)
    return {};
  if (const Member M = memberOf(E))
    return {nullptr, M};
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp())
    return originOf(B->getLHS()->getType()->isPointerType() ? B->getLHS()
                                                            : B->getRHS(),
                    Depth + 1);
  if (const Expr *Of = addressed(E))
    if (const auto *At = dyn_cast<ArraySubscriptExpr>(bare(Of)))
      return originOf(At->getBase(), Depth + 1);
  const VarDecl *VD = variable(E);
  if (!VD || !VD->isLocalVarDeclOrParm() || !VD->getType()->isPointerType())
    return {};
  if (isa<ParmVarDecl>(VD))
    return {VD, {}};
  const Expr *Value = onlyValue(VD);
  const Origin Before = Value ? originOf(Value, Depth + 1) : Origin();
  return Before.Variable || Before.Of ? Before : Origin{VD, {}};
}

/// The members that an assignment to \p Target sets: itself, or those whose
/// addresses are in the array through which it is named.
std::vector<Member> Body::pointees(const Expr *Target) const {
  if (const Member M = memberOf(Target))
    return {M};
  const auto *Deref = dyn_cast<UnaryOperator>(bare(Target));
  const auto *At = Deref && Deref->getOpcode() == UO_Deref
                       ? dyn_cast<ArraySubscriptExpr>(bare(Deref->getSubExpr()))
                       : nullptr;
  const VarDecl *Array = At ? variable(At->getBase()) : nullptr;
  const auto *Init =
      Array && Array->getInit()
          ? dyn_cast<InitListExpr>(Array->getInit()->IgnoreImplicit())
          : nullptr;
  std::vector<Member> Out;
  for (unsigned I = 0; Init && I != Init->getNumInits(); ++I)
    if (const Member M = memberOf(addressed(Init->getInit(I))))
      Out.push_back(M);
  return Out;
}

/// Which memory of the caller's \p O is: a parameter, or what is returned.
std::optional<std::optional<unsigned>> Body::memoryAt(const Origin &O) const {
  if (const auto *P = dyn_cast_or_null<ParmVarDecl>(O.Variable))
    return P->getFunctionScopeIndex();
  for (const Expr *E : Returned)
    if (O.Variable && originOf(E).Variable == O.Variable)
      return std::optional<unsigned>();
  return std::nullopt;
}

std::vector<Setup> Body::setups() const {
  std::vector<Setup> Out;
  for (const Assignment &A : Assigned) {
    if (!A.To->getType()->isPointerType())
      continue;
    const auto Memory = memoryAt(originOf(A.Value));
    const std::vector<Member> Set =
        Memory ? pointees(A.To) : std::vector<Member>();
    for (const Member &M : Set)
      if (const auto *P = dyn_cast_or_null<ParmVarDecl>(M.Object);
          P && !M.In && P->getType()->isPointerType())
        Out.push_back({P->getFunctionScopeIndex(), M.Field, *Memory});
  }
  return Out;
}

/// Of one pointer alone, nobody can tell whether it is another name of the
/// memory for good.
static constexpr unsigned FewestPointers = 2;

Arenas::Arenas(llvm::ArrayRef<const FunctionDecl *> Bodies) {
  const auto Add = [this](Path Pointer, const FieldDecl *Memory) {
    if (Pointer.first == Memory || Pointer.second == Memory ||
        classify(Pointer.second->getType()) != TypeClass::Buffer)
      return;
    const auto [At, New] = MemoryOf.try_emplace(Pointer, Memory);
    if (!New && At->second != Memory)
      At->second = nullptr;
  };
  std::vector<Body> All;
  llvm::DenseMap<const FunctionDecl *, std::vector<Setup>> Setups;
  for (const FunctionDecl *FD : Bodies) {
    const Body &B = All.emplace_back(FD);
    if (std::vector<Setup> Of = B.setups(); !Of.empty())
      Setups[FD->getCanonicalDecl()] = std::move(Of);
  }
  for (const Body &B : All) {
    // The call, and where its result goes.
    const auto SetBy = [&](const CallExpr *Call, const Member &Result) {
      const FunctionDecl *Callee = Call->getDirectCallee();
      if (!Callee)
        return;
      for (const Setup &S : Setups.lookup(Callee->getCanonicalDecl())) {
        if (S.Struct >= Call->getNumArgs())
          continue;
        const Member Struct = memberOf(addressed(Call->getArg(S.Struct)));
        const Member Memory = !S.Memory ? Result
                              : *S.Memory < Call->getNumArgs()
                                  ? B.originOf(Call->getArg(*S.Memory)).Of
                                  : Member();
        if (Struct && Memory && !Struct.In && !Memory.In &&
            Struct.Object == Memory.Object)
          Add({Struct.Field, S.Pointer}, Memory.Field);
      }
    };
    for (const CallExpr *Call : B.Calls)
      SetBy(Call, {});
    for (const Body::Assignment &A : B.Assigned) {
      const Member To = memberOf(A.To);
      if (const auto *Call = dyn_cast_or_null<CallExpr>(bare(A.Value)))
        SetBy(Call, To);
      if (!To || !To.Field->getType()->isPointerType())
        continue;
      if (const Member From = B.originOf(A.Value).Of;
          From && !From.In && From.Object == To.Object)
        Add({To.In, To.Field}, From.Field);
    }
  }
  for (const auto &[Pointer, Memory] : MemoryOf)
    if (Memory)
      PointersInto[Memory].push_back(Pointer);
  MemoryOf.clear();
  for (auto &[Memory, Pointers] : PointersInto) {
    if (Pointers.size() < FewestPointers)
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
