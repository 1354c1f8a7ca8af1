//===- FindFactors.cpp - The factors of an op on whole tensors ------------===//

#include "FindFactors.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::sharding {

namespace {

/// Whether nothing flows back through an op.
bool stopsGradients(const RuleTerm &T) {
  if (T.K == RuleTerm::Kind::Operand)
    return false;
  if (T.K == RuleTerm::Kind::Source)
    return true;
  return T.Class == OpClass::Selector || T.Class == OpClass::StopGradient ||
         T.Class == OpClass::ShapeOnly || T.Class == OpClass::OwnPart ||
         llvm::all_of(T.Children, stopsGradients);
}

Extent wholeSize(const Graph &G, const Node &N, const SizeTerm &T) {
  if (T.Tensor == SlotId::None) {
    auto It = G.Sizes.find(T.Variable);
    return It == G.Sizes.end() ? Extent::variable(T.Variable)
                               : Extent::number(It->second);
  }
  for (const auto &[S, V] : N.Measured)
    if (S == T.Tensor && G.Values[V].HasDims) {
      const planner::Shape &Sizes = G.Values[V].Sizes;
      const std::int64_t D =
          T.Dim < 0 ? T.Dim + static_cast<int>(Sizes.size()) : T.Dim;
      if (D >= 0 && D < static_cast<std::int64_t>(Sizes.size()))
        return Extent::number(Sizes[static_cast<std::size_t>(D)]);
    }
  return {};
}

void setDims(const Graph &G, const Node &N, const PartitionSpec &Spec,
             Value &Made) {
  for (const ShardedDim &D : Spec.Dims) {
    const std::optional<std::int64_t> Size = D.Size.asNumber();
    if (!Size) {
      Made.Sizes.clear();
      Made.Written.clear();
      return;
    }
    Made.Sizes.push_back(*Size);
    Made.Written.push_back(std::to_string(*Size));
  }
  Made.HasDims = true;
  if (!N.Rule)
    return;
  // The batch is where its factor is the outermost of a dim.
  for (std::size_t I = 0; I != N.Operands.size(); ++I) {
    if (!N.Operands[I].Value || !G.Values[*N.Operands[I].Value].BatchDim ||
        I >= N.Rule->Operands.size())
      continue;
    const unsigned D = *G.Values[*N.Operands[I].Value].BatchDim;
    if (D >= N.Rule->Operands[I].size() || N.Rule->Operands[I][D].empty())
      continue;
    const unsigned Factor = N.Rule->Operands[I][D].front();
    for (unsigned R = 0; R != N.Rule->Result.size(); ++R)
      if (!N.Rule->Result[R].empty() && N.Rule->Result[R].front() == Factor &&
          !Made.BatchDim)
        Made.BatchDim = R;
  }
}

/// The product that an argument says, of whole tensors.
std::optional<std::int64_t> valueOf(const Graph &G, const Node &N,
                                    const SizeValue &V) {
  Extent Out = Extent::number(V.Number) / Extent::number(V.Divisor);
  for (const SizeTerm &T : V.Terms)
    for (int E = 0; E != std::abs(T.Exponent); ++E)
      Out =
          T.Exponent > 0 ? Out * wholeSize(G, N, T) : Out / wholeSize(G, N, T);
  return Out.asNumber();
}

/// New tensors have no factors, only the sizes that they are given.
void setCreatedDims(const Graph &G, const Node &N, Value &Made) {
  const ShapeRule &Rule = *N.Op->Rule->Shape;
  llvm::SmallVector<llvm::StringRef, 2> Names;
  if (!Rule.Parameters.empty())
    llvm::StringRef(Rule.Parameters[0].Name).split(Names, '|');
  for (const OpArgument &A : N.Op->Arguments) {
    const auto *Sizes = A.Value && llvm::is_contained(Names, A.Name)
                            ? std::get_if<SizeList>(&*A.Value)
                            : nullptr;
    PartitionSpec Spec;
    for (const std::optional<SizeValue> &S : Sizes ? *Sizes : SizeList()) {
      const auto Size = S ? valueOf(G, N, *S) : std::nullopt;
      if (!Size || *Size <= 0)
        return;
      Spec.Dims.push_back({Extent::number(*Size), {}});
    }
    if (Sizes)
      return setDims(G, N, Spec, Made);
  }
}

/// Why there is none; empty when there is, or when that was said before.
std::string findRule(const Graph &G, Node &N, const Value *WrittenValue,
                     Value &Made) {
  const OpFact &O = *N.Op;
  std::vector<PartitionSpec> Specs(N.Operands.size());
  llvm::SmallVector<const PartitionSpec *, 4> Operands;
  for (std::size_t I = 0; I != Specs.size(); ++I) {
    Operands.push_back(nullptr);
    if (!N.Operands[I].Value)
      continue;
    const Value &V = G.Values[*N.Operands[I].Value];
    if (!V.HasDims && V.From == Value::Source::Made)
      return {};
    if (!V.HasDims)
      return "is given '" + V.Name + "', whose annotation says no dims";
    planner::Layout Whole;
    Whole.Dims.resize(V.Sizes.size());
    Specs[I] = specOf(Whole, V.Sizes);
    Operands.back() = &Specs[I];
  }
  PartitionSpec WrittenSpec;
  const PartitionSpec *Written = nullptr;
  if (WrittenValue && WrittenValue->HasDims) {
    planner::Layout Whole;
    Whole.Dims.resize(WrittenValue->Sizes.size());
    WrittenSpec = specOf(Whole, WrittenValue->Sizes);
    Written = &WrittenSpec;
  }
  const auto SizeOf = [&](const SizeTerm &T) { return wholeSize(G, N, T); };
  const ShapedCall Call{O.Rule, O.FormalOf, Operands, O.Arguments,
                        SizeOf, &G.Axes,    Written,  false};
  FactorRuleOr Rule = factorRuleOf(Call);
  if (const auto *Open = std::get_if<Undecided>(&Rule))
    return "depends on " + Open->On + ", which is not known";
  if (std::holds_alternative<SpecViolation>(Rule))
    return "does not fit the dims of its operands";
  if (std::get<FactorRule>(Rule).ResultIsWritten) {
    if (Written)
      setDims(G, N, *Written, Made);
    return "writes what it is not given";
  }
  auto Result = propagate(std::get<FactorRule>(Rule), Call, {}, {});
  const auto *Fits = std::get_if<Propagation>(&Result);
  if (!Fits)
    return "does not fit the dims of its operands";
  N.Rule = std::move(std::get<FactorRule>(Rule));
  if (N.Rule->HasResult)
    setDims(G, N, Fits->Result, Made);
  return {};
}

} // namespace

