//===- Amounts.cpp - Numbers that say how many ----------------------------===//

#include "Amounts.h"

#include "Comparison.h"
#include "NameWords.h"
#include "Strip.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

/// A name that says which of several ways is gone, or whether one is.
static bool namesChoice(llvm::StringRef Name) {
  return (!saysHowMany(Name) &&
          isAny(Name, {"stage", "mode", "kind", "type", "phase", "strategy",
                       "policy", "algo", "variant", "flag", "option"})) ||
         llvm::any_of(
             llvm::ArrayRef<llvm::StringRef>{
                 "is_", "do_", "use_", "has_", "with_", "sync", "should",
                 "need", "want", "enable", "disable", "skip", "dry"},
             [&](llvm::StringRef W) { return Name.starts_with(W); });
}

static bool namesAmount(llvm::StringRef Name) {
  return saysHowMany(Name) ||
         isAny(Name,
               {"row",     "col",    "elem",   "byte",   "param",  "layer",
                "token",   "sample", "seq",    "chunk",  "micro",  "shard",
                "replica", "parts",  "rest",   "left",   "remain", "width",
                "height",  "offset", "index",  "idx",    "task",   "thread",
                "host",    "cpu",    "degree", "members"}) ||
         Name.size() <= 2 || Name == "pid" || Name.ends_with("_id");
}

namespace {

/// The numbers that a function computes with, or hands to who may do so.
class AmountUses : public RecursiveASTVisitor<AmountUses> {
public:
  AmountUses(const ASTContext &Ctx, llvm::DenseSet<const ValueDecl *> &Out,
             unsigned Depth = 0)
      : Ctx(Ctx), Out(Out), Depth(Depth) {}

