//===- NumberReader.cpp - Numbers that keep their value -------------------===//

#include "NumberReader.h"

#include "FilledLists.h"
#include "NameWords.h"
#include "OneRank.h"
#include "Strip.h"

#include "cxx/KnownTypes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// What names speak of that is another thing on each rank.
bool tellsRanksApart(llvm::StringRef Name) {
  static constexpr llvm::StringLiteral Short[] = {
      "me", "myid", "my_id", "iam", "mype", "my_pe", "pe"};
  // Master weights are those that an optimizer keeps in full precision.
  const bool OfWeights =
      isAny(Name, {"weight", "param", "grad", "copy", "copies", "from_master"});
  return llvm::is_contained(Short, Name) ||
         isAny(Name, {"rank", "single", "root", "leader"}) ||
         (!OfWeights && isAny(Name, {"master"}));
}

/// What says whether there are other ranks at all.
bool saysIfDistributed(llvm::StringRef Name) {
  return isAny(Name, {"dist", "parallel", "multi", "ddp", "nccl", "mpi",
                      "world", "cluster", "comm", "gpus", "devices", "init"});
}

bool isSize(const CXXMethodDecl *D) {
  return D && D->getIdentifier() && D->getName() == "size" &&
         D->getNumParams() == 0;
}

/// The loop variable, or what it holds of an element: `p`, `p.key()`,
/// `p.value()`, `p->second`.
bool isOfElement(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
    const auto *VD = dyn_cast<VarDecl>(D->getDecl());
    return isa<BindingDecl>(D->getDecl()) || (VD && VD->isLocalVarDecl());
  }
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return isOfElement(M->getBase());
  if (const auto *C = dyn_cast<CXXMemberCallExpr>(E))
    return C->getNumArgs() == 0 && isOfElement(C->getImplicitObjectArgument());
  const auto *O = dyn_cast<CXXOperatorCallExpr>(E);
  return O && (O->getOperator() == OO_Arrow || O->getOperator() == OO_Star) &&
         isOfElement(O->getArg(0));
}

/// `layers[i]`, by a counter.
bool isElementOfArray(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
    return isOfElement(A->getIdx());
  const auto *O = dyn_cast<CXXOperatorCallExpr>(E);
  if (O && (O->getOperator() == OO_Arrow || O->getOperator() == OO_Star))
    return isElementOfArray(O->getArg(0));
  return O && O->getOperator() == OO_Subscript && isOfElement(O->getArg(1));
}

/// What tells the tensors of a list apart: their shapes and their names. What
/// has no gradient is left out for good reason.
bool describesElement(const CallExpr *E) {
  static constexpr llvm::StringLiteral Queries[] = {
      "dim",     "ndimension",   "numel",    "size",
      "nbytes",  "element_size", "find",     "rfind",
      "compare", "starts_with",  "ends_with"};
  if (const auto *C = dyn_cast<CXXMemberCallExpr>(E)) {
    const CXXMethodDecl *D = C->getMethodDecl();
    return D && D->getIdentifier() &&
           llvm::is_contained(Queries, D->getName()) &&
           isOfElement(C->getImplicitObjectArgument());
  }
  const auto *O = dyn_cast<CXXOperatorCallExpr>(E);
  return O &&
         (O->getOperator() == OO_EqualEqual ||
          O->getOperator() == OO_ExclaimEqual) &&
         isOfElement(O->getArg(0)) &&
         isa<StringLiteral>(O->getArg(1)->IgnoreParenImpCasts());
}

/// Whether the element, or its gradient, is there at all: `p.requires_grad()`,
/// `p.grad().defined()`.
bool asksForElement(const CallExpr *E) {
  return asksIfThere(E) &&
         isOfElement(cast<CXXMemberCallExpr>(E)->getImplicitObjectArgument());
}

} // namespace

bool isMemberOfElement(const Expr *E) {
  const auto *M = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts());
  return M && (isOfElement(M->getBase()) || isElementOfArray(M->getBase()));
}

