//===- NamedProducts.cpp - Products and windows, by their names -----------===//

#include "NamedProducts.h"

#include "spmd/oracle/LayerKernels.h"

#include <numeric>

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

using Operands = llvm::ArrayRef<Tensor>;

/// The operand of that name; null: the call does not give it.
const Tensor *operand(const SpecCall &Call, Operands Of, llvm::StringRef Name) {
  for (std::size_t I = 0; I != Call.FormalOf.size(); ++I)
    if (Call.Op->Formals[Call.FormalOf[I]].Name == Name)
      return &Of[I];
  return nullptr;
}

MaybeTensor sum(Operands Of) {
  return broadcast(Of, [](llvm::ArrayRef<Number> X) {
    return std::accumulate(X.begin(), X.end(), Number(0), plus);
  });
}
MaybeTensor product(Operands Of) {
  return broadcast(Of, [](llvm::ArrayRef<Number> X) {
    return std::accumulate(X.begin(), X.end(), Number(1), times);
  });
}

template <std::size_t Left, std::size_t Right>
MaybeTensor matrices(const SpecCall &, Operands Of) {
  return Of.size() == 2 && Of[0].Dims.size() == Left &&
                 Of[1].Dims.size() == Right
             ? matrixProduct(Of[0], Of[1])
             : std::nullopt;
}
MaybeTensor anyMatrices(const SpecCall &, Operands Of) {
  return Of.size() == 2 ? matrixProduct(Of[0], Of[1]) : std::nullopt;
}

MaybeTensor outerProduct(const SpecCall &, Operands Of) {
  return Of.size() == 2 ? einsum("i,j->ij", Of) : std::nullopt;
}

/// Over the last dims, all others beside each other.
MaybeTensor innerProduct(const SpecCall &, Operands Of) {
  if (Of.size() != 2 || Of[0].Dims.empty() || Of[1].Dims.empty())
    return std::nullopt;
  const std::string Left =
                        std::string("abcd").substr(4 - Of[0].Dims.size() + 1),
                    Right =
                        std::string("efgh").substr(4 - Of[1].Dims.size() + 1);
  return einsum(Left + "k," + Right + "k->" + Left + Right, Of);
}

/// x times the transposed weight, plus the bias.
MaybeTensor linear(const SpecCall &Call, Operands Of) {
  const Tensor *X = operand(Call, Of, "input"),
               *W = operand(Call, Of, "weight"),
               *Bias = operand(Call, Of, "bias");
  if (!X || !W || X->Dims.empty() || W->Dims.empty() || W->Dims.size() > 2)
    return std::nullopt;
  const MaybeTensor Out =
      einsum(W->Dims.size() == 1 ? "...k,k->..." : "...k,nk->...n", {*X, *W});
  return Out && Bias ? sum({*Out, *Bias}) : Out;
}

MaybeTensor bilinear(const SpecCall &Call, Operands Of) {
  const Tensor *X = operand(Call, Of, "input1"),
               *Y = operand(Call, Of, "input2"),
               *W = operand(Call, Of, "weight"),
               *Bias = operand(Call, Of, "bias");
  if (!X || !Y || !W)
    return std::nullopt;
  const MaybeTensor Out = einsum("...a,...b,nab->...n", {*X, *Y, *W});
  return Out && Bias ? sum({*Out, *Bias}) : Out;
}

/// beta * self + alpha * a product of the next two.
MaybeTensor addProduct(const SpecCall &Call, Operands Of,
                       llvm::StringRef Equation) {
  const Tensor *Self = operand(Call, Of, "self"),
               *Beta = operand(Call, Of, "beta"),
               *Alpha = operand(Call, Of, "alpha");
  std::vector<Tensor> Factors;
  for (std::size_t I = 0; I != Call.FormalOf.size(); ++I)
    if (Call.FormalOf[I] == 1 || Call.FormalOf[I] == 2)
      Factors.push_back(Of[I]);
  if (Factors.size() != 2)
    return std::nullopt;
  MaybeTensor Product = einsum(Equation, Factors);
  if (Product && Alpha)
    Product = product({*Product, *Alpha});
  if (!Product || !Self)
    return Product;
  const MaybeTensor Added = Beta ? product({*Self, *Beta}) : *Self;
  const MaybeTensor Out = Added ? sum({*Added, *Product}) : std::nullopt;
  return Out && Out->Dims == Product->Dims ? Out : std::nullopt;
}
MaybeTensor addmm(const SpecCall &Call, Operands Of) {
  return addProduct(Call, Of, "mk,kn->mn");
}
MaybeTensor addmv(const SpecCall &Call, Operands Of) {
  return addProduct(Call, Of, "mk,k->m");
}
MaybeTensor addr(const SpecCall &Call, Operands Of) {
  return addProduct(Call, Of, "m,n->mn");
}
MaybeTensor addbmm(const SpecCall &Call, Operands Of) {
  return addProduct(Call, Of, "bmk,bkn->mn");
}
MaybeTensor baddbmm(const SpecCall &Call, Operands Of) {
  return addProduct(Call, Of, "bmk,bkn->bmn");
}

