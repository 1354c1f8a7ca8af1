//===- GradientBuffers.cpp - Gradients that lie in a buffer ---------------===//

#include "GradientBuffers.h"

#include "Strip.h"
#include "ValuePath.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// What \p E is a view of: `flat` of `flat.narrow(0, at, n).view(sizes)`. Null
/// if it is no view.
const Expr *viewed(const Expr *E) {
  const Expr *Of = nullptr;
  for (E = strip(E)->IgnoreParenImpCasts(); isa<CXXMemberCallExpr>(E);
       E = strip(Of)->IgnoreParenImpCasts()) {
    const CallSite C(E);
    const bool IsView =
        llvm::StringSwitch<bool>(C.base())
            .Cases({"narrow", "slice", "select", "view", "view_as", "reshape",
                    "reshape_as", "index", "unflatten", "as_strided"},
                   true)
            .Default(false);
    if (!C.Receiver || !IsView)
      return nullptr;
    Of = C.Receiver;
  }
  return Of;
}

/// `torch::zeros({n})` and its like.
bool isNew(const Expr *E) {
  E = strip(E)->IgnoreParenImpCasts();
  if (!isa<CallExpr>(E))
    return false;
  const CallSite C(E);
  return llvm::StringSwitch<bool>(C.base())
      .Cases({"zeros", "empty", "zeros_like", "empty_like", "full", "new_zeros",
              "new_empty"},
             true)
      .Default(false);
}

/// What a function makes of a variable or member, before a place.
class Makings : public RecursiveASTVisitor<Makings> {
public:
  Makings(std::vector<const ValueDecl *> Of, const SourceManager &SM,
          SourceLocation Before)
      : Of(std::move(Of)), SM(SM), Before(Before) {}
  bool shouldVisitLambdaBody() const { return true; }

  bool VisitVarDecl(VarDecl *VD) {
    if (VD->hasInit() && Of == std::vector<const ValueDecl *>{VD})
      note(VD->getInit());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    if (E->getOperator() == OO_Equal && pathOf(E->getArg(0)) == Of)
      note(E->getArg(1));
    return true;
  }
  bool VisitExpr(Expr *E) {
    Mentions += SM.isBeforeInTranslationUnit(E->getBeginLoc(), Before) &&
                strip(E)->IgnoreParenImpCasts() == E && pathOf(E) == Of;
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    Views += SM.isBeforeInTranslationUnit(E->getBeginLoc(), Before) &&
             pathOf(E->getImplicitObjectArgument()) == Of;
    return true;
  }

  void initialise(const CXXCtorInitializer &I) {
    if (I.isWritten() && Of.size() == 2 && !Of.front() &&
        I.getMember() == Of.back())
      note(I.getInit());
  }

  bool IsNew = false, IsOther = false;
  unsigned Mentions = 0, Views = 0, Made = 0;

private:
  void note(const Expr *Init) {
    ++Made;
    (isNew(Init) ? IsNew : IsOther) = true;
  }

  const std::vector<const ValueDecl *> Of;
  const SourceManager &SM;
  const SourceLocation Before;
};

} // namespace

const Expr *placedGradient(const CallSite &Assignment, const FunctionDecl *In) {
  const Expr *Into = Assignment.Receiver, *From = Assignment.argument(0);
  if (!Into || !From || !isa<CXXMemberCallExpr>(strip(Into)))
    return nullptr;
  const CallSite Gradient(strip(Into));
  const Expr *Buffer =
      Gradient.base() == "mutable_grad" ? viewed(From) : nullptr;
  const std::vector<const ValueDecl *> Path =
      Buffer ? pathOf(Buffer) : std::vector<const ValueDecl *>();
  if (Path.empty())
    return nullptr;
  Makings Of(Path, In->getASTContext().getSourceManager(),
             Assignment.Call->getBeginLoc());
  Of.TraverseDecl(const_cast<FunctionDecl *>(In));
  if (const auto *Made = dyn_cast<CXXConstructorDecl>(In))
    for (const CXXCtorInitializer *I : Made->inits())
      Of.initialise(*I);
  // Named but to take parts of it, somebody may have reduced it.
  const unsigned Assigned =
      Of.Made > 1 || !isa<VarDecl>(Path.back()) ? Of.Made : 0;
  return Of.IsNew && !Of.IsOther && Of.Mentions <= Of.Views + Assigned
             ? Gradient.Receiver
             : nullptr;
}

} // namespace spmd::lint::lower
