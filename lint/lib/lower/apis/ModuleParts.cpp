//===- ModuleParts.cpp - Parameters of some modules of a list -------------===//

#include "ModuleParts.h"

#include "../CountedLoops.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// One of a list of modules.
struct Part {
  const Expr *List = nullptr; ///< null: it is none
  const Expr *Index = nullptr;
};

} // namespace

static std::optional<CallSite> memberCall(const Expr *E) {
  if (!isa<CXXMemberCallExpr, CXXOperatorCallExpr>(E))
    return std::nullopt;
  CallSite C(E);
  return C.Receiver ? std::optional(std::move(C)) : std::nullopt;
}

/// What \p E begins with, if it is a local variable.
static const Expr *initOf(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(strip(E)->IgnoreParenImpCasts());
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return VD && VD->isLocalVarDecl() && !VD->isCXXForRangeDecl() ? VD->getInit()
                                                                : nullptr;
}

/// The module whose `children()` \p E is, or a list of modules itself.
static const Expr *listIn(const Expr *E) {
  E = strip(E)->IgnoreParenImpCasts();
  if (const auto *Made = dyn_cast<CXXConstructExpr>(E);
      Made && Made->getNumArgs() == 1)
    return listIn(Made->getArg(0));
  if (const std::optional<CallSite> C = memberCall(E)) {
    if (C->base() == "children" && isModule(strip(C->Receiver)->getType()))
      return strip(C->Receiver);
    if (C->base() == "operator->" || C->base() == "operator*")
      return listIn(C->Receiver);
  }
  if (isModule(E->getType()))
    return E;
  const Expr *Init = initOf(E);
  return Init ? listIn(Init) : nullptr;
}

static Part partIn(const Expr *E) {
  E = strip(E)->IgnoreParenImpCasts();
  if (const Expr *Init = initOf(E))
    return partIn(Init);
  const std::optional<CallSite> C = memberCall(E);
  if (!C)
    return {};
  const llvm::StringRef Base = C->base();
  if (Base == "operator->" || Base == "operator*" || Base == "as" ||
      (Base == "ptr" && C->Arguments.empty()))
    return partIn(C->Receiver);
  if ((Base != "ptr" && Base != "at" && Base != "operator[]") ||
      C->Arguments.size() != 1 ||
      !C->Arguments[0]->getType()->isIntegralOrEnumerationType())
    return {};
  const Expr *List = listIn(C->Receiver);
  return List ? Part{List, C->Arguments[0]} : Part();
}

/// Whether \p A and \p B are named alike.
static bool areSame(const Expr *A, const Expr *B, const ASTContext &Ctx) {
  return A && B && printed(A, Ctx) == printed(B, Ctx);
}

namespace {

/// Where a function names some module of a list, and how far its loops count.
class Uses : public RecursiveASTVisitor<Uses> {
public:
  Uses(const ASTContext &Ctx, const Expr *List) : Ctx(Ctx), List(List) {}

  bool VisitForStmt(ForStmt *S) {
    if (const std::optional<CountedLoop> Loop = countedLoop(S))
      Loops.push_back(*Loop);
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CallSite C(E);
    Parts += C.base() == "parameters" && C.Receiver &&
             areSame(partIn(C.Receiver).List, List, Ctx);
    return true;
  }

  /// Whether some number is left out of those that \p Index counts, or it is
  /// one number.
  bool leavesOut(const Expr *Index) const {
    if (!Index->isValueDependent() && Index->isEvaluatable(Ctx))
      return true;
    for (const CountedLoop &Loop : Loops)
      if (isNameOf(Index, Loop.Counter))
        return Loop.LeavesOutOne || isLess(Loop.Bound);
    return false;
  }

  unsigned Parts = 0;

private:
  /// `list->size() - 1`, `list->size() / 2`.
  static bool isLess(const Expr *Bound) {
    const auto *B = dyn_cast_or_null<BinaryOperator>(
        Bound ? Bound->IgnoreParenImpCasts() : nullptr);
    const auto *Size =
        B ? dyn_cast<CXXMemberCallExpr>(B->getLHS()->IgnoreParenImpCasts())
          : nullptr;
    return Size && (B->getOpcode() == BO_Sub || B->getOpcode() == BO_Div) &&
           CallSite(Size).base() == "size";
  }

  const ASTContext &Ctx;
  const Expr *List;
  llvm::SmallVector<CountedLoop, 2> Loops;
};

} // namespace

const Expr *listOfSome(const FunctionDecl *In, const Expr *Module) {
  const Part Of = partIn(Module);
  if (!Of.List || !In->getBody())
    return nullptr;
  Uses Here(In->getASTContext(), Of.List);
  Here.TraverseStmt(In->getBody());
  return Here.Parts == 1 && Here.leavesOut(Of.Index) ? Of.List : nullptr;
}

} // namespace spmd::lint::lower
