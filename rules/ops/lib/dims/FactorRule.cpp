//===- FactorRule.cpp - The shape rule of one call ------------------------===//

#include "spmd/ops/FactorRule.h"
#include "RuleBuilder.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules {

namespace {

bool has(const FactorRule::Tensor &T, unsigned F) {
  return llvm::any_of(
      T, [&](const FactorRule::Dim &D) { return llvm::is_contained(D, F); });
}

std::string print(const FactorRule &R, const FactorRule::Tensor &T,
                  std::optional<unsigned> Marked) {
  std::string Out;
  for (const FactorRule::Dim &D : T) {
    if (&D != T.begin())
      Out += ' ';
    if (D.empty())
      Out += '1';
    if (D.size() > 1)
      Out += '(';
    for (unsigned F : D) {
      if (F != D.front())
        Out += ' ';
      Out += F == Marked ? "[" + R.Factors[F].Name + "]" : R.Factors[F].Name;
    }
    if (D.size() > 1)
      Out += ')';
  }
  return Out;
}

} // namespace

bool FactorRule::isContracted(unsigned F) const {
  return HasResult && !has(Result, F) &&
         llvm::any_of(Operands, [&](const Tensor &T) { return has(T, F); });
}

std::string printFactorRule(const FactorRule &R,
                            std::optional<unsigned> Marked) {
  std::string Out;
  for (const FactorRule::Tensor &T : R.Operands) {
    if (&T != R.Operands.begin())
      Out += ", ";
    Out += print(R, T, Marked);
  }
  return Out + " -> " + (R.HasResult ? print(R, R.Result, Marked) : "?");
}

namespace {

using namespace global;

/// Whether an alternative speaks of this call.
SameSize fitsCall(const ShapedCall &Call, const ShapeRule &Shape) {
  const RuleBuilder B(Call, Shape);
  for (const ShapeOperand &O : Shape.Of) {
    const auto Formal =
        llvm::find_if(Call.Op->Formals,
                      [&](const RuleFormal &F) { return F.Name == O.Name; });
    const auto Index = static_cast<unsigned>(Formal - Call.Op->Formals.begin());
    if (!O.Optional && !llvm::is_contained(Call.FormalOf, Index))
      return SameSize::No;
  }
  for (const FactorNotation &N : Shape.Notations)
    if (const SameSize Fits = fits(B, N); Fits != SameSize::No)
      return Fits;
  if (!Shape.Notations.empty())
    return SameSize::No;
  using T = ShapeTerm;
  if (B.tensors().empty() &&
      !llvm::is_contained({T::Create, T::Places, T::Written}, Shape.Term))
    return SameSize::No;
  for (unsigned P = 0; P != numRequiredParameters(Shape.Term); ++P)
    if (P >= Shape.Parameters.size() ||
        (!Shape.Parameters[P].Default && !B.argument(Shape.Parameters[P].Name)))
      return B.hasOptions() ? SameSize::Unknown : SameSize::No;
  return SameSize::Yes;
}

void build(RuleBuilder &B, const ShapeRule &Shape) {
  using T = ShapeTerm;
  for (const FactorNotation &N : Shape.Notations)
    if (fits(B, N) == SameSize::Yes)
      return buildNotation(B, N);
  switch (Shape.Term) {
  case T::Reshape:
  case T::Flatten:
  case T::Unflatten:
  case T::Like:
    return buildReshape(B, Shape.Term);
  case T::Gather:
  case T::Lookup:
  case T::Index:
  case T::Put:
  case T::Scatter:
    return buildIndexed(B, Shape.Term);
  case T::Expand:
  case T::Interleave:
  case T::Pad:
  case T::Part:
  case T::Pick:
  case T::Repeat:
    return buildSizes(B, Shape.Term);
  case T::Attend:
  case T::Channels:
  case T::Convolve:
    return buildLayer(B, Shape.Term);
  case T::Classify:
  case T::Loss:
    return buildLoss(B, Shape.Term);
  case T::Einsum:
    return buildEinsum(B);
  default:
    return buildDims(B, Shape.Term);
  }
}

/// No alternative has as many dims as the call's tensors: which does not fit?
FactorRuleOr wrongRank(const ShapedCall &Call,
                       llvm::ArrayRef<const ShapeRule *> All) {
  for (const ShapeRule *S : llvm::reverse(All))
    for (const FactorNotation &N : llvm::reverse(S->Notations)) {
      RuleBuilder B(Call, *S);
      for (unsigned I : B.tensors()) {
        if (!isGiven(B, N) || fitsRank(N, B.position(I), B.spec(I).rank()))
          continue;
        SpecViolation V;
        V.K = SpecViolation::Kind::Rank;
        V.Operand = I;
        B.wrong(std::move(V));
        return B.take();
      }
    }
  return Undecided{"the overload"};
}

} // namespace

FactorRuleOr factorRuleOf(const ShapedCall &Call) {
  llvm::SmallVector<const ShapeRule *, 4> All{&*Call.Op->Shape};
  for (const ShapeRule &S : Call.Op->Shape->Otherwise)
    All.push_back(&S);
  bool OnlyNotations = true;
  for (const ShapeRule *S : All) {
    OnlyNotations &= !S->Notations.empty() && S->Of.empty();
    switch (fitsCall(Call, *S)) {
    case SameSize::No:
      continue;
    case SameSize::Unknown:
      return Undecided{"the overload"};
    case SameSize::Yes:
      RuleBuilder B(Call, *S);
      build(B, *S);
      return B.take();
    }
  }
  return OnlyNotations ? wrongRank(Call, All)
                       : FactorRuleOr(Undecided{"the overload"});
}

} // namespace spmd::rules
