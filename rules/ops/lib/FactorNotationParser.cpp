//===- FactorNotationParser.cpp - Reading `m k, k n -> m n` ---------------===//

#include "FactorNotationParser.h"

namespace spmd::rules {

namespace {

constexpr llvm::StringLiteral Marks = "!^~#";
/// No kernel comes near; look-ups stay cheap on any payload.
constexpr unsigned MaxTensors = 64, MaxFactors = 1024;

std::string print(const FactorUse &F) {
  return F.Mark ? F.Name + F.Mark : F.Name;
}

std::string print(const FactorDim &D) {
  switch (D.K) {
  case FactorDim::Kind::Ellipsis:
    return "...";
  case FactorDim::Kind::One:
    return "1";
  case FactorDim::Kind::Factors:
    break;
  }
  // `of` by itself ends a notation.
  if (D.Factors.size() == 1 && D.Factors[0].Name != "of")
    return print(D.Factors[0]);
  std::string Out;
  for (const FactorUse &F : D.Factors)
    Out += (Out.empty() ? "(" : " ") + print(F);
  return Out + ")";
}

std::string print(llvm::ArrayRef<FactorTensor> Tensors) {
  std::string Out;
  for (const FactorTensor &T : Tensors) {
    if (&T != Tensors.data())
      Out += ", ";
    for (const FactorDim &D : T)
      Out += (&D == T.data() ? "" : " ") + print(D);
  }
  return Out;
}

} // namespace

FactorNotation FactorNotationParser::parse() {
  FactorNotation Out;
  tensors(Out.Operands, /*AreResults=*/false);
  In.expect("->", "after the operands");
  tensors(Out.Results, /*AreResults=*/true);
  return Out;
}

bool FactorNotationParser::atEnd() {
  return In.atEnd() || In.at(',') || In.at("->") ||
         (AmongOthers && (In.at('|') || In.atName("of")));
}

void FactorNotationParser::tensors(std::vector<FactorTensor> &Out,
                                   bool AreResults) {
  do {
    Out.push_back(tensor(AreResults));
    if (Out.size() > MaxTensors)
      In.fail("more than " + llvm::Twine(MaxTensors) + " tensors");
  } while (!In.failed() && In.accept(","));
}

FactorTensor FactorNotationParser::tensor(bool IsResult) {
  FactorTensor Out;
  llvm::StringSet<> Here;
  bool HasEllipsis = false;
  while (!In.failed() && !atEnd()) {
    const std::size_t At = In.offset();
    FactorDim D;
    if (In.accept("...")) {
      D.K = FactorDim::Kind::Ellipsis;
      if (HasEllipsis)
        In.failAt(At, "'...' is given twice in one tensor");
      if (IsResult && !OperandsHaveEllipsis)
        In.failAt(At, "'...' is in no operand");
      HasEllipsis = true;
      OperandsHaveEllipsis = true;
    } else if (In.at('1') && In.number(1, 1)) {
      D.K = FactorDim::Kind::One;
    } else if (In.accept("(")) {
      do
        D.Factors.push_back(factor(Here, IsResult));
      while (!In.failed() && !In.at(')'));
      In.expect(")");
    } else {
      D.Factors.push_back(factor(Here, IsResult));
    }
    Out.push_back(std::move(D));
  }
  return Out;
}

FactorUse FactorNotationParser::factor(llvm::StringSet<> &Here, bool IsResult) {
  const std::size_t At = In.offset();
  const llvm::StringRef Name = In.name();
  if (Name.empty()) {
    In.fail("expected a factor such as 'm', '(h d)', '...', ',' or '->', "
            "got " +
            In.found());
    return {};
  }
  FactorUse Out{Name.str(), 0};
  if (const char C = In.peek(); C && Marks.contains(C)) {
    Out.Mark = C;
    In.accept(llvm::StringRef(&C, 1));
  }
  if (!Here.insert(Name).second)
    In.failAt(At, "factor " + PayloadScanner::quoted(Name) +
                      " is given twice in one tensor");
  if (const std::size_t Dot = Name.find('.'); Dot != llvm::StringRef::npos)
    In.failAt(At + Dot, "expected a space after a factor, got '.'");
  if (IsResult && !Known.contains(Name) && Out.Mark != '^')
    In.failAt(At, "factor " + PayloadScanner::quoted(Name) +
                      " is in no operand; a dim that the op adds is '" +
                      Name.take_front(40) + "^'");
  if (!IsResult)
    Known.insert(Name);
  if (++NumUses > MaxFactors)
    In.failAt(At, "more than " + llvm::Twine(MaxFactors) + " factors");
  return Out;
}

std::string printFactorNotation(const FactorNotation &N) {
  return print(N.Operands) + " -> " + print(N.Results);
}

} // namespace spmd::rules
