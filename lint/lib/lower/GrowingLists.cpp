//===- GrowingLists.cpp - Copies of lists that more is put into -----------===//

#include "GrowingLists.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// `model->parameters()`, which are a module's as long as it is there.
bool listsParameters(const Expr *E) {
  const auto *Call = dyn_cast<CXXMemberCallExpr>(E);
  const CXXMethodDecl *Method = Call ? Call->getMethodDecl() : nullptr;
  return Method && Method->getIdentifier() && Method->getName() == "parameters";
}

/// A local list that is a copy of one that stays.
bool isCopy(const VarDecl *VD) {
  const QualType T = VD->getType();
  if (!VD->isLocalVarDecl() || T->isReferenceType() || T->isDependentType() ||
      classify(T) != TypeClass::TensorList || !VD->getInit())
    return false;
  const Expr *Init = VD->getInit()->IgnoreImplicit();
  const auto *Made = dyn_cast<CXXConstructExpr>(Init);
  return listsParameters(Init) ||
         (Made && Made->getConstructor()->isCopyConstructor());
}

class Visitor : public RecursiveASTVisitor<Visitor> {
public:
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (const auto *VD = dyn_cast<VarDecl>(E->getDecl()); VD && isCopy(VD))
      ++Of[VD].Mentions;
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CXXMethodDecl *Method = E->getMethodDecl();
    if (!Method || !Method->getIdentifier())
      return true;
    const int Known =
        llvm::StringSwitch<int>(Method->getName())
            .Cases({"push_back", "emplace_back", "push_front", "emplace_front",
                    "insert", "emplace"},
                   2)
            .Cases({"begin", "end", "size", "empty", "reserve"}, 1)
            .Default(0);
    if (Known)
      note(E->getImplicitObjectArgument(), /*Grows=*/Known == 2);
    return true;
  }
  bool VisitReturnStmt(ReturnStmt *S) {
    if (const Expr *E = S->getRetValue())
      note(E->IgnoreImplicit(), /*Grows=*/false);
    return true;
  }

  struct Uses {
    unsigned Mentions = 0, Known = 0;
    bool Grows = false;
  };
  llvm::DenseMap<const VarDecl *, Uses> Of;

private:
  void note(const Expr *List, bool Grows) {
    if (const auto *Made = dyn_cast<CXXConstructExpr>(List);
        Made && Made->getNumArgs() == 1)
      List = Made->getArg(0);
    const auto *Ref = dyn_cast<DeclRefExpr>(List->IgnoreParenImpCasts());
    const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!VD || !isCopy(VD))
      return;
    ++Of[VD].Known;
    Of[VD].Grows |= Grows;
  }
};

} // namespace

GrowingLists::GrowingLists(const FunctionDecl *FD) {
  Visitor V;
  V.TraverseStmt(FD->getBody());
  for (const auto &[VD, U] : V.Of)
    if (U.Grows && (U.Known == U.Mentions ||
                    listsParameters(VD->getInit()->IgnoreImplicit())))
      Lists.insert(VD);
}

} // namespace spmd::lint::lower
