//===- StandIn.cpp - A function in an op's place --------------------------===//

#include "spmd/oracle/StandIn.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

using Tangents = llvm::SmallVector<Tangent, 4>;

Tangent operator+(Tangent A, Tangent B) {
  return {plus(A.Value, B.Value), plus(A.Slope, B.Slope)};
}
Tangent operator*(Tangent A, Tangent B) {
  return {times(A.Value, B.Value),
          plus(times(A.Slope, B.Value), times(A.Value, B.Slope))};
}

/// Each operand with its own weight: in a plain sum mistakes could cancel.
Tangent weighted(const Tangents &X) {
  Tangent Out;
  for (std::size_t I = 0; I != X.size(); ++I)
    Out = Out + Tangent{static_cast<Number>(I + 1)} * X[I];
  return Out;
}
Tangent product(const Tangents &X) {
  Tangent Out{1};
  for (Tangent T : X)
    Out = Out * T;
  return Out;
}
Tangent squares(llvm::ArrayRef<Tangent> X) {
  Tangent Out;
  for (Tangent T : X)
    Out = Out + T * T;
  return Out;
}

Tangent applyClass(OpClass Class, const Tangents &X) {
  switch (Class) {
  case OpClass::Linear:
    return weighted(X);
  case OpClass::Multilinear:
    return product(X);
  case OpClass::Quotient:
    return X[0] * (Tangent{1} + squares(llvm::ArrayRef(X).drop_front()));
  case OpClass::Nonlinear:
  case OpClass::Random:
    return product(X) + squares(X);
  case OpClass::OwnPart:
  case OpClass::Selector: // nearly every other value is another choice
    return {(product(X) + squares(X)).Value};
  case OpClass::StopGradient:
    return {weighted(X).Value};
  case OpClass::ShapeOnly:
    return {1};
  }
  return {};
}

class Evaluation {
public:
  Evaluation(llvm::ArrayRef<Tangent> Actuals, llvm::ArrayRef<unsigned> FormalOf)
      : Actuals(Actuals), FormalOf(FormalOf) {}

  void collect(const RuleTerm &Term, Tangents &Out) const {
    constexpr Number SomeConstant = 5;
    switch (Term.K) {
    case RuleTerm::Kind::Operand:
      for (std::size_t I = 0; I != Actuals.size(); ++I)
        if (FormalOf[I] == Term.Operand)
          Out.push_back(Actuals[I]);
      return;
    case RuleTerm::Kind::Source:
      Out.push_back({Term.Source == SourceKind::Zero ? 0 : SomeConstant});
      return;
    case RuleTerm::Kind::Apply: {
      Tangents Inner;
      for (const RuleTerm &Child : Term.Children)
        collect(Child, Inner);
      if (!Inner.empty())
        Out.push_back(applyClass(Term.Class, Inner));
      return;
    }
    }
  }

private:
  llvm::ArrayRef<Tangent> Actuals;
  llvm::ArrayRef<unsigned> FormalOf;
};

} // namespace

Tangent standIn(const OpRule &Rule, llvm::ArrayRef<Tangent> Actuals,
                llvm::ArrayRef<unsigned> FormalOf) {
  Tangents Out;
  Evaluation(Actuals, FormalOf).collect(Rule.Term, Out);
  return Out.empty() ? Tangent{1} : Out.front();
}

} // namespace spmd::oracle
