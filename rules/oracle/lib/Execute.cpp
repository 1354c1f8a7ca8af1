//===- Execute.cpp - Programs of the IR, run on ranks and as meant --------===//

#include "spmd/oracle/Execute.h"

#include "spmd/oracle/Operators.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <random>

using namespace spmd::rules;

namespace spmd::oracle {

llvm::ArrayRef<ElementOp> elementOps() {
  static constexpr ElementOp All[] = {
      {"add", 2, [](const Number *X) { return plus(X[0], X[1]); },
       [](const Number *, unsigned) { return Number(1); }},
      {"sub", 2, [](const Number *X) { return plus(X[0], times(-1, X[1])); },
       [](const Number *, unsigned I) { return Number(I == 0 ? 1 : -1); }},
      {"neg", 1, [](const Number *X) { return times(-1, X[0]); },
       [](const Number *, unsigned) { return Number(-1); }},
      {"mul", 2, [](const Number *X) { return times(X[0], X[1]); },
       [](const Number *X, unsigned I) { return X[1 - I]; }},
      {"square", 1, [](const Number *X) { return times(X[0], X[0]); },
       [](const Number *X, unsigned) { return times(2, X[0]); }},
      {"relu", 1, [](const Number *X) { return X[0] > 0 ? X[0] : Number(0); },
       [](const Number *X, unsigned) { return Number(X[0] > 0 ? 1 : 0); }},
      {"detach", 1, [](const Number *X) { return X[0]; },
       [](const Number *, unsigned) { return Number(0); }},
  };
  return All;
}

namespace {

Layout tuple(LocalType T) { return {T, std::nullopt}; }

Tensor scaled(Tensor T, Number By) {
  for (Number &X : T.Data)
    X = times(X, By);
  return T;
}

/// The rows of a tensor's leading dim.
Ranks rows(const Tensor &T, int N) {
  Ranks Out;
  for (int R = 0; R != N; ++R)
    Out.push_back(pieceOf(tuple(LocalType::V), T, R, N));
  return Out;
}

/// How an operator acts: on what the ranks hold, or on what it means.
class Semantics {
public:
  virtual ~Semantics() = default;
  virtual Ranks forward(const TransferFact &T, const Ranks &X) const = 0;
  virtual Ranks backward(const TransferFact &T, const Ranks &G) const = 0;
};

class OnRanks : public Semantics {
public:
  Ranks forward(const TransferFact &T, const Ranks &X) const override {
    return apply(*operatorOf(T.K), tuple(T.From->Type), tuple(T.To->Type), X);
  }
  Ranks backward(const TransferFact &T, const Ranks &G) const override {
    const Transition *Row =
        findTransition(*operatorOf(T.K), T.From->Type, T.To->Type);
    return apply(Row->BackwardOp, tuple(Row->BackwardSrc),
                 tuple(Row->BackwardDst), G);
  }
};

/// Independent of the table: each step's meaning and its transpose.
class AsMeant : public Semantics {
public:
  explicit AsMeant(int N) : N(N) {}

  Ranks forward(const TransferFact &T, const Ranks &X) const override {
    const bool FromV = T.From->Type == LocalType::V;
    const bool ToV = T.To->Type == LocalType::V;
    const bool Reinterprets = T.K == TransferKind::Reinterpret;
    if (!FromV && !ToV)
      return {scaled(X[0], factor(T))};
    if (!FromV)
      return Reinterprets ? Ranks(static_cast<std::size_t>(N), X[0])
                          : rows(X[0], N);
    if (!ToV)
      return {adds(T) ? sum(X) : stack(X)};
    return rows(sum(X), N); // reduce_scatter of what varies
  }
  Ranks backward(const TransferFact &T, const Ranks &G) const override {
    const bool FromV = T.From->Type == LocalType::V;
    const bool ToV = T.To->Type == LocalType::V;
    const bool Reinterprets = T.K == TransferKind::Reinterpret;
    const auto Copies = [&](const Tensor &X) {
      return Ranks(static_cast<std::size_t>(N), X);
    };
    if (!FromV && !ToV)
      return {scaled(G[0], factor(T))};
    if (!FromV)
      return {Reinterprets ? sum(G) : stack(G)};
    if (!ToV)
      return adds(T) ? Copies(G[0]) : rows(G[0], N);
    return Copies(stack(G));
  }

private:
  Number factor(const TransferFact &T) const {
    const bool Counts = T.K == TransferKind::Reinterpret &&
                        T.From->Type == LocalType::R &&
                        T.To->Type == LocalType::P;
    return Counts ? N : 1;
  }
  static bool adds(const TransferFact &T) {
    return T.K == TransferKind::Reinterpret || T.K == TransferKind::AllReduce;
  }

  int N;
};

/// Values by slot, in lanes, and their gradients. What all ranks share has one
/// lane as meant, and is broadcast beside what varies.
class Tape {
public:
  Tape(const Program &P, const Semantics &S) : P(P), S(S) {}

  const Ranks &forward(const std::vector<Ranks> &Parameters) {
    for (std::uint32_t I = 0; I != Parameters.size(); ++I)
      Values[I] = Parameters[I];
    for (const Fact &F : facts())
      if (const auto *O = std::get_if<OpFact>(&F))
        Values[index(O->Dst)] = value(*O);
      else if (const auto *T = std::get_if<TransferFact>(&F))
        Values[index(T->Dst)] = S.forward(*T, Values[index(T->Src.Slot)]);
    return Values[resultSlot()];
  }