  bool VisitBinaryOperator(BinaryOperator *E) {
    const bool Computes = E->isAdditiveOp() || E->isMultiplicativeOp() ||
                          E->isShiftOp() || E->isCompoundAssignmentOp();
    // Of a remainder the divisor counts; bounds are compared with variables.
    if ((Computes && E->getOpcode() != BO_Rem) ||
        (E->isRelationalOp() && !comparedWithConstant(E, Ctx)))
      note(E->getLHS());
    if (Computes || (E->isRelationalOp() && !comparedWithConstant(E, Ctx)))
      note(E->getRHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (E->isIncrementDecrementOp())
      note(E->getSubExpr());
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
    note(E->getIdx());
    return true;
  }
  bool VisitVariableArrayTypeLoc(VariableArrayTypeLoc T) {
    note(T.getSizeExpr());
    return true;
  }
  bool VisitCXXNewExpr(CXXNewExpr *E) {
    if (E->isArray() && E->getArraySize())
      note(*E->getArraySize());
    return true;
  }
  bool VisitInitListExpr(InitListExpr *E) {
    const RecordDecl *Of = E->getType()->getAsRecordDecl();
    if (!Of || isOfLibrary(Of))
      for (const Expr *Init : E->inits())
        note(Init);
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    noteArguments(E->getConstructor(), {E->getArgs(), E->getNumArgs()});
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *To = E->getDirectCallee();
    llvm::ArrayRef<const Expr *> Given(E->getArgs(), E->getNumArgs());
    if (const auto *O = dyn_cast<CXXOperatorCallExpr>(E)) {
      // `std::cout << n`, and what compares, do not compute.
      const BinaryOperatorKind K =
          BinaryOperator::getOverloadedOpcode(O->getOperator());
      if (O->getOperator() == OO_Subscript ||
          (O->isInfixBinaryOp() && !BinaryOperator::isShiftOp(K) &&
           !BinaryOperator::isComparisonOp(K)))
        llvm::for_each(Given, [&](const Expr *A) { note(A); });
      return true;
    }
    if (To)
      noteArguments(To, Given);
    else
      llvm::for_each(Given, [&](const Expr *A) { note(A); });
    return true;
  }

private:
  static constexpr unsigned MostCalls = 3;

  bool isOfLibrary(const Decl *D) const {
    return Ctx.getSourceManager().isInSystemHeader(D->getLocation());
  }
  void note(const Expr *E) {
    E = E ? E->IgnoreParenCasts() : nullptr;
    if (const ValueDecl *D = E ? namedBy(E) : nullptr)
      Out.insert(cast<ValueDecl>(D->getCanonicalDecl()));
  }
  void noteArguments(const FunctionDecl *To,
                     llvm::ArrayRef<const Expr *> Given) {
    for (unsigned I = 0; I < Given.size() && I < To->getNumParams(); ++I)
      if (Given[I]->getType()->isIntegerType() && takesAmount(To, I))
        note(Given[I]);
  }
  /// Whether \p To may take parameter number \p I for an amount.
  bool takesAmount(const FunctionDecl *To, unsigned I) const {
    if (To->getParamDecl(I)->getType()->isBooleanType())
      return false;
    if (isOfLibrary(To))
      return !To->getIdentifier() || To->getName() != "to_string";
    const FunctionDecl *Body = To->getDefinition();
    const ParmVarDecl *P = (Body ? Body : To)->getParamDecl(I);
    if (!P->getIdentifier() || Depth == MostCalls || namesAmount(P->getName()))
      return true;
    if (!Body || !Body->getBody())
      return P->getName().size() == 1;
    llvm::DenseSet<const ValueDecl *> There;
    AmountUses(Ctx, There, Depth + 1).TraverseStmt(Body->getBody());
    return There.contains(cast<ValueDecl>(P->getCanonicalDecl()));
  }

  const ASTContext &Ctx;
  llvm::DenseSet<const ValueDecl *> &Out;
  const unsigned Depth;
};

} // namespace

/// What the local \p D, which keeps its value, is made of; null of others.
static const Expr *madeOf(const ValueDecl *D) {
  const auto *VD = dyn_cast<VarDecl>(D);
  return VD && VD->isLocalVarDecl() && VD->getInit()
             ? VD->getInit()->IgnoreParenCasts()
             : nullptr;
}

bool Amounts::mayBeNumberOf(const ValueDecl *D, bool AsOrder) const {
  const llvm::StringRef Name = D->getIdentifier() ? D->getName() : "";
  if (!Uses) {
    Uses.emplace();
    if (FD->getBody())
      AmountUses(FD->getASTContext(), *Uses).TraverseStmt(FD->getBody());
  }
  if (Uses->contains(cast<ValueDecl>(D->getCanonicalDecl())))
    return true;
  if (namesChoice(Name))
    return false;
  if (AsOrder || namesAmount(Name))
    return true;
  // What other functions do with the rest, nobody has looked at.
  const auto *VD = dyn_cast<VarDecl>(D);
  return !VD || VD->hasGlobalStorage();
}

bool Amounts::mayCount(const Expr *E, bool AsOrder) const {
  E = E->IgnoreParenCasts();
  if (isa<IntegerLiteral, CXXBoolLiteralExpr, CharacterLiteral>(E))
    return false;
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return mayCount(U->getSubExpr(), AsOrder);
  if (const auto *C = dyn_cast<ConditionalOperator>(E))
    return mayCount(C->getTrueExpr(), AsOrder) ||
           mayCount(C->getFalseExpr(), AsOrder);
  if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    // Bits are flags, and a remainder says whose turn it is.
    if (B->isLogicalOp() || B->isBitwiseOp() || B->getOpcode() == BO_Rem ||
        (B->isComparisonOp() && !comparedWithConstant(B, FD->getASTContext())))
      return false;
    return mayCount(B->getLHS(), AsOrder) || mayCount(B->getRHS(), AsOrder);
  }
  const ValueDecl *D = namedBy(E);
  if (!D || isa<EnumConstantDecl>(D))
    return !D;
  const Expr *Of = madeOf(D);
  if (Of && isa<BinaryOperator, UnaryOperator, ConditionalOperator, DeclRefExpr,
                MemberExpr>(Of)) {
    const auto *B = dyn_cast<BinaryOperator>(Of);
    const bool IsTruth = B && (B->isLogicalOp() || B->isComparisonOp());
    if (mayCount(Of, AsOrder))
      return true;
    if (IsTruth)
      return false;
  }
  return mayBeNumberOf(D, AsOrder);
}

} // namespace spmd::lint::lower