bool NumberReader::keepsValue(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (!E->getType()->isIntegralOrEnumerationType() || E->isValueDependent())
    return false;
  if (isNumberOfRanks(E, Constant))
    return IsOfRanks = true;
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    return isa<EnumConstantDecl>(D->getDecl()) ||
           isKept(D->getDecl(), E->getBeginLoc());
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return isKept(M->getMemberDecl(), E->getBeginLoc()) &&
           (isPath(M->getBase()) || isOfArray(M));
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    return !B->isAssignmentOp() && B->getOpcode() != BO_Comma &&
           keepsValue(B->getLHS()) && keepsValue(B->getRHS());
  if (const auto *C = dyn_cast<AbstractConditionalOperator>(E))
    return !mayTellRanksApart(C->getCond()) && keepsValue(C->getTrueExpr()) &&
           keepsValue(C->getFalseExpr());
  if (const auto *C = dyn_cast<CallExpr>(E);
      C && (readsOption(C) || asksForMode(C)))
    return true;
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(E); M && sizesConstant(M))
    return IsAmount = true;
  // `(int)list.size()`
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E))
    if (const auto *M = dyn_cast<CXXMemberCallExpr>(
            Cast->getSubExpr()->IgnoreParenImpCasts()))
      return sizesConstant(M) && keepsValue(M);
  if (const auto *C = dyn_cast<CallExpr>(E); C && OfElements) {
    if (describesElement(C)) {
      const FunctionDecl *Asked = C->getDirectCallee();
      IsAmount |= Asked->getIdentifier() &&
                  llvm::is_contained({"numel", "nbytes"}, Asked->getName());
      return Counts = true;
    }
    if (asksForElement(C))
      return IsIfDefined = true;
    const auto *M = dyn_cast<CXXMemberCallExpr>(C);
    const CXXMethodDecl *Asked = M ? M->getMethodDecl() : nullptr;
    if (Asked && M->getNumArgs() == 0 && countsWhatItHas(Asked) &&
        isElementOfArray(M->getImplicitObjectArgument()))
      return IsAmount = Counts = true;
    if (Asked && M->getNumArgs() == 0 && returnsMembers(M) &&
        isElementOfArray(M->getImplicitObjectArgument()))
      return Counts = true;
    return isSize(Asked);
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->isIncrementDecrementOp())
    return (OfElements || countsCalls(U->getSubExpr())) &&
           keepsValue(U->getSubExpr());
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return (U->getOpcode() == UO_LNot || U->getOpcode() == UO_Minus) &&
           keepsValue(U->getSubExpr());
  return isa<IntegerLiteral, CXXBoolLiteralExpr, CharacterLiteral>(E);
}

bool NumberReader::mayTellRanksApart(const Stmt *S) {
  const auto *E = dyn_cast<Expr>(S);
  const NamedDecl *D = E ? namedBy(E) : nullptr;
  return isa<CallExpr>(S) ||
         (D && D->getIdentifier() && tellsRanksApart(D->getName())) ||
         llvm::any_of(S->children(), [](const Stmt *Part) {
           return Part && mayTellRanksApart(Part);
         });
}

bool NumberReader::readsOption(const CallExpr *C) {
  const FunctionDecl *Callee = C->getDirectCallee();
  return Callee && Callee->getIdentifier() && C->getNumArgs() != 0 &&
         llvm::is_contained({"atoi", "atol", "atoll", "strtol", "strtoul",
                             "stoi", "stol", "stoul"},
                            Callee->getName());
}

bool NumberReader::asksForMode(const CallExpr *C) const {
  const auto *M = dyn_cast<CXXMemberCallExpr>(C);
  const CXXMethodDecl *D = M ? M->getMethodDecl() : nullptr;
  return D && D->getIdentifier() && D->getName() == "is_training" &&
         isPath(M->getImplicitObjectArgument());
}

bool NumberReader::sizesConstant(const CXXMemberCallExpr *C) const {
  const CXXMethodDecl *D = C->getMethodDecl();
  const Expr *Of = C->getImplicitObjectArgument()->IgnoreParenImpCasts();
  return D && D->getIdentifier() && D->getNumParams() == 0 &&
         (D->getName() == "size" || D->getName() == "empty") &&
         isa<DeclRefExpr>(Of) && Of->getType().isConstQualified();
}

