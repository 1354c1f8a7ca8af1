//===- CheckOpClasses.cpp - The rules of ordinary ops, by numbers ---------===//

#include "spmd/oracle/CheckOpClasses.h"

#include "spmd/oracle/Ranks.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <random>

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

using Numbers = std::vector<Number>; ///< one per operand, or one per rank

/// A function of scalars with its partial derivatives.
struct Sample {
  std::function<Number(const Numbers &)> Value;
  /// Null: nothing flows back.
  std::function<Number(const Numbers &, std::size_t)> Derivative;
};

Number product(const Numbers &X, std::size_t Without) {
  Number Out = 1;
  for (std::size_t I = 0; I != X.size(); ++I)
    Out *= I == Without ? 1 : X[I];
  return Out;
}
constexpr std::size_t None = ~std::size_t(0);

/// 1 + the sum of the squares after the first operand: stands in for 1/divisor,
/// and is as non-linear.
Number divisor(const Numbers &X) {
  Number Out = 1;
  for (std::size_t I = 1; I < X.size(); ++I)
    Out += X[I] * X[I];
  return Out;
}

std::vector<Sample> samplesOf(OpClass Class) {
  switch (Class) {
  case OpClass::Linear:
    return {{[](const Numbers &X) {
               Number Out = 0;
               for (std::size_t I = 0; I != X.size(); ++I)
                 Out += X[I] * static_cast<Number>(I + 1);
               return Out;
             },
             [](const Numbers &, std::size_t I) {
               return static_cast<Number>(I + 1);
             }}};
  case OpClass::Multilinear:
    return {{[](const Numbers &X) { return product(X, None); },
             [](const Numbers &X, std::size_t I) { return product(X, I); }}};
  case OpClass::Quotient:
    return {{[](const Numbers &X) { return X[0] * divisor(X); },
             [](const Numbers &X, std::size_t I) {
               return I == 0 ? divisor(X) : 2 * X[0] * X[I];
             }}};
  case OpClass::Nonlinear:
    return {{[](const Numbers &X) {
               Number Out = product(X, None);
               for (Number N : X)
                 Out += N * N;
               return Out;
             },
             [](const Numbers &X, std::size_t I) {
               return product(X, I) + 2 * X[I];
             }},
            {[](const Numbers &X) {
               Number Out = 0;
               for (Number N : X)
                 Out += N > 0 ? N : 0; // relu
               return Out;
             },
             [](const Numbers &X, std::size_t I) {
               return X[I] > 0 ? Number(1) : Number(0);
             }}};
  case OpClass::Selector:
    return {{[](const Numbers &X) {
               return static_cast<Number>(
                   llvm::count_if(X, [](Number N) { return N > 0; }));
             },
             nullptr}};
  case OpClass::StopGradient:
    return {{[](const Numbers &X) { return X[0]; }, nullptr}};
  case OpClass::ShapeOnly: // not a function of the values
  case OpClass::Random:    // nor of the operands alone
    return {};
  }
  return {};
}

Tensor scalar(Number N) { return {{}, {N}}; }

Ranks ranksOf(const Numbers &X) {
  Ranks Out;
  for (Number N : X)
    Out.push_back(scalar(N));
  return Out;
}

/// One try: operand values on every rank.
class Try {
public:
  Try(const ClassCell &C, const Sample &F, int N, std::mt19937 &Random)
      : C(C), F(F), N(N) {
    for (LocalType T : C.Operands)
      Operands.push_back(legal(T, Random));
    Cotangent = legal(dual(C.Result), Random);
    for (LocalType T : C.Operands)
      Tangents.push_back(legal(T, Random));
  }

  std::string run() {
    for (int R = 0; R != N; ++R)
      Result.push_back(F.Value(onRank(Operands, R)));
    if (!isLegal(layout(C.Result), ranksOf(Result)))
      return shown() + ", which is not " + letter(C.Result);
    if (std::string Wrong = checkMeaning(); !Wrong.empty())
      return Wrong;
    if (F.Derivative)
      for (std::size_t I = 0; I != Operands.size(); ++I)
        if (std::string Wrong = checkGradient(I); !Wrong.empty())
          return Wrong;
    return {};
  }

private:
  static Layout layout(LocalType T) { return {T, std::nullopt}; }

  Numbers legal(LocalType T, std::mt19937 &Random) const {
    std::uniform_int_distribution<Number> Small(-2, 3);
    Numbers Out;
    const Number Common = Small(Random);
    for (int R = 0; R != N; ++R)
      Out.push_back(T == LocalType::R || T == LocalType::I ? Common
                                                           : Small(Random));
    return Out;
  }
  static Numbers onRank(const std::vector<Numbers> &X, int R) {
    Numbers Out;
    for (const Numbers &Operand : X)
      Out.push_back(Operand[static_cast<unsigned>(R)]);
    return Out;
  }

