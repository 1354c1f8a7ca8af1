//===- Semantics.cpp - What a collective does, and what it means ----------===//

#include "Semantics.h"

#include "spmd/oracle/Operators.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

/// Tensors are matrices here: a dim counts from either end and no further.
Layout layoutOf(const Atom &A) {
  int Dim = A.ShardDim.value_or(0);
  Dim = Dim < 0 ? Dim + 2 : Dim;
  return {A.Type, std::clamp(Dim, 0, 1)};
}

/// Large enough along \p Dim that \p N ranks have equal pieces.
Tensor splittable(const Tensor &T, int Dim, int N) {
  Shape Dims = T.Dims;
  if (Dims[static_cast<unsigned>(Dim)] % N)
    Dims[static_cast<unsigned>(Dim)] *= N;
  return repeat(T, Dims);
}

Ranks pieces(const Tensor &T, const Layout &L, int N) {
  const Tensor Whole = splittable(T, *L.ShardDim, N);
  Ranks Out;
  for (int R = 0; R != N; ++R)
    Out.push_back(pieceOf(L, Whole, R, N));
  return Out;
}

Ranks each(Number By, Ranks X) {
  for (Tensor &T : X)
    T = By * std::move(T);
  return X;
}

Ranks elementwiseMaximum(const Ranks &X) {
  Tensor Out = X.front();
  for (const Tensor &T : X)
    for (std::size_t I = 0; I != Out.Data.size(); ++I)
      Out.Data[I] = std::max(Out.Data[I], T.Data[I]);
  return copies(Out, X.size());
}

/// The meaning-keeping operator between two types, for redistribute.
const Transition *redistribution(LocalType From, LocalType To) {
  const Transition *Row = llvm::find_if(Transitions, [&](const Transition &T) {
    return T.Src == From && T.Dst == To && T.KeepsMeaning;
  });
  return Row == std::end(Transitions) ? nullptr : Row;
}

class OnRanks : public Semantics {
public:
  Ranks forward(const TransferFact &T, const Ranks &X,
                const Ranks &Old) const override {
    const Atom Varying{LocalType::V, 0};
    const Layout Src = layoutOf(T.From.value_or(Varying));
    const Layout Dst = layoutOf(T.To.value_or(Varying));
    switch (T.K) {
    case TransferKind::AllReduce:
    case TransferKind::ReduceScatter:
    case TransferKind::Reduce:
      return reduce(T, Dst, X, Old);
    case TransferKind::OutPartial:
      return X;
    case TransferKind::Broadcast:
      return copies(X.front(), X.size());
    case TransferKind::Permute: {
      Ranks Out(X.begin() + 1, X.end());
      Out.push_back(X.front());
      return Out;
    }
    case TransferKind::Gather:
    case TransferKind::Scatter:
    case TransferKind::Scan:
    case TransferKind::Keep:
      llvm_unreachable("no trace has them");
    case TransferKind::Redistribute:
      if (const Transition *Row = redistribution(Src.Type, Dst.Type))
        return run(Row->Op, Src, Dst, X);
      return X;
    case TransferKind::AllGather:
    case TransferKind::AllToAll:
    case TransferKind::Reinterpret:
    case TransferKind::Convert:
      return run(*operatorOf(T.K), Src, Dst, X);
    }
    return X;
  }

  Ranks backward(const TransferFact &T, const Ranks &G) const override {
    if (T.K == TransferKind::OutPartial)
      return G;
    const Transition *Row =
        T.K == TransferKind::Redistribute
            ? redistribution(T.From->Type, T.To->Type)
            : findTransition(*operatorOf(T.K), T.From->Type, T.To->Type);
    if (!Row)
      return G;
    const Layout Src = {Row->BackwardSrc, layoutOf(*T.To).ShardDim};
    const Layout Dst = {Row->BackwardDst, layoutOf(*T.From).ShardDim};
    Ranks Out = run(Row->BackwardOp, Src, Dst, G);
    return T.Reduction == ReductionKind::Average
               ? each(inverse(static_cast<Number>(G.size())), std::move(Out))
               : Out;
  }