  std::vector<Ranks> backward(const Ranks &Cotangent) {
    accumulate(SlotId(resultSlot()), Cotangent);
    for (const Fact &F : llvm::reverse(facts()))
      if (const auto *O = std::get_if<OpFact>(&F))
        differentiate(*O);
      else if (const auto *T = std::get_if<TransferFact>(&F))
        accumulate(T->Src.Slot, S.backward(*T, gradient(T->Dst)));
    std::vector<Ranks> Out;
    for (std::uint32_t I = 0; I != P.Types.size(); ++I)
      Out.push_back(gradient(SlotId(I)));
    return Out;
  }

private:
  const std::vector<Fact> &facts() const { return P.F->Blocks[0].Facts; }
  std::uint32_t resultSlot() const {
    return index(std::get<ReturnFact>(facts().back()).Value.Slot);
  }
  static const Tensor &lane(const Ranks &X, std::size_t L) {
    return X[X.size() == 1 ? 0 : L];
  }
  static const ElementOp &elementOpOf(const OpFact &O) {
    return *llvm::find_if(elementOps(), [&](const ElementOp &K) {
      return O.Rule->Name == K.Name;
    });
  }
  std::size_t lanesOf(const OpFact &O) {
    std::size_t Lanes = 1;
    for (const Operand &X : O.Operands)
      Lanes = std::max(Lanes, Values[index(X.Slot)].size());
    return Lanes;
  }
  /// The operands' values of one element in one lane.
  void element(const OpFact &O, std::size_t L, std::size_t E, Number *Out) {
    for (const Operand &X : O.Operands)
      *Out++ = lane(Values[index(X.Slot)], L).Data[E];
  }

  Ranks value(const OpFact &O) {
    Ranks Out;
    Number X[2];
    for (std::size_t L = 0, Lanes = lanesOf(O); L != Lanes; ++L) {
      Tensor T = lane(Values[index(O.Operands[0].Slot)], L);
      for (std::size_t E = 0; E != T.Data.size(); ++E) {
        element(O, L, E, X);
        T.Data[E] = elementOpOf(O).Value(X);
      }
      Out.push_back(std::move(T));
    }
    return Out;
  }

  void differentiate(const OpFact &O) {
    const Ranks G = gradient(O.Dst);
    Number X[2];
    for (unsigned I = 0; I != O.Operands.size(); ++I) {
      Ranks Out = G;
      for (std::size_t L = 0; L != G.size(); ++L)
        for (std::size_t E = 0; E != G[L].Data.size(); ++E) {
          element(O, L, E, X);
          Out[L].Data[E] = times(elementOpOf(O).Derivative(X, I), G[L].Data[E]);
        }
      // What was broadcast collects from all lanes.
      const bool Broadcast =
          Values[index(O.Operands[I].Slot)].size() == 1 && Out.size() > 1;
      accumulate(O.Operands[I].Slot, Broadcast ? Ranks{sum(Out)} : Out);
    }
  }

  const Ranks &gradient(SlotId Slot) {
    Ranks &G = Gradients[index(Slot)];
    if (G.empty())
      for (const Tensor &T : Values[index(Slot)])
        G.push_back(Tensor::zeros(T.Dims));
    return G;
  }
  void accumulate(SlotId Slot, const Ranks &More) {
    gradient(Slot);
    Ranks &G = Gradients[index(Slot)];
    for (std::size_t L = 0; L != G.size(); ++L)
      G[L] = G[L] + More[L];
  }

  const Program &P;
  const Semantics &S;
  llvm::DenseMap<std::uint32_t, Ranks> Values, Gradients;
};

Ranks randomValue(LocalType T, const Shape &Dims, int N, std::mt19937 &Random) {
  std::uniform_int_distribution<Number> Small(-3, 3);
  Ranks Out;
  for (int R = 0; R != N; ++R) {
    const bool Shared = T == LocalType::R || T == LocalType::I;
    Out.push_back(Shared && R ? Out.front() : Tensor::zeros(Dims));
    if (!Shared || !R)
      for (Number &X : Out.back().Data)
        X = Small(Random);
  }
  return Out;
}

/// N lanes of what varies, one of what it means otherwise.
Ranks meaning(LocalType T, const Ranks &X) {
  return T == LocalType::V ? X : Ranks{denotation(tuple(T), X)};
}

} // namespace

std::string checkProgram(const Program &P, LocalType Result, int N,
                         unsigned Seed) {
  std::mt19937 Random(Seed);
  std::vector<Ranks> Parameters, Meanings;
  for (std::size_t I = 0; I != P.Types.size(); ++I) {
    Parameters.push_back(randomValue(P.Types[I], P.Shapes[I], N, Random));
    Meanings.push_back(meaning(P.Types[I], Parameters.back()));
  }
  const OnRanks Distributed;
  const AsMeant Single(N);
  Tape There(P, Distributed), Here(P, Single);
  const Ranks Y = There.forward(Parameters);
  const Ranks Expected = Here.forward(Meanings);
  if (!isLegal(tuple(Result), Y))
    return "the result " + print(Y) + " is not " + letter(Result);
  if (meaning(Result, Y) != Expected)
    return "the result " + print(Y) + " is not what one device computes, " +
           print(Expected);
  const Ranks Cotangent = randomValue(dual(Result), Y.front().Dims, N, Random);
  const std::vector<Ranks> G = There.backward(Cotangent);
  const std::vector<Ranks> Right =
      Here.backward(meaning(dual(Result), Cotangent));
  for (std::size_t I = 0; I != P.Types.size(); ++I) {
    const LocalType T = dual(P.Types[I]);
    const std::string Which = "the gradient of parameter " + std::to_string(I) +
                              ", " + print(G[I]) + ", is not ";
    if (!isLegal(tuple(T), G[I]))
      return Which + letter(T);
    if (meaning(T, G[I]) != Right[I])
      return Which + "what one device computes, " + print(Right[I]);
  }
  return {};
}

} // namespace spmd::oracle