  /// With a varying operand the result means one value per rank, each the
  /// function of that rank's; without, one value.
  std::string checkMeaning() const {
    const bool Varies = llvm::is_contained(C.Operands, LocalType::V);
    if (Varies != (C.Result == LocalType::V))
      return shown() + ", and " +
             (Varies ? "different ranks have different results"
                     : "all ranks have one result") +
             ", which is not what " + letter(C.Result) + " means";
    for (int R = 0; R != (Varies ? N : 1); ++R) {
      Numbers Meanings;
      for (std::size_t I = 0; I != Operands.size(); ++I)
        Meanings.push_back(meaning(C.Operands[I], Operands[I], R));
      const Number Expected = F.Value(Meanings);
      const Number Is = meaning(C.Result, Result, R);
      if (Is != Expected)
        return shown() + ", which means " + std::to_string(Is) +
               ": one device gets " + std::to_string(Expected);
    }
    return {};
  }
  static Number meaning(LocalType T, const Numbers &X, int R) {
    return T == LocalType::V ? X[static_cast<unsigned>(R)]
                             : denotation(layout(T), ranksOf(X)).Data[0];
  }

  std::string checkGradient(std::size_t I) const {
    Numbers Gradient, Image;
    for (int R = 0; R != N; ++R) {
      const auto Rank = static_cast<unsigned>(R);
      const Number Slope = F.Derivative(onRank(Operands, R), I);
      Gradient.push_back(Slope * Cotangent[Rank]);
      Image.push_back(Slope * Tangents[I][Rank]);
    }
    const LocalType T = C.Operands[I];
    const std::string Shown = shown() + "; the gradient " +
                              print(ranksOf(Cotangent)) + " gives operand " +
                              std::to_string(I + 1) + " " +
                              print(ranksOf(Gradient));
    if (!isLegal(layout(dual(T)), ranksOf(Gradient)))
      return Shown + ", which is not " + letter(dual(T));
    if (pairing(layout(T), ranksOf(Gradient), ranksOf(Tangents[I])) !=
        pairing(layout(C.Result), ranksOf(Cotangent), ranksOf(Image)))
      return Shown + ", which is wrong along " + print(ranksOf(Tangents[I]));
    return {};
  }

  std::string shown() const {
    std::string Out = C.str() + ":";
    for (const Numbers &X : Operands)
      Out += " " + print(ranksOf(X));
    return Out + " give " + print(ranksOf(Result));
  }

  const ClassCell &C;
  const Sample &F;
  int N;
  std::vector<Numbers> Operands, Tangents;
  Numbers Cotangent, Result;
};

TypeSet resultOf(OpClass Class, llvm::ArrayRef<LocalType> Operands) {
  TypeSet Out = firstOperand(Class, TypeSet(Operands.front()));
  for (LocalType T : Operands.drop_front())
    Out = nextOperand(Class, Out, TypeSet(T));
  return Out;
}

} // namespace

std::string ClassCell::str() const {
  std::string Out = std::string(opClassName(Class)) + "(";
  for (std::size_t I = 0; I != Operands.size(); ++I)
    Out += std::string(I ? ", " : "") + letter(Operands[I]);
  return Out + ") -> " + letter(Result);
}

std::vector<ClassCell> classCells() {
  std::vector<ClassCell> Out;
  for (int Class = 0; Class != NumOpClasses; ++Class) {
    const auto Of = static_cast<OpClass>(Class);
    if (samplesOf(Of).empty())
      continue;
    const unsigned Most = Of == OpClass::StopGradient ? 1 : 3;
    for (unsigned Arity = 1; Arity <= Most; ++Arity)
      for (unsigned Code = 0; Code != 1u << (2 * Arity); ++Code) {
        ClassCell C{Of, {}, LocalType::R, false};
        for (unsigned I = 0; I != Arity; ++I)
          C.Operands.push_back(AllLocalTypes[Code >> (2 * I) & 3]);
        const TypeSet Legal = resultOf(Of, C.Operands);
        for (LocalType Result : AllLocalTypes) {
          C.Result = Result;
          C.Accepted = Legal.contains(Result);
          Out.push_back(C);
        }
      }
  }
  return Out;
}

std::string findCounterexample(const ClassCell &C) {
  constexpr int Tries = 24;
  std::mt19937 Random(1); // the same tries at every run
  for (const Sample &F : samplesOf(C.Class))
    for (int N = 2; N <= 4; ++N)
      for (int I = 0; I != Tries; ++I)
        if (std::string Wrong = Try(C, F, N, Random).run(); !Wrong.empty())
          return Wrong;
  return {};
}

} // namespace spmd::oracle
