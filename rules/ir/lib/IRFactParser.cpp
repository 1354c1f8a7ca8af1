//===- IRFactParser.cpp - Reading facts -----------------------------------===//

#include "IRFactParser.h"
#include "IRNames.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules {

Fact IRFactParser::fact() {
  SlotId Dst = SlotId::None;
  if (at("%")) {
    Dst = slot();
    expect("=");
    for (llvm::StringRef Kind :
         {"require", "backward", "havoc", "null", "return", "point"})
      if (at(Kind))
        fail("'" + Kind + "' has no result");
  } else if (at("bind") || at("refer") || at("join") || at("view") ||
             at("element") || at("handle") || at("region") || at("gradient") ||
             atDefinition()) {
    fail("expected '%name =' before '" + word() + "'");
  }
  if (accept("op"))
    return op(Dst);
  if (const bool Refers = at("refer"), Joins = at("join");
      accept("bind") || accept("refer") || accept("join"))
    return BindFact{Dst, operand(), place("@"), Refers, Joins};
  if (at("view") || at("element") || at("handle") || at("region"))
    return view(Dst);
  if (accept("require"))
    return assertion();
  if (accept("call"))
    return call(Dst);
  if (const bool Clears = at("clear"); accept("clear") || accept("gradient"))
    return GradientFact{Dst, operand(), place("@"), Clears};
  if (accept("backward"))
    return BackwardFact{operand(), place("@")};
  if (accept("havoc"))
    return havoc();
  if (accept("null"))
    return NullFact{slot(), place("@")};
  if (accept("return"))
    return result();
  if (accept("point"))
    return point();
  if (const auto K = keyword<DefineFact::Kind>(DefineNames))
    return definition(Dst, *K);
  if (const auto K = keyword<TransferKind>(TransferNames))
    return transfer(Dst, *K);
  fail("expected a fact");
  return ReturnFact();
}

Fact IRFactParser::havoc() {
  HavocFact H;
  H.Slot = slot();
  H.Rebinds = accept("rebinds");
  H.Gradients = accept("gradients");
  H.Alone = H.Gradients && accept("alone");
  if (accept("over"))
    H.Comm = slot();
  H.At = place("@");
  return H;
}

Fact IRFactParser::result() {
  ReturnFact R;
  if (at("_") || at("%"))
    R.Value = operand();
  R.At = place("@");
  return R;
}

Fact IRFactParser::point() {
  PointFact P;
  P.Name = name();
  expect("(");
  while (!failed() && !accept(")")) {
    P.Of.push_back(operand());
    accept(",");
  }
  P.At = place("@");
  return P;
}

bool IRFactParser::atDefinition() {
  return llvm::any_of(DefineNames, [&](llvm::StringRef K) { return at(K); });
}

Fact IRFactParser::definition(SlotId Dst, DefineFact::Kind K) {
  DefineFact D;
  D.Dst = Dst;
  D.K = K;
  if (K == DefineFact::Kind::Declared) {
    D.Type = spec();
    if (!D.Type) // memory of which nothing is said
      D.Type = std::make_shared<TypeSpec>();
  } else if (D.isOfAxis())
    D.Axis = slot();
  else if (K == DefineFact::Kind::Axes)
    D.AxisNames = payload(parseAxes(string()));
  D.At = place("@");
  return D;
}

Fact IRFactParser::view(SlotId Dst) {
  ViewFact V;
  V.Dst = Dst;
  if (accept("handle"))
    V.K = ViewFact::Kind::Handle;
  else if (accept("element"))
    V.K = ViewFact::Kind::Element;
  else if (accept("region"))
    V.K = ViewFact::Kind::Region;
  else
    expect("view");
  V.Src = operand();
  expect("at");
  V.Offset = operand();
  V.At = place("@");
  return V;
}