Value findFactors(Graph &G, Node &N, const Value *Written) {
  Value Made;
  Made.Differentiable = false;
  Made.ElementBytes = 0;
  for (const Node::Use &U : N.Operands)
    if (U.Value) {
      const Value &V = G.Values[*U.Value];
      Made.Differentiable |= V.Differentiable;
      if (V.Differentiable && V.ElementBytes > Made.ElementBytes) {
        Made.ElementBytes = V.ElementBytes;
        Made.DType = V.DType;
      }
    }
  Made.Differentiable &= !stopsGradients(N.Op->Rule->Term);
  if (Made.ElementBytes == 0)
    Made.ElementBytes = 4;
  const bool IsNew = N.Op->Rule->Shape &&
                     N.Op->Rule->Shape->Notations.empty() &&
                     N.Op->Rule->Shape->Term == ShapeTerm::Create;
  if (IsNew)
    setCreatedDims(G, N, Made);
  if (IsNew && Made.HasDims)
    return Made;
  const std::string Why = N.Op->Rule->Shape ? findRule(G, N, Written, Made)
                                            : "has no rule for dims";
  if (!N.Rule && !Why.empty())
    G.note(N.At, "'" + N.Name + "' " + Why +
                     ": it is taken to need whole tensors, and to take no "
                     "time");
  else if (N.Rule && !Made.HasDims)
    G.note(N.At, "the dims of what '" + N.Name + "' makes are not known");
  return Made;
}

} // namespace spmd::sharding
