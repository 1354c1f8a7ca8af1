//===- KindsOfClasses.cpp - Numbers that tell classes apart ---------------===//

#include "KindsOfClasses.h"

#include "Comparison.h"
#include "NameWords.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <optional>

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// What \p FD returns, if that is all that it does; null if not.
const Expr *returnedBy(const FunctionDecl *FD) {
  const FunctionDecl *Def = nullptr;
  const auto *Body =
      FD && FD->hasBody(Def) ? dyn_cast<CompoundStmt>(Def->getBody()) : nullptr;
  const auto *Only = Body && Body->size() == 1
                         ? dyn_cast<ReturnStmt>(Body->body_front())
                         : nullptr;
  return Only ? Only->getRetValue() : nullptr;
}

/// The member that the method which \p E calls returns.
const FieldDecl *fieldReturned(const Expr *E) {
  const auto *Call = dyn_cast<CXXMemberCallExpr>(E->IgnoreParenImpCasts());
  const CXXMethodDecl *D = Call ? Call->getMethodDecl() : nullptr;
  const Expr *Is =
      D && !D->isVirtual() && D->getNumParams() == 0 ? returnedBy(D) : nullptr;
  const auto *M =
      Is ? dyn_cast<MemberExpr>(Is->IgnoreParenImpCasts()) : nullptr;
  return M && isa<CXXThisExpr>(M->getBase()->IgnoreParenImpCasts())
             ? dyn_cast<FieldDecl>(M->getMemberDecl())
             : nullptr;
}

/// What is done to a member, and which classes there are, in a file.
class Assignments : public RecursiveASTVisitor<Assignments> {
public:
  Assignments(const FieldDecl *Of, const ASTContext &Ctx) : Of(Of), Ctx(Ctx) {}

  bool TraverseDecl(Decl *D) {
    const SourceManager &SM = Ctx.getSourceManager();
    if (D && !isa<TranslationUnitDecl>(D) && D->getLocation().isValid() &&
        SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())))
      return true;
    return RecursiveASTVisitor::TraverseDecl(D);
  }
  bool TraverseConstructorInitializer(CXXCtorInitializer *I) {
    if (I->getMember() == Of)
      set(I->getInit());
    return RecursiveASTVisitor::TraverseConstructorInitializer(I);
  }
  bool VisitCXXRecordDecl(CXXRecordDecl *RD) {
    if (RD->isThisDeclarationADefinition() && !RD->isDependentContext() &&
        !RD->isAbstract() &&
        RD->isDerivedFrom(cast<CXXRecordDecl>(Of->getParent())))
      Classes.insert(RD);
    return true;
  }
  bool TraverseFunctionDecl(FunctionDecl *FD) {
    return within(FD, [&] { return Base::TraverseFunctionDecl(FD); });
  }
  bool TraverseCXXMethodDecl(CXXMethodDecl *FD) {
    return within(FD, [&] { return Base::TraverseCXXMethodDecl(FD); });
  }
  bool TraverseCXXConstructorDecl(CXXConstructorDecl *FD) {
    return within(FD, [&] { return Base::TraverseCXXConstructorDecl(FD); });
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (isMember(E->getLHS()) && E->isAssignmentOp())
      E->getOpcode() == BO_Assign ? set(E->getRHS()) : fail();
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (isMember(E->getSubExpr()) &&
        (E->isIncrementDecrementOp() || E->getOpcode() == UO_AddrOf))
      fail();
    return true;
  }

  /// By class: what all its constructors set it to.
  llvm::MapVector<const CXXRecordDecl *, std::int64_t> Kinds;
  llvm::SmallPtrSet<const CXXRecordDecl *, 8> Classes;
  bool Failed = false;

private:
  using Base = RecursiveASTVisitor<Assignments>;

  template <typename Fn> bool within(const FunctionDecl *FD, Fn Go) {
    const FunctionDecl *Outer = std::exchange(In, FD);
    const bool Out = Go();
    In = Outer;
    return Out;
  }
  bool isMember(const Expr *E) const {
    const auto *M = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts());
    return M && M->getMemberDecl() == Of;
  }
  void fail() { Failed = true; }
  void set(const Expr *To) {
    const auto *Made = dyn_cast_or_null<CXXConstructorDecl>(In);
    Expr::EvalResult R;
    if (!Made || To->isValueDependent() || !To->EvaluateAsInt(R, Ctx))
      return fail();
    const std::int64_t Is = R.Val.getInt().getExtValue();
    const auto [It, New] = Kinds.insert({Made->getParent(), Is});
    if (It->second != Is)
      fail();
  }

  const FieldDecl *Of;
  const ASTContext &Ctx;
  const FunctionDecl *In = nullptr;
};

/// The methods by which a function asks how much its objects have.
class Amounts : public RecursiveASTVisitor<Amounts> {
public:
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CXXMethodDecl *D = E->getMethodDecl();
    if (D && D->isVirtual() && D->getNumParams() == 0 && countsWhatItHas(D))
      Asked.insert(D->getCanonicalDecl());
    return true;
  }
  llvm::SmallPtrSet<const CXXMethodDecl *, 4> Asked;
};

bool holds(BinaryOperatorKind Op, std::int64_t A, std::int64_t B) {
  switch (Op) {
  case BO_EQ:
    return A == B;
  case BO_NE:
    return A != B;
  case BO_LT:
    return A < B;
  case BO_LE:
    return A <= B;
  case BO_GT:
    return A > B;
  default:
    return A >= B;
  }
}

} // namespace

/// Whether one of the methods \p Asked says of objects of \p RD that they have
/// nothing, or nobody knows what it says.
static bool
mayHaveNothing(const CXXRecordDecl *RD,
               const llvm::SmallPtrSetImpl<const CXXMethodDecl *> &Asked,
               const ASTContext &Ctx) {
  return llvm::any_of(Asked, [&](const CXXMethodDecl *D) {
    if (!RD->isDerivedFrom(D->getParent()))
      return false;
    const auto *Own =
        const_cast<CXXMethodDecl *>(D)->getCorrespondingMethodInClass(RD);
    const Expr *Is = returnedBy(Own);
    Expr::EvalResult R;
    return !Is || Is->isValueDependent() ||
           (Is->EvaluateAsInt(R, Ctx) && R.Val.getInt() == 0);
  });
}

bool leavesOutClass(const BinaryOperator *Comparison, const FunctionDecl *In) {
  const ASTContext &Ctx = In->getASTContext();
  const auto C = comparedWithConstant(Comparison, Ctx);
  const FieldDecl *Kind = C ? fieldReturned(C->Number) : nullptr;
  if (!Kind || !isa<CXXRecordDecl>(Kind->getParent()))
    return false;
  Assignments All(Kind, Ctx);
  All.TraverseDecl(Ctx.getTranslationUnitDecl());
  Amounts Of;
  Of.TraverseStmt(In->getBody());
  if (All.Failed || Of.Asked.empty())
    return false;
  return llvm::any_of(All.Kinds, [&](const auto &Class) {
    return All.Classes.contains(Class.first) &&
           !holds(C->Op, Class.second, C->To) &&
           !mayHaveNothing(Class.first, Of.Asked, Ctx);
  });
}

} // namespace spmd::lint::lower
