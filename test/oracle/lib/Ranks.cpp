//===- Ranks.cpp - A value on the simulated ranks of one axis -------------===//

#include "spmd/oracle/Ranks.h"

#include "spmd/types/ShardRange.h"

#include <cassert>

using namespace spmd::rules;

namespace spmd::oracle {

std::string Layout::str() const {
  return Type == LocalType::V && ShardDim
             ? "S(" + std::to_string(*ShardDim) + ")"
             : std::string(1, letter(Type));
}

Tensor pieceOf(const Layout &L, const Tensor &Whole, int R, int N) {
  const int Dim = L.ShardDim.value_or(0);
  const auto [Begin, End] =
      shardOf({0, Whole.Dims[static_cast<unsigned>(Dim)]}, N, R);
  Tensor Out =
      slice(Whole, Dim, static_cast<int>(Begin), static_cast<int>(End - Begin));
  if (!L.ShardDim)
    Out.Dims.erase(Out.Dims.begin());
  return Out;
}

Tensor wholeOf(const Layout &L, const Ranks &Pieces) {
  return L.ShardDim ? concat(Pieces, *L.ShardDim) : stack(Pieces);
}

bool isLegal(const Layout &L, const Ranks &X) {
  if (L.Type == LocalType::V || L.Type == LocalType::P)
    return true;
  for (const Tensor &T : X)
    if (!(T == X.front()))
      return false;
  return true;
}

Tensor sum(const Ranks &X) {
  Tensor Out = X.front();
  for (std::size_t R = 1; R != X.size(); ++R)
    Out = Out + X[R];
  return Out;
}

Tensor denotation(const Layout &L, const Ranks &X) {
  switch (L.Type) {
  case LocalType::R:
  case LocalType::I:
    return X.front();
  case LocalType::V:
    return wholeOf(L, X);
  case LocalType::P:
    return sum(X);
  }
  return {};
}

std::vector<Ranks> basis(const Layout &L, const Shape &Meaning, int N) {
  std::vector<Ranks> Out;
  const Tensor Zero = Tensor::zeros(Meaning);
  for (std::size_t K = 0; K != Zero.Data.size(); ++K) {
    Tensor Unit = Zero;
    Unit.Data[K] = 1;
    if (L.Type == LocalType::R || L.Type == LocalType::I) {
      Out.emplace_back(static_cast<std::size_t>(N), Unit);
    } else if (L.Type == LocalType::V) {
      Ranks X;
      for (int R = 0; R != N; ++R)
        X.push_back(pieceOf(L, Unit, R, N));
      Out.push_back(std::move(X));
    } else {
      for (int R = 0; R != N; ++R) {
        Ranks X(static_cast<std::size_t>(N), Zero);
        X[static_cast<unsigned>(R)] = Unit;
        Out.push_back(std::move(X));
      }
    }
  }
  return Out;
}

Number pairing(const Layout &L, const Ranks &Cotangent, const Ranks &Tangent) {
  assert(Cotangent.size() == Tangent.size());
  Number Out = 0;
  for (std::size_t R = 0; R != Tangent.size(); ++R)
    Out += dot(Cotangent[R], Tangent[R]);
  return L.Type == LocalType::I ? Out
                                : Out * static_cast<Number>(Tangent.size());
}

std::string print(const Ranks &X) {
  std::string Out = "[";
  for (std::size_t R = 0; R != X.size(); ++R) {
    Out += R ? " |" : "";
    for (std::size_t I = 0; I != X[R].Data.size(); ++I)
      Out += (R || I ? " " : "") + std::to_string(X[R].Data[I]);
  }
  return Out + "]";
}

} // namespace spmd::oracle
