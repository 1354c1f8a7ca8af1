//===- Judgement.cpp - Whether an op may have these types -----------------===//

#include "spmd/explain/Judgement.h"

#include "llvm/ADT/STLExtras.h"

#include <random>

using namespace spmd::rules;

namespace spmd::explain {

namespace {

bool isShared(LocalType T) { return T == LocalType::R || T == LocalType::I; }

bool agree(const Values &A, const Values &B) {
  return llvm::equal(
      A, B, [](const Dual &X, const Dual &Y) { return X.Value == Y.Value; });
}

bool isLegal(LocalType T, const RankValues &X) {
  return !isShared(T) ||
         llvm::all_of(X, [&](const Values &Y) { return agree(Y, X.front()); });
}

/// To rank \p R: its own value of what varies, the common one, or the sum.
Values meaning(LocalType T, const RankValues &X, std::size_t R) {
  if (T == LocalType::V)
    return X[R];
  if (isShared(T))
    return X.front();
  Values Out = X.front();
  for (const Values &More : llvm::drop_begin(X))
    for (std::size_t I = 0; I != Out.size(); ++I)
      Out[I] = Out[I] + More[I];
  return Out;
}

Rational dot(const Values &A, const Values &B) {
  Rational Out;
  for (std::size_t I = 0; I != A.size(); ++I)
    Out = Out + A[I].Value * B[I].Value;
  return Out;
}

/// N times the pairing of a cotangent with a tangent of type \p T: all ranks
/// hold the whole gradient of what is invariant.
Rational pairing(LocalType T, const RankValues &Cotangent,
                 const RankValues &Tangent) {
  Rational Out;
  for (std::size_t R = 0; R != Tangent.size(); ++R)
    Out = Out + dot(Cotangent[R], Tangent[R]);
  return T == LocalType::I
             ? Out
             : Out * Rational(static_cast<std::int64_t>(Tangent.size()));
}

/// The numbers of a try: multiples of a unit.
struct Pool {
  std::int64_t Low, High;
  Rational Unit = 1;
};

/// One try: operand values on every rank.
class Try {
public:
  Try(const Judgement &J, std::size_t N, Pool From, std::mt19937 &Random)
      : J(J), N(N), Numbers(From.Low, From.High), Unit(From.Unit),
        Random(Random) {
    for (LocalType T : J.Operands)
      C.Operands.push_back(legal(T, J.Elements));
  }

  std::optional<Counterexample> run() {
    for (std::size_t R = 0; R != N; ++R)
      C.Result.push_back(J.F(onRank(R)));
    if (!isLegal(J.Result, C.Result) || !meansTheSame())
      return C;
    const std::size_t Elements = C.Result.front().size();
    C.Cotangent = legal(dual(J.Result), Elements);
    for (unsigned I = 0; I != J.Operands.size(); ++I)
      if (!hasRightGradient(I)) {
        C.WrongGradient = I;
        return C;
      }
    return std::nullopt;
  }

private:
  RankValues legal(LocalType T, std::size_t Elements) {
    RankValues Out;
    for (std::size_t R = 0; R != N; ++R) {
      if (R && isShared(T)) {
        Out.push_back(Out.front());
        continue;
      }
      Values X;
      for (std::size_t I = 0; I != Elements; ++I)
        X.push_back(Dual(Rational(Numbers(Random)) * Unit));
      Out.push_back(std::move(X));
    }
    return Out;
  }

  std::vector<Values> onRank(std::size_t R) const {
    std::vector<Values> Out;
    for (const RankValues &X : C.Operands)
      Out.push_back(X[R]);
    return Out;
  }

  /// With a varying operand the result means one value per rank, each the
  /// function of that rank's; without, one value. What does not depend on the
  /// varying operand is one value all the same.
  bool meansTheSame() {
    const bool Varies = llvm::is_contained(J.Operands, LocalType::V);
    if (Varies ? J.Result == LocalType::P : J.Result == LocalType::V)
      return false;
    for (std::size_t R = 0; R != (Varies ? N : 1); ++R) {
      std::vector<Values> Meanings;
      for (std::size_t I = 0; I != C.Operands.size(); ++I)
        Meanings.push_back(meaning(J.Operands[I], C.Operands[I], R));
      const Values Expected = J.F(Meanings);
      const Values Is = meaning(J.Result, C.Result, R);
      if (agree(Is, Expected))
        continue;
      C.Meaning = print({Is});
      C.Expected = print({Expected});
      return false;
    }
    return true;
  }