  bool tracksLanes() const override { return false; }

private:
  static Ranks run(OperatorKind Op, const Layout &Src, const Layout &Dst,
                   Ranks X) {
    const int N = static_cast<int>(X.size());
    // What all_to_all joins and splits along one dim has equal pieces already.
    const bool Rejoins =
        Op == OperatorKind::AllToAll && Src.ShardDim == Dst.ShardDim;
    if (Dst.Type == LocalType::V && Op != OperatorKind::Reinterpret && !Rejoins)
      for (Tensor &T : X)
        T = splittable(T, *Dst.ShardDim, N);
    return apply(Op, Src, Dst, X);
  }

  static Ranks reduce(const TransferFact &T, const Layout &Dst, const Ranks &X,
                      const Ranks &Old) {
    const auto N = static_cast<int>(X.size());
    Tensor Sum = sum(X);
    if (T.Reduction == ReductionKind::Average)
      Sum = inverse(N) * std::move(Sum);
    else if (T.Reduction == ReductionKind::Idempotent ||
             T.Reduction == ReductionKind::Other)
      Sum = elementwiseMaximum(X).front();
    if (T.K == TransferKind::ReduceScatter)
      return pieces(Sum, Dst, N);
    Ranks Out = copies(Sum, X.size());
    if (T.K == TransferKind::Reduce)
      std::copy(Old.begin() + 1, Old.end(), Out.begin() + 1);
    return Out;
  }
};

class AsMeant : public Semantics {
public:
  Ranks forward(const TransferFact &T, const Ranks &X,
                const Ranks &) const override {
    const Layout Src = layoutOf(*T.From), Dst = layoutOf(*T.To);
    const int Size = static_cast<int>(X.size());
    switch (T.K) {
    case TransferKind::Broadcast:
      return copies(X.front(), X.size());
    case TransferKind::Permute:
      return onRanks().forward(T, X, X);
    default:
      break;
    }
    if (Src.Type != LocalType::V && Dst.Type != LocalType::V)
      return each(times(factor(T, Size), share(T, Size)), X);
    if (Src.Type != LocalType::V)
      return T.K == TransferKind::Reinterpret
                 ? X
                 : pieces(share(T, Size) * X[0], Dst, Size);
    if (Dst.Type != LocalType::V)
      return copies(adds(T) ? reduced(T, X) : wholeOf(Src, X), X.size());
    return pieces(T.K == TransferKind::AllToAll ? wholeOf(Src, X)
                                                : reduced(T, X),
                  Dst, Size);
  }

  Ranks backward(const TransferFact &T, const Ranks &G) const override {
    const Layout Src = layoutOf(*T.From), Dst = layoutOf(*T.To);
    const int Size = static_cast<int>(G.size());
    if (Src.Type != LocalType::V && Dst.Type != LocalType::V)
      return each(factor(T, Size), G);
    if (Src.Type != LocalType::V)
      return copies(T.K == TransferKind::Reinterpret ? sum(G) : wholeOf(Dst, G),
                    G.size());
    if (Dst.Type != LocalType::V)
      return adds(T) ? G : pieces(G[0], Src, Size);
    return T.K == TransferKind::AllToAll ? pieces(wholeOf(Dst, G), Src, Size)
                                         : copies(wholeOf(Dst, G), G.size());
  }

  bool tracksLanes() const override { return true; }

private:
  static Number share(const TransferFact &T, int N) {
    return T.Reduction == ReductionKind::Average ? inverse(N) : 1;
  }
  static Tensor reduced(const TransferFact &T, const Ranks &X) {
    if (T.Reduction == ReductionKind::Idempotent ||
        T.Reduction == ReductionKind::Other)
      return elementwiseMaximum(X).front();
    return share(T, static_cast<int>(X.size())) * sum(X);
  }
  /// Taking one number for a part of a sum counts it once a rank.
  static Number factor(const TransferFact &T, int N) {
    const bool Counts = T.K == TransferKind::Reinterpret &&
                        T.From->Type == LocalType::R &&
                        T.To->Type == LocalType::P;
    return Counts ? N : 1;
  }
  static bool adds(const TransferFact &T) {
    return T.K == TransferKind::Reinterpret || T.K == TransferKind::AllReduce;
  }
};

} // namespace

const Semantics &onRanks() {
  static const OnRanks S;
  return S;
}

const Semantics &asMeant() {
  static const AsMeant S;
  return S;
}

} // namespace spmd::oracle
