//===- TermValue.cpp - Values by the term of a rule -----------------------===//

#include "spmd/oracle/SpecReference.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

Number nonlinear(Number X) { return plus(times(X, plus(X, 1)), 1); }

/// What a class makes of the values of its children.
Number apply(OpClass C, llvm::ArrayRef<Number> X) {
  Number Sum = 0, Product = 1;
  for (std::size_t I = 0; I != X.size(); ++I) {
    Sum = plus(Sum, times(static_cast<Number>(I) + 1, X[I]));
    Product = times(Product, X[I]);
  }
  switch (C) {
  case OpClass::Linear:
  case OpClass::StopGradient:
    return Sum;
  case OpClass::Multilinear:
    return Product;
  case OpClass::Quotient: {
    Number Out = X.front();
    for (Number D : X.drop_front())
      Out = times(Out, plus(times(D, D), 1));
    return Out;
  }
  case OpClass::ShapeOnly:
    return 1;
  case OpClass::Nonlinear:
  case OpClass::Selector:
  case OpClass::Random:
  case OpClass::OwnPart:
    return nonlinear(Sum);
  }
  return 0;
}

class Combiner {
public:
  using Hook = llvm::function_ref<Tensor(Tensor, llvm::ArrayRef<unsigned>)>;
  Combiner(const SpecCall &Call, llvm::ArrayRef<Tensor> Operands, Hook After)
      : Call(Call), Operands(Operands), After(After) {}

  /// Nothing for operands that the call does not give; Failed where shapes do
  /// not fit.
  MaybeTensor value(const RuleTerm &T, llvm::SmallVectorImpl<unsigned> &Of) {
    if (T.K == RuleTerm::Kind::Source)
      return Tensor{{}, {T.Source == SourceKind::Zero ? 0 : 3}};
    std::vector<Tensor> Children;
    if (T.K == RuleTerm::Kind::Operand) {
      for (unsigned I = 0; I != Call.FormalOf.size(); ++I)
        if (Call.FormalOf[I] == T.Operand) {
          Of.push_back(I);
          Children.push_back(After(Operands[I], {I}));
        }
      if (Children.empty())
        return std::nullopt;
      if (Children.size() == 1)
        return Children[0];
      return made(OpClass::Multilinear, Children, Of);
    }
    for (const RuleTerm &C : T.Children) {
      // The members of a list are operands of the class alike.
      if (C.K == RuleTerm::Kind::Operand) {
        for (unsigned I = 0; I != Call.FormalOf.size(); ++I)
          if (Call.FormalOf[I] == C.Operand) {
            Of.push_back(I);
            Children.push_back(After(Operands[I], {I}));
          }
        continue;
      }
      if (MaybeTensor X = value(C, Of))
        Children.push_back(std::move(*X));
    }
    return Children.empty() ? std::nullopt : made(T.Class, Children, Of);
  }
  bool Failed = false;

private:
  MaybeTensor made(OpClass C, llvm::ArrayRef<Tensor> Children,
                   llvm::ArrayRef<unsigned> Of) {
    MaybeTensor Out = broadcast(
        Children, [&](llvm::ArrayRef<Number> X) { return apply(C, X); });
    Failed |= !Out;
    return Out ? MaybeTensor(After(std::move(*Out), Of)) : std::nullopt;
  }

  const SpecCall &Call;
  llvm::ArrayRef<Tensor> Operands;
  Hook After;
};

} // namespace

MaybeTensor
combine(const SpecCall &Call, llvm::ArrayRef<Tensor> Operands,
        llvm::function_ref<Tensor(Tensor, llvm::ArrayRef<unsigned>)> After) {
  llvm::SmallVector<unsigned, 4> Of;
  Combiner C(Call, Operands, After);
  MaybeTensor Out = C.value(Call.Op->Term, Of);
  return C.Failed ? std::nullopt : Out;
}

} // namespace spmd::oracle