MaybeTensor transposed(const SpecCall &, Operands Of) {
  if (Of.size() != 1 || Of[0].Dims.empty() || Of[0].Dims.size() > 2)
    return std::nullopt;
  return Of[0].Dims.size() == 1 ? Of[0] : permuted(Of[0], {1, 0});
}

/// Columns, or the elements of a vector.
MaybeTensor splitColumns(const SpecCall &, Operands Of) {
  if (Of.size() != 1 || Of[0].Dims.empty())
    return std::nullopt;
  return mixInto(Of[0], Of[0].Dims.size() > 1 ? 1 : 0, 2);
}

/// Dims of size one before the others, from three on one behind them as well.
template <std::size_t Dims>
MaybeTensor atLeast(const SpecCall &Call, Operands Of) {
  const Tensor *Self = operand(Call, Of, "self");
  if (!Self)
    return std::nullopt;
  Tensor Out = *Self;
  if (Dims == 3 && Out.Dims.size() < 3 && !Out.Dims.empty())
    Out.Dims.push_back(1);
  while (Out.Dims.size() < Dims)
    Out.Dims.insert(Out.Dims.begin(), 1);
  return Out;
}

/// Windows of the last dims, each a mix of all.
template <std::size_t Dims> MaybeTensor pooled(const SpecCall &, Operands Of) {
  if (Of.empty() || Of[0].Dims.size() < Dims)
    return std::nullopt;
  Tensor Out = Of[0];
  for (std::size_t D = 1; D <= Dims; ++D)
    Out = mixInto(Out, static_cast<int>(Out.Dims.size() - D), 2);
  return Out;
}

/// One number for each matrix.
MaybeTensor perMatrix(const SpecCall &, Operands Of) {
  if (Of.size() != 1 || Of[0].Dims.size() < 2)
    return std::nullopt;
  const auto Rank = static_cast<int>(Of[0].Dims.size());
  return reduceDims(Of[0], {Rank - 2, Rank - 1}, /*Keep=*/false, /*Mix=*/true);
}

constexpr NamedProduct Products[] = {
    {"matmul", anyMatrices},
    {"mm", matrices<2, 2>},
    {"mv", matrices<2, 1>},
    {"bmm", matrices<3, 3>},
    {"dot vdot", matrices<1, 1>},
    {"outer", outerProduct},
    {"inner", innerProduct},
    {"linear", linear},
    {"bilinear", bilinear},
    {"addmm", addmm},
    {"addmv", addmv},
    {"addr", addr},
    {"addbmm", addbmm},
    {"baddbmm", baddbmm},
    {"t t_copy", transposed},
    {"hsplit", splitColumns},
    {"atleast_1d", atLeast<1>},
    {"atleast_2d", atLeast<2>},
    {"atleast_3d", atLeast<3>},
    {"avg_pool1d adaptive_avg_pool1d max_pool1d adaptive_max_pool1d "
     "upsample_nearest1d upsample_linear1d",
     pooled<1>},
    {"avg_pool2d adaptive_avg_pool2d max_pool2d adaptive_max_pool2d "
     "upsample_nearest2d upsample_bilinear2d upsample_bicubic2d",
     pooled<2>},
    {"avg_pool3d adaptive_avg_pool3d max_pool3d adaptive_max_pool3d "
     "upsample_nearest3d upsample_trilinear3d",
     pooled<3>},
    {"det logdet linalg_cond linalg_matrix_rank", perMatrix},
};

} // namespace

llvm::ArrayRef<NamedProduct> namedProducts() { return Products; }

} // namespace spmd::oracle
