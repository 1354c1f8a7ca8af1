//===- Operators.cpp - The operators between types, executed --------------===//

#include "spmd/oracle/Operators.h"

#include <algorithm>

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

Ranks everywhere(const Tensor &T, int N) {
  return Ranks(static_cast<std::size_t>(N), T);
}

Ranks pieces(const Layout &L, const Tensor &Whole, int N) {
  Ranks Out;
  for (int R = 0; R != N; ++R)
    Out.push_back(pieceOf(L, Whole, R, N));
  return Out;
}

/// The rank's own piece where it belongs, zeros for all others.
Ranks padded(const Layout &Src, const Ranks &X) {
  Ranks Out;
  for (std::size_t R = 0; R != X.size(); ++R) {
    Ranks Alone;
    for (std::size_t Other = 0; Other != X.size(); ++Other)
      Alone.push_back(Other == R ? X[R] : Tensor::zeros(X[Other].Dims));
    Out.push_back(wholeOf(Src, Alone));
  }
  return Out;
}

Ranks convert(const Layout &Src, const Layout &Dst, const Ranks &X) {
  const int N = static_cast<int>(X.size());
  if (Src.Type == LocalType::V)
    return padded(Src, X);
  if (Dst.Type == LocalType::V)
    return pieces(Dst, X.front(), N);
  if (Dst.Type == LocalType::P) {
    Ranks Out = everywhere(Tensor::zeros(X.front().Dims), N);
    Out.front() = X.front();
    return Out;
  }
  return X; // between R and I
}

} // namespace

/// The root has what is given, all others zeros.
static Ranks onRoot(const Tensor &T, int N) {
  Ranks Out = everywhere(Tensor::zeros(T.Dims), N);
  Out.back() = T;
  return Out;
}

Ranks apply(OperatorKind Op, const Layout &Src, const Layout &Dst,
            const Ranks &X, bool Transposed) {
  const int N = static_cast<int>(X.size());
  switch (Op) {
  case OperatorKind::Permute: {
    Ranks Out = X;
    const auto Middle = Transposed ? Out.begin() + 1 : Out.end() - 1;
    std::rotate(Out.begin(), Middle, Out.end());
    return Out;
  }
  case OperatorKind::Broadcast:
    return everywhere(X.back(), N);
  case OperatorKind::Reduce:
    return onRoot(sum(X), N);
  case OperatorKind::Keep:
    return onRoot(X.back(), N);
  case OperatorKind::AllReduceMax:
  case OperatorKind::AllReduceMin:
  case OperatorKind::Barrier:
    break; // no rows
  case OperatorKind::AllReduce:
    return everywhere(sum(X), N);
  case OperatorKind::AllGather:
    return everywhere(wholeOf(Src, X), N);
  case OperatorKind::ReduceScatter:
    return pieces(Dst, sum(X), N);
  case OperatorKind::AllToAll:
    return pieces(Dst, wholeOf(Src, X), N);
  case OperatorKind::Reinterpret:
    return X;
  case OperatorKind::Convert:
    return convert(Src, Dst, X);
  }
  return {};
}

} // namespace spmd::oracle
