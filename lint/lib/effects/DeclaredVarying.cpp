//===- DeclaredVarying.cpp - What is other on each rank ----===//
//
// Numbers that each rank has computed from its own data decide for it alone, as
// annotations say and as types are inferred. Which axis a communicator is over
// is not known here, so that only files with one axis are looked at. Whole
// numbers are left out: they may be ranks, of which more is known than that
// they differ.
//
//===----------------------------------------------------------------------===//

#include "EffectLowering.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

bool EffectLowering::varies(const ValueDecl *D) {
  if (OnlyAxis.empty() || !D->hasAttr<AnnotateAttr>())
    return false;
  const auto Says = Annotations.typeOf(D);
  if (!Says)
    return false;
  const rules::TypeSpec &Is =
      Says->Exit && !isa<ParmVarDecl>(D) ? *Says->Exit : Says->Entry;
  const rules::AxisAtom *On = Is.find(OnlyAxis);
  return On && (On->Value.Type == rules::LocalType::V ||
                On->Value.Type == rules::LocalType::P);
}

void EffectLowering::varyIfDeclared(const VarDecl *D) {
  if (D->getType()->isRealFloatingType() && varies(D))
    assign(P.variable(variableOf(D)), P.unknown(Trust::Varying),
           D->getLocation());
}

/// Whether the types say that the number \p E, which is computed or read here,
/// is each rank's own.
bool EffectLowering::differs(const clang::Expr *E) const {
  if (!E->isPRValue() || !E->getType()->isRealFloatingType())
    return false;
  E = E->IgnoreParenImpCasts();
  const auto *Read = dyn_cast<UnaryOperator>(E);
  return (isa<CallExpr, ArraySubscriptExpr>(E) ||
          (Read && Read->getOpcode() == UO_Deref)) &&
         Differing.contains(E);
}

} // namespace spmd::lint::effects