bool NumberReader::isPath(const Expr *E) const {
  E = strip(E)->IgnoreParenImpCasts();
  if (isa<CXXThisExpr>(E))
    return true;
  if (const auto *O = dyn_cast<CXXOperatorCallExpr>(E))
    return O->getOperator() == OO_Subscript
               ? isPath(O->getArg(0)) && isKey(O->getArg(1))
               : isSmartPointer(strip(O->getArg(0))->getType()) &&
                     isPath(O->getArg(0));
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    return Constant.isKeptHere(D->getDecl()) || D->getType()->isRecordType();
  const auto *M = dyn_cast<MemberExpr>(E);
  return M && isPath(M->getBase());
}

bool NumberReader::isOfArray(const MemberExpr *M) {
  if (!OfElements || !isElementOfArray(M->getBase()))
    return false;
  const QualType T = M->getType();
  IsAmount |= T->isIntegerType() && !T->isBooleanType() && !T->isEnumeralType();
  return Counts = true;
}

bool NumberReader::isKey(const Expr *E) const {
  E = handedOver(E);
  const ValueDecl *D = namedBy(E);
  return isa<StringLiteral, IntegerLiteral>(E) || (D && Constant.isKeptHere(D));
}

bool NumberReader::isKept(const ValueDecl *D, SourceLocation At) {
  if (!D->getIdentifier() || tellsRanksApart(D->getName()))
    return false;
  const auto *VD = dyn_cast<VarDecl>(D);
  const bool IsLocal = VD && VD->isLocalVarDecl();
  if (Counted.contains(D)) // nothing else asks for it
    return true;
  if (IsLocal ? !Constant.isKeptHere(D) : !Constant.isKeptUntil(D, At)) {
    Counts |= IsLocal;
    return (OfElements && IsLocal) || (IsLocal && countsIterations(VD));
  }
  IsOfRanks |= saysIfDistributed(D->getName());
  if (!IsLocal)
    return true;
  return VD->getInit() &&
         (keepsValue(VD->getInit()) || asksForNumber(VD->getInit())) &&
         (OfElements || Loop != rules::BlockId::None ||
          !Constant.isPerTurn(VD));
}

bool NumberReader::returnsMembers(const CallExpr *C) {
  const FunctionDecl *Callee = C->getDirectCallee();
  const Stmt *Body = Callee ? Callee->getBody() : nullptr;
  if (const auto *Only = dyn_cast_or_null<CompoundStmt>(Body);
      Only && Only->size() == 1)
    Body = Only->body_front();
  const auto *Returns = dyn_cast_or_null<ReturnStmt>(Body);
  return Returns && Returns->getRetValue() &&
         isOfMembers(Returns->getRetValue());
}

bool NumberReader::asksForNumber(const Expr *E) {
  const auto *C = dyn_cast<CallExpr>(E->IgnoreParenImpCasts());
  if (!C || !returnsMembers(C))
    return false;
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(C);
      M && !isPath(M->getImplicitObjectArgument()))
    return false;
  return llvm::all_of(C->arguments(), [&](const Expr *A) {
    return isPath(A) || keepsValue(A);
  });
}

bool NumberReader::isOfMembers(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    return !B->isAssignmentOp() && B->getOpcode() != BO_Comma &&
           isOfMembers(B->getLHS()) && isOfMembers(B->getRHS());
  if (const auto *M = dyn_cast<MemberExpr>(E)) {
    const NamedDecl *D = M->getMemberDecl();
    return D->getIdentifier() && !tellsRanksApart(D->getName()) &&
           isOfMembers(M->getBase());
  }
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    return isa<ParmVarDecl>(D->getDecl()) && D->getDecl()->getIdentifier() &&
           !tellsRanksApart(D->getDecl()->getName());
  return isa<IntegerLiteral, CXXThisExpr>(E);
}

bool NumberReader::countsCalls(const Expr *E) const {
  E = E->IgnoreParenImpCasts();
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    return Counted.contains(D->getDecl());
  const auto *M = dyn_cast<MemberExpr>(E);
  return M && Counted.contains(M->getMemberDecl());
}

bool NumberReader::countsIterations(const VarDecl *VD) {
  const rules::BlockId Of = LoopOf(VD);
  if (Of == rules::BlockId::None)
    return false;
  if (Loop == rules::BlockId::None || Of > Loop)
    Loop = Of;
  return true;
}

} // namespace spmd::lint::lower
