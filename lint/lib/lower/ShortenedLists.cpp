//===- ShortenedLists.cpp - Lists that lose elements ----------------------===//

#include "ShortenedLists.h"

#include "ValuePath.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"

#include <utility>

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// The variable of the function that has a list of tensors of its own; null if
/// \p E names none.
const VarDecl *ownList(const Expr *E) {
  const std::vector<const ValueDecl *> Path = pathOf(E);
  const auto *VD =
      Path.size() == 1 ? dyn_cast_or_null<VarDecl>(Path.front()) : nullptr;
  return VD && VD->isLocalVarDecl() && !VD->getType()->isReferenceType() &&
                 classify(VD->getType()) == TypeClass::TensorList
             ? VD
             : nullptr;
}

/// Whether \p List begins with elements.
bool beginsWithSome(const VarDecl *List) {
  const Expr *Init = List->getInit();
  const auto *Made =
      dyn_cast_or_null<CXXConstructExpr>(Init ? Init->IgnoreImplicit() : Init);
  const bool IsEmpty = Made && Made->getNumArgs() == 0;
  return Init && !IsEmpty;
}

/// Elements that are taken in the statements among which the list is declared:
/// a loop takes them one by one, and may be at them itself.
class Finder : public RecursiveASTVisitor<Finder> {
  using Base = RecursiveASTVisitor<Finder>;

public:
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool TraverseStmt(Stmt *S) {
    const bool Controls =
        isa_and_nonnull<IfStmt, SwitchStmt, ForStmt, WhileStmt, DoStmt,
                        CXXForRangeStmt, CXXTryStmt, ConditionalOperator>(S);
    const Stmt *Outside = Controls ? std::exchange(Inside, S) : Inside;
    const bool GoesOn = Base::TraverseStmt(S);
    Inside = Outside;
    return GoesOn;
  }
  bool VisitVarDecl(VarDecl *VD) {
    DeclaredIn[VD] = Inside;
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const auto *Method = E->getMethodDecl();
    if (!Method || !Method->getIdentifier())
      return true;
    const llvm::StringRef Name = Method->getName();
    const bool Names = Name == "back" || Name == "front",
               Takes =
                   Name == "pop_back" || Name == "pop_front" || Name == "erase",
               Resizes = Name == "resize";
    const VarDecl *List = Names || Takes || Resizes
                              ? ownList(E->getImplicitObjectArgument())
                              : nullptr;
    const auto At = DeclaredIn.find(List);
    if (At == DeclaredIn.end())
      return true;
    if (Names)
      HasOwnName.insert(List);
    else if (Takes || beginsWithSome(List))
      note(List, E, At->second);
    return true;
  }

  llvm::DenseMap<const VarDecl *, const Expr *> By;
  llvm::DenseSet<const VarDecl *> Drained, HasOwnName;

private:
  void note(const VarDecl *List, const Expr *Call, const Stmt *Among) {
    if (Among == Inside)
      By.try_emplace(List, Call);
    else
      Drained.insert(List);
  }

  llvm::DenseMap<const VarDecl *, const Stmt *> DeclaredIn;
  const Stmt *Inside = nullptr;
};

} // namespace

ShortenedLists::ShortenedLists(const FunctionDecl *FD) {
  Finder Found;
  Found.TraverseStmt(FD->getBody());
  By = std::move(Found.By);
  Drained = std::move(Found.Drained);
  for (const VarDecl *List : Found.HasOwnName)
    By.erase(List);
}

const Expr *ShortenedLists::shortened(const Expr *List,
                                      const Stmt *Loop) const {
  const Expr *Call = By.lookup(ownList(List));
  return Call && Call->getBeginLoc() < Loop->getBeginLoc() ? Call : nullptr;
}

bool ShortenedLists::isDrained(const Expr *List) const {
  return Drained.contains(ownList(List));
}

} // namespace spmd::lint::lower
