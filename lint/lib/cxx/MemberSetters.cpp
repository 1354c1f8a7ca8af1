//===- MemberSetters.cpp - Who sets pointers in structs -------------------===//

#include "MemberSetters.h"

#include "FunctionFields.h"
#include "PutFunctions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint {

/// The struct that \p T is, or points or refers to; null if it is none.
static const RecordDecl *recordOf(QualType T) {
  T = T.getNonReferenceType();
  if (T->isPointerType())
    T = T->getPointeeType();
  const RecordDecl *RD = T->getAsRecordDecl();
  return RD ? MemberSetters::canonical(RD) : nullptr;
}

/// What sets no member to anything but null.
static bool onlyClears(const FunctionDecl *FD) {
  return FD && FD->getIdentifier() &&
         llvm::is_contained({"free", "memset", "cudaFree", "cudaMemset"},
                            FD->getName());
}

namespace {

/// What one body may set.
class Finder : public RecursiveASTVisitor<Finder> {
public:
  llvm::DenseSet<const RecordDecl *> All, Open;

  bool TraverseCallExpr(CallExpr *E) {
    const FunctionDecl *FD = E->getDirectCallee();
    if (onlyClears(FD))
      return true;
    noteGiven(E, FD);
    return RecursiveASTVisitor::TraverseCallExpr(E);
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    noteGiven(E, E->getDirectCallee());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    if (E->getConstructor()->isCopyOrMoveConstructor() && E != Returned)
      All.insert(recordOf(E->getType()));
    return true;
  }
  bool VisitReturnStmt(ReturnStmt *S) {
    Returned = S->getRetValue() ? S->getRetValue()->IgnoreImplicit() : nullptr;
    return true;
  }
  // `*layer = {…}` sets what is listed; others' values are all of them.
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    if (E->getOperator() == OO_Equal && E->getNumArgs() == 2 &&
        !isa<InitListExpr>(E->getArg(1)->IgnoreImplicit()))
      if (const RecordDecl *RD = recordOf(E->getArg(0)->getType()))
        All.insert(RD);
    return true;
  }
  bool VisitInitListExpr(InitListExpr *E) {
    forEachListed(E, [this](const FieldDecl *Field, const Expr *Value) {
      if (!isNull(Value))
        Listed.insert(Field->getCanonicalDecl());
    });
    return true;
  }
  bool VisitCastExpr(CastExpr *E) {
    const Expr *From = E->getSubExpr();
    if (E->getCastKind() == CK_LValueToRValue) {
      if (const auto *M = dyn_cast<MemberExpr>(From->IgnoreParens()))
        Values.insert(M);
      else if (E->getType()->isRecordType())
        All.insert(recordOf(E->getType()));
    } else if (From->getType()->isPointerType() &&
               E->getType()->isPointerType() &&
               recordOf(E->getType()) != recordOf(From->getType()) &&
               recordOf(From->getType())) {
      All.insert(recordOf(From->getType())); // by another name
    }
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    if (isa<FieldDecl>(E->getMemberDecl()))
      Members.push_back(E);
    return true;
  }

  /// Members that are named for more than their value.
  llvm::DenseSet<const FieldDecl *> named() const {
    llvm::DenseSet<const FieldDecl *> Out = Listed;
    for (const MemberExpr *M : Members)
      if (!Values.contains(M))
        Out.insert(cast<FieldDecl>(M->getMemberDecl())->getCanonicalDecl());
    return Out;
  }

private:
  /// A library knows none of the user's structs.
  static bool isOfSystem(const FunctionDecl *FD) {
    return FD->getASTContext().getSourceManager().isInSystemHeader(
        FD->getLocation());
  }
  static bool isNull(const Expr *E) {
    return isa<ImplicitValueInitExpr>(E) ||
           isa<CXXNullPtrLiteralExpr, GNUNullExpr>(E->IgnoreParenImpCasts());
  }
  /// Who is not seen may set what is in a struct that it gets by address.
  void noteGiven(const CallExpr *E, const FunctionDecl *FD) {
    if (FD ? FD->hasBody() || FD->isDefaulted() || isOfSystem(FD)
           : calledField(E) != nullptr)
      return;
    for (const Expr *A : E->arguments())
      if (A->getType()->isPointerType() || A->isLValue())
        if (const RecordDecl *RD = recordOf(A->getType()))
          Open.insert(RD);
  }

  std::vector<const MemberExpr *> Members;
  llvm::DenseSet<const MemberExpr *> Values;
  llvm::DenseSet<const FieldDecl *> Listed;
  const Expr *Returned = nullptr;
};

} // namespace

MemberSetters::MemberSetters(llvm::ArrayRef<const FunctionDecl *> Of) {
  for (const FunctionDecl *FD : Of) {
    Stmt *Body = FD->isDependentContext() ? nullptr : FD->getBody();
    if (!Body)
      continue;
    Finder Find;
    Find.TraverseStmt(Body);
    for (const FieldDecl *Field : Find.named())
      Set[Field].insert(FD);
    for (const RecordDecl *RD : Find.All)
      if (RD)
        SetAll[RD].insert(FD);
    Open.insert_range(Find.Open);
  }
}

MemberSetters::Bodies MemberSetters::settersOf(const FieldDecl *Member) const {
  Bodies Out = Set.lookup(Member->getCanonicalDecl());
  for (const FunctionDecl *FD : SetAll.lookup(canonical(Member->getParent())))
    Out.insert(FD);
  return Out;
}

} // namespace spmd::lint
