//===- CheckOpClasses.cpp - The rules of ordinary ops, by numbers ---------===//

#include "spmd/oracle/CheckOpClasses.h"

#include "spmd/explain/Judgement.h"

#include "llvm/ADT/ArrayRef.h"

using namespace spmd::explain;
using namespace spmd::rules;

namespace spmd::oracle {

namespace {

using Operands = llvm::ArrayRef<Values>;
using Sample = Values (*)(Operands);

Values one(Dual D) { return {D}; }

Dual product(Operands X) {
  Dual Out = 1;
  for (const Values &Y : X)
    Out = Out * Y[0];
  return Out;
}
/// Each operand has its own weight: in a plain sum mistakes could cancel.
Dual weighted(Operands X) {
  Dual Out;
  for (std::size_t I = 0; I != X.size(); ++I)
    Out = Out + X[I][0] * static_cast<int>(I + 1);
  return Out;
}
Dual squares(Operands X) {
  Dual Out;
  for (const Values &Y : X)
    Out = Out + Y[0] * Y[0];
  return Out;
}
Dual positive(Operands X) {
  Dual Out;
  for (const Values &Y : X)
    Out = Out + (Y[0].Value < 0 ? 0 : Y[0]);
  return Out;
}

/// Functions of the class; on several operands also such as are not symmetric.
std::vector<Sample> samplesOf(OpClass Class) {
  switch (Class) {
  case OpClass::Linear:
    return {[](Operands X) { return one(weighted(X)); }};
  case OpClass::Multilinear:
    return {[](Operands X) { return one(product(X)); }};
  case OpClass::Quotient:
    return {[](Operands X) {
      return one(X[0][0] / (squares(X.drop_front()) + 1));
    }};
  case OpClass::Nonlinear:
    return {[](Operands X) { return one(product(X) + squares(X)); },
            [](Operands X) { return one(positive(X)); }};
  case OpClass::Selector:
    return {[](Operands X) {
      int Count = 0;
      for (const Values &Y : X)
        Count += Rational(0) < Y[0].Value;
      return one(Count);
    }};
  case OpClass::StopGradient:
    return {[](Operands X) { return one(X[0][0].Value); }};
  case OpClass::ShapeOnly: // not a function of the values
  case OpClass::Random:    // nor of the operands alone
  case OpClass::OwnPart:   // nor of a sum, whatever its parts are
    return {};
  }
  return {};
}

TypeSet resultOf(OpClass Class, llvm::ArrayRef<LocalType> Operands,
                 bool LookedAt) {
  const auto SetOf = [&](LocalType T) {
    return LookedAt ? withoutGradient(T) : TypeSet(T);
  };
  TypeSet Out = firstOperand(Class, SetOf(Operands.front()));
  for (LocalType T : Operands.drop_front())
    Out = nextOperand(Class, Out, SetOf(T));
  return LookedAt ? firstOperand(OpClass::Selector, Out) : Out;
}

/// All tuples of one operand to \p Most.
void addCells(OpClass Class, bool LookedAt, unsigned Most,
              std::vector<ClassCell> &Out) {
  for (unsigned Arity = 1; Arity <= Most; ++Arity)
    for (unsigned Code = 0; Code != 1u << (2 * Arity); ++Code) {
      ClassCell C{Class, {}, LocalType::R, false, LookedAt};
      for (unsigned I = 0; I != Arity; ++I)
        C.Operands.push_back(AllLocalTypes[Code >> (2 * I) & 3]);
      const TypeSet Legal = resultOf(Class, C.Operands, LookedAt);
      for (LocalType Result : AllLocalTypes) {
        C.Result = Result;
        C.Accepted = Legal.contains(Result);
        Out.push_back(C);
      }
    }
}

} // namespace

std::string ClassCell::str() const {
  std::string Out = std::string(opClassName(Class)) + "(";
  for (std::size_t I = 0; I != Operands.size(); ++I)
    Out += std::string(I ? ", " : "") + letter(Operands[I]);
  Out += ")";
  return (LookedAt ? "selector(" + Out + ")" : Out) + " -> " + letter(Result);
}

std::string ClassCell::program() const {
  std::string Parameters, Formals, Arguments;
  for (std::size_t I = 0; I != Operands.size(); ++I) {
    const std::string Comma = I ? ", " : "";
    const std::string Name(1, static_cast<char>('a' + I));
    Parameters += Comma + "%" + Name + ": \"x: " + letter(Operands[I]) + "\"";
    Formals += Comma + Name;
    Arguments += Comma + Name + "=%" + Name;
  }
  const std::string Class = std::string(opClassName(this->Class));
  std::string Dst = "%" + std::to_string(Operands.size());
  std::string Body =
      "  " + Dst + " = op some." + Class + "(" + Arguments + ")\n";
  if (LookedAt) {
    const std::string Of =
        std::exchange(Dst, "%" + std::to_string(Operands.size() + 1));
    Body += "  " + Dst + " = op eq(self=" + Of + ")\n";
  }
  return "rule some." + Class + "(" + Formals + ") = \"" + Class + "(" +
         Formals + ")\"\nfunc @\"" + str() + "\"(" + Parameters +
         ") -> \"x: " + letter(Result) + "\" {\nb0:\n" + Body + "  return " +
         Dst + "\n  ->\n}\n";
}

std::vector<ClassCell> classCells() {
  std::vector<ClassCell> Out;
  for (int Class = 0; Class != NumOpClasses; ++Class) {
    const auto Of = static_cast<OpClass>(Class);
    if (samplesOf(Of).empty())
      continue;
    addCells(Of, false, Of == OpClass::StopGradient ? 1 : 3, Out);
    if (passesGradient(Of))
      addCells(Of, true, 3, Out);
  }
  return Out;
}

std::string findCounterexample(const ClassCell &C) {
  for (const Sample F : samplesOf(C.Class)) {
    const auto LookedAt = [F](Operands X) {
      const Rational Value = F(X)[0].Value;
      return one(Value * Value);
    };
    const Judgement J{C.LookedAt ? LocalFunction(LookedAt) : LocalFunction(F),
                      C.Operands, C.Result};
    if (const auto Wrong = findCounterexample(J))
      return C.str() + ": " + Wrong->str(J);
  }
  return {};
}

} // namespace spmd::oracle
