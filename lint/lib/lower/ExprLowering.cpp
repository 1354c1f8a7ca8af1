//===- ExprLowering.cpp - The slots of a body's expressions -------------===//

#include "ExprLowering.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

SlotId ExprLowering::value(const Expr *E) {
  if (!E)
    return SlotId::None;
  E = strip(E);
  if (auto It = Values.find(E); It != Values.end())
    return It->second;
  // `T x(1, 2);` of a T that is not found has a list of no type.
  if (E->getType().isNull())
    return Values[E] = define(DefineFact::Kind::Unknown, nullptr);
  if (E->isTypeDependent() || E->containsErrors())
    return Values[E] = define(DefineFact::Kind::Unknown, E);
  const SlotId S = Lower(*this, E);
  return Values[E] = isa<DeclRefExpr, MemberExpr>(E) ? ofOneRank(S, E) : S;
}

/// The tensor that \p E names, of a type that fits whatever meets it where
/// there is one rank: what no other path has to agree with.
SlotId ExprLowering::ofOneRank(SlotId Named, const Expr *E) {
  const TypeClass Class = classify(E->getType());
  if (Named == SlotId::None || !OneRank ||
      (Class != TypeClass::Tensor && Class != TypeClass::TensorList &&
       Class != TypeClass::Buffer))
    return Named;
  emit(BindFact{temporary(), {Named, place(E)}, place(E)});
  return define(DefineFact::Kind::Undefined, E);
}

Operand ExprLowering::operand(const Expr *E) {
  const SlotId S = value(E);
  return {S, place(strip(E)), E && classify(E->getType()) == TypeClass::Scalar};
}

Operand ExprLowering::operandOrNone(const Expr *E) {
  if (!E)
    return {};
  const Expr *S = strip(E);
  return isAbsent(S) ? Operand() : operand(S);
}

std::optional<std::int64_t> ExprLowering::constant(const Expr *E) const {
  Expr::EvalResult R;
  if (!E || E->isValueDependent() ||
      !E->getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  if (!E->EvaluateAsInt(R, context()))
    return std::nullopt;
  // An unsigned constant like npos need not fit.
  return R.Val.getInt().tryExtValue();
}

void ExprLowering::noteSized(const Expr *Tensor) {
  const Expr *E = strip(Tensor);
  const ValueDecl *D = namedBy(E);
  if (!D || Body.constancy().isConstant(D))
    return;
  const SlotId S = value(E);
  if (S == SlotId::None)
    return;
  BindFact B;
  B.Dst = Sized[E] = temporary();
  B.Src.Slot = S;
  B.At = place(E);
  emit(B);
}

SlotId ExprLowering::sizedTensor(const Expr *Tensor) const {
  const Expr *E = strip(Tensor);
  if (auto It = Sized.find(E); It != Sized.end())
    return It->second;
  auto It = Values.find(E);
  return It == Values.end() ? SlotId::None : It->second;
}

void ExprLowering::noteField(const MemberExpr *Field, const Expr *Value) {
  FieldValues[{value(Field->getBase()),
               Field->getMemberDecl()->getNameAsString()}] = Value;
}

const Expr *ExprLowering::lastFieldValue(const Expr *Object,
                                         llvm::StringRef Field) const {
  auto It = Values.find(strip(Object));
  if (It == Values.end())
    return nullptr;
  auto F = FieldValues.find({It->second, Field.str()});
  return F == FieldValues.end() ? nullptr : F->second;
}

llvm::SmallVector<SlotId, 2> ExprLowering::namesOf(const Expr *E) {
  const auto Named = [this](const Expr *X) {
    X = X->IgnoreParenImpCasts();
    return isa<DeclRefExpr, MemberExpr>(X) ? value(X) : SlotId::None;
  };
  const SlotId S = Named(E);
  if (S == SlotId::None)
    return {};
  llvm::SmallVector<SlotId, 2> Out{S};
  for (const auto &[Field, Value] : FieldValues)
    if (Named(Value) == S)
      if (const SlotId F = Slots.findField(Field.first, Field.second);
          F != SlotId::None)
        Out.push_back(F);
  return Out;
}

} // namespace spmd::lint::lower
