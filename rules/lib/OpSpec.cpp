//===- OpSpec.cpp - Payloads of [[spmd::op]] ------------------------------===//

#include "spmd/rules/OpSpec.h"

#include "PayloadScanner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace spmd::rules {

namespace {

struct ClassName {
  llvm::StringLiteral Name;
  OpClass Class;
};
constexpr ClassName ClassNames[] = {
    {"elementwise", OpClass::Nonlinear},
    {"linear", OpClass::Linear},
    {"multilinear", OpClass::Multilinear},
    {"nonlinear", OpClass::Nonlinear},
};
constexpr llvm::StringLiteral Expected =
    "expected elementwise, linear, multilinear, nonlinear or factors such as "
    "\"m k, k n -> m n\", got ";
constexpr llvm::StringLiteral Marks = "!^~#";
/// No kernel comes near; look-ups stay cheap on any payload.
constexpr unsigned MaxTensors = 64, MaxFactors = 1024;

class OpSpecParser {
public:
  explicit OpSpecParser(llvm::StringRef Payload)
      : In(Payload), HasArrow(Payload.contains("->")) {}

  llvm::Expected<OpSpec> parse() {
    OpSpec Out;
    if (HasArrow)
      Out.Factors = factors(Out.Class);
    else
      named(Out);
    if (!In.failed() && !In.atEnd())
      In.fail("expected the end, got " + In.found());
    if (In.failed())
      return In.takeError();
    return Out;
  }

private:
  void named(OpSpec &Out) {
    const std::size_t At = In.offset();
    const std::string Got = In.found();
    const llvm::StringRef Name = In.name();
    llvm::StringRef Nearest;
    unsigned Distance = 4;
    for (const ClassName &C : ClassNames) {
      if (C.Name == Name) {
        Out.Class = C.Class;
        Out.Elementwise = Name == "elementwise";
        return;
      }
      const unsigned D =
          Name.take_front(40).edit_distance_insensitive(C.Name, true, Distance);
      if (D < Distance) {
        Nearest = C.Name;
        Distance = D;
      }
    }
    In.failAt(At, Expected + Got +
                      (Nearest.empty()
                           ? std::string()
                           : "; did you mean '" + Nearest.str() + "'?"));
  }

  FactorNotation factors(OpClass &Class) {
    FactorNotation Out;
    tensors(Out.Operands, /*AreResults=*/false);
    In.expect("->", "after the operands");
    tensors(Out.Results, /*AreResults=*/true);
    Class = Out.Operands.size() == 1 ? OpClass::Linear : OpClass::Multilinear;
    return Out;
  }

  void tensors(std::vector<FactorTensor> &Out, bool AreResults) {
    do {
      Out.push_back(tensor(AreResults));
      if (Out.size() > MaxTensors)
        In.fail("more than " + llvm::Twine(MaxTensors) + " tensors");
    } while (!In.failed() && In.accept(","));
  }

  FactorTensor tensor(bool IsResult) {
    FactorTensor Out;
    llvm::StringSet<> Here;
    bool HasEllipsis = false;
    while (!In.failed() && !In.atEnd() && !In.at(',') && !In.at("->")) {
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

  FactorUse factor(llvm::StringSet<> &Here, bool IsResult) {
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

  PayloadScanner In;
  bool HasArrow;
  bool OperandsHaveEllipsis = false;
  llvm::StringSet<> Known; ///< the operands' factors
  unsigned NumUses = 0;
};

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
  if (D.Factors.size() == 1)
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

llvm::Expected<OpSpec> parseOpSpec(llvm::StringRef Payload) {
  return OpSpecParser(Payload).parse();
}

std::string printOpSpec(const OpSpec &S) {
  if (S.Factors)
    return print(S.Factors->Operands) + " -> " + print(S.Factors->Results);
  return S.Elementwise ? "elementwise" : std::string(opClassName(S.Class));
}

} // namespace spmd::rules
