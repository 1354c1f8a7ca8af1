//===- WholeRecords.cpp - Structs of numbers taken as one buffer ----------===//
//
// A struct is its members here, each with a slot of its own. Code that takes it
// for one run of numbers, `update((float *)&weights, …)`, takes them all.
//
//===----------------------------------------------------------------------===//

#include "WholeRecords.h"

#include "Records.h"
#include "ValuePath.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// What \p E was before it became a pointer to something else.
static const Expr *withoutPointerCasts(const Expr *E) {
  while (true) {
    E = strip(E);
    const auto *Cast = dyn_cast<CastExpr>(E);
    if (!Cast ||
        (Cast->getCastKind() != CK_BitCast && Cast->getCastKind() != CK_NoOp))
      return E;
    E = Cast->getSubExpr();
  }
}

/// What \p E, a pointer to numbers, was made to point to for good, where that
/// has one name throughout; \p E itself of others.
static const Expr *origin(const ExprLowering &L, const Expr *E) {
  const auto *Named = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const auto *VD = Named ? dyn_cast<VarDecl>(Named->getDecl()) : nullptr;
  const Constancy &Constant = L.Body.constancy();
  if (!VD || !VD->isLocalVarDecl() || !VD->getInit() ||
      !VD->getType()->isPointerType() || !Constant.isKeptHere(VD) ||
      !VD->getType()->getPointeeType()->isRealFloatingType())
    return E;
  const Expr *Init = withoutPointerCasts(VD->getInit());
  const auto *Address = dyn_cast<UnaryOperator>(Init);
  const auto Path = pathOf(Address && Address->getOpcode() == UO_AddrOf
                               ? Address->getSubExpr()
                               : Init);
  const bool Stays = llvm::all_of(Path, [&](const ValueDecl *D) {
    return !D || D->getType()->isRecordType() || Constant.isKeptHere(D);
  });
  return !Path.empty() && Stays ? Init : E;
}

static void addMembers(ExprLowering &L, SlotId Of, const RecordDecl *R,
                       llvm::SmallVectorImpl<SlotId> &Out) {
  for (const FieldDecl *Field : R->fields()) {
    const SlotId Member = L.Slots.field(Of, Field->getName(), Field);
    if (const RecordDecl *Inner = Field->getType()->getAsRecordDecl())
      addMembers(L, Member, Inner, Out);
    else
      Out.push_back(Member);
  }
}

llvm::SmallVector<SlotId, 8> membersOfWhole(ExprLowering &L, const Expr *E) {
  llvm::SmallVector<SlotId, 8> Out;
  if (!E || !E->getType()->isPointerType())
    return Out;
  const Expr *Struct = origin(L, withoutPointerCasts(E));
  const QualType T = Struct->getType();
  if (!T->isPointerType() || !isRunOfNumbers(T->getPointeeType()))
    return Out;
  if (const SlotId S = L.value(Struct); S != SlotId::None)
    addMembers(L, S, T->getPointeeType()->getAsRecordDecl(), Out);
  return Out;
}

/// The pointer to all of a struct that \p E, `p[i]`, is an element of.
static const Expr *wholeOf(const Expr *E) {
  const auto *At = dyn_cast<ArraySubscriptExpr>(E->IgnoreParenImpCasts());
  return At && At->getType()->isArithmeticType() ? At->getBase() : nullptr;
}

llvm::SmallVector<SlotId, 8> membersAround(ExprLowering &L, const Expr *E) {
  const Expr *Whole = wholeOf(E);
  return Whole ? membersOfWhole(L, Whole) : llvm::SmallVector<SlotId, 8>();
}

Operand gathered(ExprLowering &L, llvm::ArrayRef<SlotId> Members,
                 const Expr *At) {
  const SlotId Buffer = L.define(DefineFact::Kind::Undefined, At);
  for (SlotId Member : Members)
    L.emitOp(ScalarRules::get().Copy, {{Member, L.place(At)}}, At, Buffer,
             /*Partial=*/true);
  return {Buffer, L.place(At)};
}

void scatter(ExprLowering &L, Operand Buffer, llvm::ArrayRef<SlotId> Members,
             const Expr *At) {
  for (SlotId Member : Members)
    L.emitOp(ScalarRules::get().Copy, {Buffer}, At, Member);
}

bool mayWriteThrough(const Expr *E) {
  return E->getType()->isPointerType() &&
         !E->getType()->getPointeeType().isConstQualified();
}

} // namespace spmd::lint::lower
