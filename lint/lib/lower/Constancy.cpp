//===- Constancy.cpp - What keeps its value in a function -----------------===//

#include "Constancy.h"

#include "Strip.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace spmd::lint::lower {

/// A mention that is not known to read only is taken for a change.
class ConstancyVisitor : public RecursiveASTVisitor<ConstancyVisitor> {
public:
  explicit ConstancyVisitor(Constancy &Out) : Out(Out) {}

  // Lists have their casts in the form that is not written.
  bool shouldVisitImplicitCode() const { return true; }
  // What a lambda does with a captured variable stands in its body.
  bool TraverseLambdaCapture(LambdaExpr *E, const LambdaCapture *C,
                             Expr *Init) {
    return !E->isInitCapture(C) || TraverseStmt(Init);
  }
  bool TraverseLambdaExpr(LambdaExpr *S) {
    llvm::SaveAndRestore Later(InLambda, true);
    return Base::TraverseLambdaExpr(S);
  }
  bool VisitGotoStmt(GotoStmt *) {
    HasGoto = true;
    return true;
  }
  bool TraverseForStmt(ForStmt *S) {
    llvm::SaveAndRestore Deeper(Depth, Depth + 1);
    return Base::TraverseForStmt(S);
  }
  bool TraverseWhileStmt(WhileStmt *S) {
    llvm::SaveAndRestore Deeper(Depth, Depth + 1);
    return Base::TraverseWhileStmt(S);
  }
  bool TraverseDoStmt(DoStmt *S) {
    llvm::SaveAndRestore Deeper(Depth, Depth + 1);
    return Base::TraverseDoStmt(S);
  }
  bool TraverseCXXForRangeStmt(CXXForRangeStmt *S) {
    llvm::SaveAndRestore Deeper(Depth, Depth + 1);
    return Base::TraverseCXXForRangeStmt(S);
  }

  bool VisitVariableArrayTypeLoc(VariableArrayTypeLoc T) {
    if (const Expr *Size = T.getSizeExpr())
      read(Size->IgnoreParenImpCasts());
    return true;
  }
  bool VisitVarDecl(VarDecl *D) {
    if (Depth)
      Out.InLoop.insert(D);
    if (!D->getIdentifier())
      return true;
    if (const unsigned Others = Out.Names[D->getName()]++)
      Out.Namesakes[D] = Others;
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
    if (E->getCastKind() == CK_LValueToRValue ||
        E->getType().isConstQualified())
      read(E->getSubExpr());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    // These take what they copy by a reference of any kind.
    const std::string Name = className(E->getType());
    if (Name == "std::optional" || Name == "c10::optional" ||
        Name == "c10::OptionalArrayRef")
      for (const Expr *A : E->arguments())
        read(A);
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *F = E->getDirectCallee();
    for (const Expr *A : E->arguments())
      if (const auto *To = dyn_cast<UnaryOperator>(A->IgnoreParenImpCasts());
          To && To->getOpcode() == UO_AddrOf && !Depth && !InLambda)
        Given.insert(To->getSubExpr()->IgnoreParenImpCasts());
    if (!F || !F->getIdentifier() ||
        !(F->getName().contains_insensitive("size") ||
          F->getName().contains_insensitive("count")) ||
        llvm::none_of(E->arguments(),
                      [](const Expr *A) { return commKind(A->getType()); }))
      return true;
    for (const Expr *A : E->arguments())
      if (const auto *To = dyn_cast<UnaryOperator>(A->IgnoreParenImpCasts());
          To && To->getOpcode() == UO_AddrOf)
        if (const Expr *N = To->getSubExpr()->IgnoreParenImpCasts();
            isa<DeclRefExpr>(N) ||
            (isa<MemberExpr>(N) &&
             isa<FieldDecl>(cast<MemberExpr>(N)->getMemberDecl()))) {
          read(N);
          Out.NumbersOfRanks.insert(declOf(N));
        }
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    const auto *Method = dyn_cast<CXXMethodDecl>(E->getMemberDecl());
    // `p->f()` leaves p as it is.
    if (!Method || Method->isConst() || Method->isStatic() ||
        (E->isArrow() &&
         !isa<CXXThisExpr>(E->getBase()->IgnoreParenImpCasts())))
      read(E->getBase());
    if (isa<FieldDecl>(E->getMemberDecl()))
      mention(E);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (isa<VarDecl>(E->getDecl()))
      mention(E);
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr *E) {
    Objects.push_back(E);
    return true;
  }
  void finish() {
    for (const Expr *E : Objects)
      Out.ChangesThis |= !Reads.contains(E);
    for (const Expr *E : Mentions)
      if (!Reads.contains(E) && !E->getType().isConstQualified())
        noteChange(E);
  }
  static const ValueDecl *declOf(const Expr *E) {
    return cast<ValueDecl>(namedBy(E)->getCanonicalDecl());
  }

private:
  using Base = RecursiveASTVisitor<ConstancyVisitor>;

