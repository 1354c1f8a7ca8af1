//===- OpSpec.cpp - Payloads of [[spmd::op]] ------------------------------===//

#include "spmd/ops/OpSpec.h"

#include "FactorNotationParser.h"

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

class OpSpecParser {
public:
  explicit OpSpecParser(llvm::StringRef Payload)
      : In(Payload), HasArrow(Payload.contains("->")) {}

  llvm::Expected<OpSpec> parse() {
    OpSpec Out;
    if (HasArrow) {
      Out.Factors = FactorNotationParser(In, /*AmongOthers=*/false).parse();
      Out.Class = Out.Factors->Operands.size() == 1 ? OpClass::Linear
                                                    : OpClass::Multilinear;
    } else
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

  PayloadScanner In;
  bool HasArrow;
};

} // namespace

llvm::Expected<OpSpec> parseOpSpec(llvm::StringRef Payload) {
  return OpSpecParser(Payload).parse();
}

std::string printOpSpec(const OpSpec &S) {
  if (S.Factors)
    return printFactorNotation(*S.Factors);
  return S.Elementwise ? "elementwise" : std::string(opClassName(S.Class));
}

} // namespace spmd::rules
