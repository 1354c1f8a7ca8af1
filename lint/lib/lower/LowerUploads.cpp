//===- LowerUploads.cpp - What helpers store in declared pointers ---------===//

#include "LowerUploads.h"

#include "OutPointers.h"
#include "Strip.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// `p` of `&p`; null of other code.
static const Expr *pointerIn(const Expr *Argument) {
  const auto *Address = dyn_cast<UnaryOperator>(Argument->IgnoreParenCasts());
  return Address && Address->getOpcode() == UO_AddrOf
             ? Address->getSubExpr()->IgnoreParens()
             : nullptr;
}

/// `w.q`, also of `w.q[i]`; null of other code.
static const Expr *declaredIn(const Expr *Pointer) {
  const Expr *Root = Pointer;
  while (const auto *Element = dyn_cast<ArraySubscriptExpr>(Root))
    Root = Element->getBase()->IgnoreParenImpCasts();
  return isa<DeclRefExpr, MemberExpr>(Root) ? Root : nullptr;
}

/// Whether \p S is declared to have another part on each rank, of which all
/// together are the whole.
static bool hasParts(const Slot &S) {
  return S.Declared && !S.Declared->Exit &&
         llvm::any_of(S.Declared->Entry.Axes, [](const AxisAtom &A) {
           return A.Value.ShardDim.has_value();
         });
}

void checkUploads(ExprLowering &L, const CallSite &C,
                  llvm::ArrayRef<Operand> Given) {
  const FunctionDecl *Def = nullptr;
  if (!C.Callee->hasBody(Def))
    return;
  for (unsigned I = 0;
       I < Given.size() && I < Def->getNumParams() && I < C.Arguments.size();
       ++I) {
    const Expr *Pointer = pointerIn(C.Arguments[I]);
    const Expr *Root = Pointer ? declaredIn(Pointer) : nullptr;
    if (!Root || Given[I].Slot == SlotId::None ||
        !isUploaded(Def->getParamDecl(I)))
      continue;
    const SlotId Into = L.value(Root);
    if (Into == SlotId::None || !hasParts(L.slot(Into)))
      continue;
    const Slot &S = L.slot(Into);
    AssertFact A;
    A.Value = {Given[I].Slot, L.place(Pointer)};
    A.Type = std::make_shared<TypeSpec>(S.Declared->Entry);
    A.Mesh = S.Mesh;
    A.K = S.Kind == SlotKind::Field ? AssertFact::Kind::Field
                                    : AssertFact::Kind::Variable;
    A.Subject = S.Name.empty() ? memberText(S) : S.Name;
    A.At = L.place(C.Call);
    A.DeclaredAt = S.DeclaredAt;
    L.emit(std::move(A));
  }
}

} // namespace spmd::lint::lower