  /// `init(&argc)` in front of everything that asks for a parameter gives it
  /// the value that it keeps.
  void noteChange(const Expr *E) {
    const ValueDecl *D = declOf(E);
    const bool IsFirst = llvm::none_of(Mentions, [&](const Expr *Other) {
      return declOf(Other) == D && !Given.contains(Other) &&
             Other->getBeginLoc() < E->getBeginLoc();
    });
    if (Given.contains(E) && IsFirst && !HasGoto && isa<ParmVarDecl>(D))
      return;
    Out.Changed.insert(D);
    const SourceLocation At =
        HasGoto || AtAnyTime.contains(E) ? SourceLocation() : E->getBeginLoc();
    const auto [First, New] = Out.FirstChange.try_emplace(D, At);
    if (!New && (At.isInvalid() || At < First->second))
      First->second = At;
  }
  void mention(const Expr *E) {
    Mentions.push_back(E);
    if (Depth || InLambda)
      AtAnyTime.insert(E);
  }
  void read(const Expr *E) { Reads.insert(E->IgnoreParenImpCasts()); }

  Constancy &Out;
  unsigned Depth = 0;
  bool InLambda = false, HasGoto = false;
  llvm::DenseSet<const Expr *> Given; ///< by address, outside of loops
  std::vector<const Expr *> Mentions, Objects;
  llvm::DenseSet<const Expr *> Reads, AtAnyTime;
};

static const FunctionDecl *outermost(const FunctionDecl *FD) {
  while (true) {
    const auto *MD = dyn_cast<CXXMethodDecl>(FD);
    if (!MD || !MD->getParent()->isLambda())
      return FD;
    const auto *Around =
        dyn_cast_or_null<FunctionDecl>(MD->getParent()->getDeclContext());
    if (!Around)
      return FD;
    FD = Around;
  }
}

Constancy::Constancy(const FunctionDecl *FD) {
  FD = outermost(FD);
  ConstancyVisitor V(*this);
  for (ParmVarDecl *P : const_cast<FunctionDecl *>(FD)->parameters())
    V.VisitVarDecl(P);
  if (Stmt *Body = FD->getBody())
    V.TraverseStmt(Body);
  V.finish();
}

bool Constancy::isConstant(const ValueDecl *D) const {
  D = cast<ValueDecl>(D->getCanonicalDecl());
  const QualType T = D->getType();
  if (T.isConstQualified())
    return true;
  if (Changed.contains(D))
    return false;
  if (isa<FieldDecl>(D))
    return !ChangesThis;
  // Another function may change a global, and its owner what is referred to.
  const auto *VD = dyn_cast<VarDecl>(D);
  return VD && !VD->hasGlobalStorage() &&
         (!T->isReferenceType() || T->getPointeeType().isConstQualified());
}

bool Constancy::isKeptHere(const ValueDecl *D) const {
  return isa<VarDecl, FieldDecl>(D) &&
         !Changed.contains(cast<ValueDecl>(D->getCanonicalDecl()));
}

bool Constancy::isKeptUntil(const ValueDecl *D, SourceLocation At) const {
  if (isKeptHere(D))
    return true;
  const auto First = FirstChange.find(cast<ValueDecl>(D->getCanonicalDecl()));
  return First != FirstChange.end() && First->second.isValid() &&
         At < First->second;
}

bool Constancy::isNumberOfRanks(const ValueDecl *D) const {
  D = cast<ValueDecl>(D->getCanonicalDecl());
  return NumbersOfRanks.contains(D) && !Changed.contains(D);
}

std::string Constancy::nameOf(const VarDecl *D) const {
  const auto It = Namesakes.find(D);
  return It == Namesakes.end()
             ? D->getNameAsString()
             : D->getNameAsString() + "." + std::to_string(It->second + 1);
}

} // namespace spmd::lint::lower
