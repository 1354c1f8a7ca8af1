//===- OptimizedModels.cpp - The modules of one optimizer -----------------===//

#include "OptimizedModels.h"

#include "OptimizedModel.h"

#include "../Strip.h"

#include "cxx/CallSite.h"
#include "cxx/TypeClass.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// The member in `enc_` or `enc_->`.
const FieldDecl *ownModule(const Expr *E) {
  E = strip(E)->IgnoreParenImpCasts();
  if (const auto *Arrow = dyn_cast<CXXOperatorCallExpr>(E);
      Arrow && Arrow->getNumArgs() == 1)
    E = strip(Arrow->getArg(0))->IgnoreParenImpCasts();
  return memberOfThis(E);
}

bool isList(QualType T) {
  return classify(T.getNonReferenceType()) == TypeClass::TensorList;
}

/// Where the tensors in an expression come from: members, and local lists.
class Sources : public RecursiveASTVisitor<Sources> {
public:
  bool TraverseLambdaExpr(LambdaExpr *) { return !(IsOther = true); }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CallSite C(E);
    if (C.base() != "parameters" || !C.Receiver)
      return true;
    const FieldDecl *Field = ownModule(C.Receiver);
    IsOther |= !Field;
    Models.insert(Field);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const auto *VD = dyn_cast<VarDecl>(E->getDecl());
    if (!VD || (!isList(VD->getType()) && !isTensor(VD->getType())))
      return true;
    IsOther |= !VD->isLocalVarDecl();
    Locals.insert(VD);
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    IsOther |= isa<FieldDecl>(E->getMemberDecl()) &&
               (isList(E->getType()) || isTensor(E->getType()));
    return true;
  }

  ModelFields Models;
  llvm::SmallSetVector<const VarDecl *, 2> Locals;
  bool IsOther = false;
};

/// All that is put into lists of a function, once and for all.
class Puts : public RecursiveASTVisitor<Puts> {
public:
  explicit Puts(Sources &Into) : Into(Into) {}

  bool TraverseIfStmt(IfStmt *S) {
    ++Depth;
    const bool More = RecursiveASTVisitor::TraverseIfStmt(S);
    --Depth;
    return More;
  }
  bool VisitVarDecl(VarDecl *VD) {
    if (Into.Locals.contains(VD) && VD->hasInit())
      Into.TraverseStmt(VD->getInit());
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) {
    if (Into.Locals.contains(S->getLoopVariable()))
      Into.TraverseStmt(S->getRangeInit());
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CallSite C(E);
    const auto *Ref =
        C.Receiver ? dyn_cast<DeclRefExpr>(strip(C.Receiver)) : nullptr;
    const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!VD || !isList(VD->getType()) || !Into.Locals.contains(VD))
      return true;
    const bool Puts = C.base() == "push_back" || C.base() == "emplace_back" ||
                      C.base() == "insert";
    Into.IsOther |=
        (Puts && Depth) || (!Puts && C.base() != "begin" && C.base() != "end" &&
                            C.base() != "reserve" && C.base() != "size");
    if (Puts)
      for (const Expr *A : C.Arguments)
        Into.TraverseStmt(const_cast<Expr *>(A));
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    const auto *Ref = E->getOperator() == OO_Equal
                          ? dyn_cast<DeclRefExpr>(strip(E->getArg(0)))
                          : nullptr;
    const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    Into.IsOther |= VD && Into.Locals.contains(VD);
    return true;
  }

private:
  Sources &Into;
  unsigned Depth = 0; ///< of conditions
};

} // namespace

/// The function whose local \p VD is.
static const FunctionDecl *functionOf(const VarDecl *VD) {
  return dyn_cast<FunctionDecl>(VD->getDeclContext());
}

ModelFields optimizedModels(const FieldDecl *Optimizer) {
  const auto Given = givenTo(Optimizer);
  if (!Given || Given->size() != 1 || !Given->front())
    return {};
  Sources Of;
  Of.TraverseStmt(const_cast<Expr *>(Given->front()));
  for (std::size_t Before = 0; Before != Of.Locals.size() && !Of.IsOther;) {
    Before = Of.Locals.size();
    const FunctionDecl *In = functionOf(Of.Locals.front());
    if (!In || !In->getBody())
      return {};
    Puts All(Of);
    All.TraverseStmt(In->getBody());
  }
  const auto IsElsewhere = [&](const FieldDecl *Field) {
    return !Field || Field->getParent() != Optimizer->getParent();
  };
  return Of.IsOther || llvm::any_of(Of.Models, IsElsewhere) ? ModelFields()
                                                            : Of.Models;
}

} // namespace spmd::lint::lower
