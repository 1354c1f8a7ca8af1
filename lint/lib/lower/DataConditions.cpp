//===- DataConditions.cpp - What is decided by computed data --------------===//

#include "DataConditions.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

static bool isFloating(const Expr *E) {
  return E->IgnoreParenImpCasts()->getType()->isRealFloatingType();
}

/// `isfinite(x)`, also as the builtin that a macro makes of it.
static bool asksForKind(const CallExpr *C) {
  const FunctionDecl *D = C->getDirectCallee();
  if (!D || !D->getIdentifier() || C->getNumArgs() == 0)
    return false;
  llvm::StringRef Name = D->getName();
  Name.consume_front("__builtin_");
  Name.consume_front("__");
  return (Name.starts_with("isnan") || Name.starts_with("isinf") ||
          Name.starts_with("isfinite") || Name.starts_with("isnormal")) &&
         llvm::any_of(C->arguments(), isFloating);
}

static bool ofData(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return U->getOpcode() == UO_LNot && ofData(U->getSubExpr());
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    return B->isLogicalOp() ? ofData(B->getLHS()) && ofData(B->getRHS())
                            : B->isComparisonOp() && (isFloating(B->getLHS()) ||
                                                      isFloating(B->getRHS()));
  if (const auto *C = dyn_cast<CallExpr>(E))
    return asksForKind(C);
  const auto *D = dyn_cast<DeclRefExpr>(E);
  const auto *VD = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  return VD && VD->isLocalVarDecl() && VD->getType()->isBooleanType() &&
         VD->getType().isConstQualified() && VD->getInit() &&
         ofData(VD->getInit());
}

bool isDecidedByData(const CFGBlock &B) {
  const Stmt *At = B.getTerminatorStmt();
  const Expr *E =
      isa_and_nonnull<IfStmt, BinaryOperator, ConditionalOperator>(At) &&
              B.succ_size() == 2
          ? B.getLastCondition()
          : nullptr;
  return E && ofData(E);
}

void markDecidedByReductions(rules::Function &F, const SlotTable &Slots) {
  using namespace rules;
  llvm::SmallSet<SlotId, 4> Written, Agreed;
  for (const Block &B : F.Blocks)
    for (const Fact &X : B.Facts)
      if (const auto *T = std::get_if<TransferFact>(&X);
          T && T->K == TransferKind::AllReduce && T->Out.Slot != SlotId::None &&
          F.slot(T->Out.Slot).Kind == SlotKind::Local)
        Written.insert(T->Out.Slot);
  if (Written.empty())
    return;
  for (const SlotId Number : Slots.numbers())
    if (Written.contains(Number))
      Agreed.insert(Number);
  for (Block &B : F.Blocks) {
    if (B.Test || B.Condition.Slot == SlotId::None)
      continue;
    llvm::SmallSet<SlotId, 4> Computed; // of what was agreed on, in the block
    for (const Fact &X : B.Facts)
      if (const auto *O = std::get_if<OpFact>(&X);
          O && O->Dst != SlotId::None &&
          llvm::any_of(O->Operands, [&](const Operand &Of) {
            return Agreed.contains(Of.Slot) || Computed.contains(Of.Slot);
          }))
        Computed.insert(O->Dst);
    B.OnData |= Computed.contains(B.Condition.Slot) ||
                Agreed.contains(B.Condition.Slot);
  }
}

} // namespace spmd::lint::lower
