//===- BraceLists.cpp - Lists of pointers that have names -----------------===//

#include "BraceLists.h"

#include "CountedLoops.h"
#include "PointerOrigins.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace spmd::lint::lower {

/// Whether \p E names memory, the same wherever it stands, as far as nobody
/// assigns the name.
static bool isName(const Expr *E, const ASTContext &Ctx) {
  E = bare(E);
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return isName(M->getBase(), Ctx);
  const auto *At = dyn_cast<ArraySubscriptExpr>(E);
  Expr::EvalResult Number;
  if (At && !At->getIdx()->isValueDependent() &&
      At->getIdx()->EvaluateAsInt(Number, Ctx))
    return isName(At->getBase(), Ctx);
  return isa<CXXThisExpr, DeclRefExpr>(E);
}

static const InitListExpr *namesIn(const VarDecl *VD) {
  const QualType T = VD->getType();
  const auto *Braces =
      VD->isLocalVarDecl() && !VD->isStaticLocal() && T->isConstantArrayType()
          ? dyn_cast_or_null<InitListExpr>(VD->getInit())
          : nullptr;
  const QualType Element =
      Braces ? QualType(T->getArrayElementTypeNoTypeQual(), 0) : QualType();
  return Braces && Element->isPointerType() &&
                 Element->getPointeeType()->isArithmeticType() &&
                 !Braces->hasArrayFiller() &&
                 llvm::all_of(Braces->inits(),
                              [VD](const Expr *E) {
                                return isName(E, VD->getASTContext());
                              })
             ? Braces
             : nullptr;
}

namespace {

/// How a body mentions a list.
class ListUses : public RecursiveASTVisitor<ListUses> {
public:
  explicit ListUses(const VarDecl *List)
      : Ctx(List->getASTContext()), List(List) {
    if (const auto *FD = dyn_cast<FunctionDecl>(List->getDeclContext()))
      TraverseStmt(FD->getBody());
  }

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Mentions += E->getDecl() == List;
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
    const auto *At = E->getCastKind() == CK_LValueToRValue
                         ? elementIn(E->getSubExpr())
                         : nullptr;
    Reads += At != nullptr;
    Expr::EvalResult R;
    if (At && (At->getIdx()->isValueDependent() ||
               !At->getIdx()->EvaluateAsInt(R, Ctx)))
      Indices.push_back(At->getIdx());
    return true;
  }
  /// Its size, and that of an element.
  bool VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *E) {
    Reads +=
        !E->isArgumentType() && (variableOf(E->getArgumentExpr()) == List ||
                                 elementIn(E->getArgumentExpr()));
    return true;
  }
  bool VisitForStmt(ForStmt *S) {
    Loops.push_back(S);
    return true;
  }

  unsigned Mentions = 0, Reads = 0;
  llvm::SmallVector<const Expr *, 2> Indices; ///< that are no constants
  llvm::SmallVector<const ForStmt *, 2> Loops;

private:
  const ArraySubscriptExpr *elementIn(const Expr *E) const {
    const auto *At = dyn_cast<ArraySubscriptExpr>(E->IgnoreParens());
    return At && variableOf(At->getBase()) == List ? At : nullptr;
  }

  const ASTContext &Ctx;
  const VarDecl *List;
};

} // namespace

/// The numbers below \p Size that \p Loop, in \p Function, counts, if not all.
static std::optional<ElementRange> partOf(const Stmt *Loop, unsigned Size,
                                          const DeclContext *Function) {
  const auto *S = dyn_cast<ForStmt>(Loop);
  const auto Counted = S ? countedLoop(S) : std::nullopt;
  const Expr *Begin = Counted ? Counted->Counter->getInit() : nullptr;
  const auto *Is =
      Counted ? dyn_cast_or_null<BinaryOperator>(Counted->Condition) : nullptr;
  if (!Begin || !Is || Counted->Counter->getDeclContext() != Function ||
      !isNameOf(Is->getLHS(), Counted->Counter) ||
      !isStep(Counted->Step, Counted->Counter, /*Up=*/true))
    return std::nullopt;
  const ASTContext &Ctx = Counted->Counter->getASTContext();
  Expr::EvalResult First, Behind;
  if (Begin->isValueDependent() || Counted->Bound->isValueDependent() ||
      !Begin->EvaluateAsInt(First, Ctx) ||
      !Counted->Bound->EvaluateAsInt(Behind, Ctx))
    return std::nullopt;
  const std::int64_t From = First.Val.getInt().getExtValue(),
                     To = Behind.Val.getInt().getExtValue();
  if (From < 0 || From >= To || To > Size || (From == 0 && To == Size))
    return std::nullopt;
  return ElementRange{static_cast<unsigned>(From), static_cast<unsigned>(To)};
}

const InitListExpr *keptElements(const VarDecl *VD) {
  const InitListExpr *Names = VD ? namesIn(VD) : nullptr;
  if (!Names)
    return nullptr;
  const ListUses Uses(VD);
  llvm::SmallPtrSet<const VarDecl *, 2> Counters;
  for (const ForStmt *S : Uses.Loops)
    if (partOf(S, Names->getNumInits(), VD->getDeclContext()))
      Counters.insert(countedLoop(S)->Counter);
  // A list gone over as a whole is one.
  return Uses.Mentions && Uses.Mentions == Uses.Reads &&
                 llvm::all_of(Uses.Indices,
                              [&](const Expr *Index) {
                                return Counters.contains(variableOf(Index));
                              })
             ? Names
             : nullptr;
}

std::optional<ElementRange> partGoneOver(const Stmt *Loop, const Expr *List) {
  const VarDecl *VD = variableOf(List);
  const InitListExpr *Names = keptElements(VD);
  return Names ? partOf(Loop, Names->getNumInits(), VD->getDeclContext())
               : std::nullopt;
}

} // namespace spmd::lint::lower