Fact IRFactParser::op(SlotId Dst) {
  OpFact O;
  O.Dst = Dst;
  const std::string Name = name();
  O.Rule = findRule(Name);
  if (!O.Rule) {
    fail("unknown op '" + Name + "'");
    return O;
  }
  expect("(");
  while (!failed() && !accept(")")) {
    if (O.Rule->Formals.empty()) {
      fail("'" + Name + "' has no operands");
      break;
    }
    unsigned Formal = std::min<unsigned>(
        O.Operands.size(), static_cast<unsigned>(O.Rule->Formals.size()) - 1);
    if (!at("%") && !at("_")) {
      const std::string Wanted = word().str();
      expect("=");
      const auto It = llvm::find_if(O.Rule->Formals, [&](const RuleFormal &X) {
        return X.Name == Wanted;
      });
      Formal = static_cast<unsigned>(It - O.Rule->Formals.begin());
      if (Formal == O.Rule->Formals.size())
        fail("'" + Name + "' has no operand '" + Wanted + "'");
    }
    O.Operands.push_back(operand(/*OfOp=*/true));
    O.FormalOf.push_back(Formal);
    accept(",");
  }
  if (accept("["))
    while (!failed() && !accept("]")) {
      O.Arguments.push_back(argument());
      accept(",");
    }
  if (accept("into")) {
    O.PartialWrite = accept("part");
    O.WritesTo = slot();
  }
  O.At = place("@");
  return O;
}

Fact IRFactParser::transfer(SlotId Dst, TransferKind K) {
  TransferFact T;
  T.K = K;
  T.Dst = Dst;
  T.Src = operand();
  expect("on");
  T.Axis = operand();
  if (accept("from")) {
    if (at("\""))
      T.FromType = spec();
    else
      T.From = atom();
    T.FromAt = place();
  }
  if (accept("to")) {
    if (at("\""))
      T.ToType = spec();
    else
      T.To = atom();
    T.ToAt = place();
  }
  if (accept("with")) {
    const auto R = keyword<ReductionKind>(ReductionNames);
    if (!R)
      fail("expected a reduction");
    T.Reduction = R.value_or(ReductionKind::Sum);
  }
  T.Expert = accept("expert");
  T.Few = accept("few");
  T.Counts = accept("counts");
  if (accept("into"))
    T.Out = operand();
  T.At = place("@");
  return T;
}

Fact IRFactParser::assertion() {
  AssertFact A;
  const auto K = keyword<AssertFact::Kind>(AssertNames);
  if (!K)
    fail("expected what requires the type");
  else
    A.K = *K;
  A.IsElement = accept("element");
  if (A.IsElement && accept("in"))
    A.Buffer = slot();
  A.Value = operand();
  A.Type = spec();
  if (accept("of")) {
    A.Subject = string();
    A.DeclaredAt = place();
  }
  A.Mesh = mesh();
  A.At = place("@");
  return A;
}

Fact IRFactParser::call(SlotId Dst) {
  CallFact C;
  C.Dst = Dst;
  expect("@");
  C.Callee = name();
  expect("(");
  while (!failed() && !accept(")")) {
    C.Arguments.push_back(operand());
    if (accept("is"))
      C.Numbers.push_back(givenNumber(C.Arguments.size() - 1));
    accept(",");
  }
  if (accept("on"))
    C.Receiver = operand();
  C.NoGrad = accept("no_grad");
  if (accept("pullback")) {
    GivenBackward &B = C.Backward.emplace();
    B.Output = operand();
    expect("from");
    expect("(");
    while (!failed() && !accept(")")) {
      B.Inputs.push_back(operand());
      accept(",");
    }
  }
  C.At = place("@");
  return C;
}

GivenNumber IRFactParser::givenNumber(std::size_t Argument) {
  GivenNumber Out{static_cast<std::uint32_t>(Argument)};
  if (at("%"))
    Out.Same = slot();
  else
    Out.Value = integer();
  return Out;
}

const OpRule *IRFactParser::findRule(llvm::StringRef Name) const {
  const OpRule *Own = OwnRules.lookup(Name);
  return Own ? Own : Ops.rule(Name);
}

} // namespace spmd::rules