  bool hasRightGradient(unsigned I) {
    const LocalType T = J.Operands[I];
    const RankValues Tangent = legal(T, J.Elements);
    C.Gradient.assign(N, Values(J.Elements));
    RankValues Image;
    for (std::size_t R = 0; R != N; ++R) {
      Values Along(C.Cotangent[R].size());
      for (std::size_t E = 0; E != J.Elements; ++E) {
        std::vector<Values> Here = onRank(R);
        Here[I][E].Slope = 1;
        const Values Out = J.F(Here);
        for (std::size_t K = 0; K != Out.size(); ++K) {
          C.Gradient[R][E] =
              C.Gradient[R][E] + Out[K].Slope * C.Cotangent[R][K].Value;
          Along[K] = Along[K] + Out[K].Slope * Tangent[R][E].Value;
        }
      }
      Image.push_back(std::move(Along));
    }
    C.GradientIsLegal = isLegal(dual(T), C.Gradient);
    return C.GradientIsLegal && pairing(T, C.Gradient, Tangent) ==
                                    pairing(J.Result, C.Cotangent, Image);
  }

  const Judgement &J;
  std::size_t N;
  std::uniform_int_distribution<std::int64_t> Numbers;
  Rational Unit;
  std::mt19937 &Random;
  Counterexample C;
};

} // namespace

std::string print(const RankValues &X) {
  std::string Out = "[";
  for (const Values &Y : X) {
    Out += &Y == &X.front() ? "" : " |";
    for (const Dual &D : Y)
      Out += (Out.size() > 1 ? " " : "") + D.Value.str();
  }
  return Out + "]";
}

std::string Counterexample::str(const Judgement &J) const {
  std::string Out;
  for (const RankValues &X : Operands)
    Out += (Out.empty() ? "" : " ") + print(X);
  Out += " give " + print(Result);
  const bool Varies = llvm::is_contained(J.Operands, LocalType::V);
  if (WrongGradient) {
    const LocalType T = dual(J.Operands[*WrongGradient]);
    Out += "; the gradient " + print(Cotangent) + " gives operand " +
           std::to_string(*WrongGradient + 1) + " " + print(Gradient);
    return Out + (GradientIsLegal ? ", which is wrong"
                                  : std::string(", which is not ") + letter(T));
  }
  if (!Expected.empty())
    return Out + ", which means " + Meaning + ": one device gets " + Expected;
  if (!isLegal(J.Result, Result))
    return Out + ", which is not " + letter(J.Result);
  return Out + ", and " +
         (Varies ? "different ranks have different results"
                 : "all ranks have one result") +
         ", which is not what " + letter(J.Result) + " means";
}

std::optional<Counterexample> findCounterexample(const Judgement &J,
                                                 unsigned Tries) {
  std::mt19937 Random(1); // the same tries at every run
  for (std::size_t N = 2; N <= 4; ++N) {
    std::optional<Counterexample> Found;
    // A wrong value is plainer than a wrong gradient.
    const auto Shows = [&](const Pool &From) {
      std::optional<Counterexample> Wrong = Try(J, N, From, Random).run();
      if (Wrong && (!Found || !Wrong->WrongGradient))
        Found = std::move(Wrong);
      return Found && !Found->WrongGradient;
    };
    // Ones first: the fewer different numbers, the plainer the example.
    for (const Pool From : {Pool{1, 1}, Pool{1, 2}})
      if (Shows(From))
        return Found;
    // Truth values, small integers, and numbers between them.
    const Pool Pools[] = {{0, 1}, {-2, 3}, {-3, 4, Rational(1) / 2}};
    for (unsigned I = 0; I != Tries; ++I)
      if (Shows(Pools[I % 3]))
        return Found;
    if (Found)
      return Found;
  }
  return std::nullopt;
}

} // namespace spmd::explain
