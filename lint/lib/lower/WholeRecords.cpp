//===- WholeRecords.cpp - Structs of numbers taken as one buffer ----------===//
//
// A struct is its members here, each with a slot of its own. Code that takes it
// for one run of numbers, `update((float *)&weights, …)`, takes them all.
//
//===----------------------------------------------------------------------===//

#include "WholeRecords.h"

#include "Records.h"

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
  const Expr *Struct = withoutPointerCasts(E);
  const QualType T = Struct->getType();
  if (!T->isPointerType() || !isRecordOfNumbers(T->getPointeeType()))
    return Out;
  if (const SlotId S = L.value(Struct); S != SlotId::None)
    addMembers(L, S, T->getPointeeType()->getAsRecordDecl(), Out);
  return Out;
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
