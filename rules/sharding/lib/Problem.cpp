//===- Problem.cpp - What is to be chosen, and what it costs --------------===//

#include "spmd/sharding/Problem.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;
using namespace spmd::planner;

namespace spmd::sharding {

//===--- Variables --------------------------------------------------------===//

/// The types among \p All that agree with an annotation on each axis that it
/// mentions.
static std::vector<ValueType> agreeing(std::vector<ValueType> All,
                                       const TypeSpec &T, const DeviceMesh &M) {
  for (AxisIndex A = 0; A != M.All.size(); ++A) {
    const AxisAtom *Said = T.find(M.All[A].Name);
    if (!Said || M.All[A].Size == 1)
      continue;
    const Atom &Is = Said->Value;
    if (Is.Type == LocalType::V && !Is.ShardDim)
      continue; // nobody says how
    llvm::erase_if(All, [&](const ValueType &X) {
      if (Is.Type == LocalType::P)
        return X.on(A) != LocalType::R;
      if (Is.Type != LocalType::V)
        return X.on(A) != Is.Type;
      const std::size_t Rank = X.Where.Dims.size();
      const std::size_t D = static_cast<std::size_t>(
          *Is.ShardDim < 0 ? *Is.ShardDim + static_cast<int>(Rank)
                           : *Is.ShardDim);
      return D >= Rank || !llvm::is_contained(X.Where.Dims[D], A);
    });
    if (Is.Type == LocalType::P)
      for (ValueType &X : All)
        X.Where.Partial.push_back(A);
  }
  // The order of the axes of a dim is the annotation's.
  for (std::size_t D = 0; T.Global && D != T.Global->Dims.size(); ++D)
    llvm::erase_if(All, [&](const ValueType &X) {
      std::vector<std::string> Has;
      for (AxisIndex A : D < X.Where.Dims.size() ? X.Where.Dims[D] : Axes())
        if (llvm::is_contained(T.Global->Dims[D].Axes, M.All[A].Name))
          Has.push_back(M.All[A].Name);
      std::vector<std::string> Said;
      for (const std::string &Name : T.Global->Dims[D].Axes)
        if (llvm::is_contained(Has, Name))
          Said.push_back(Name);
      return Has != Said;
    });
  return All;
}

/// Whether an annotation gives some dim axes in an order of its own.
static bool saysOrder(const TypeSpec &T) {
  return T.Global && llvm::any_of(T.Global->Dims, [](const DimSpec &D) {
           return D.Axes.size() > 1;
         });
}

static llvm::Error contradiction(PlaceId At, const llvm::Twine &What) {
  return llvm::make_error<GraphError>(Note{At, What.str()});
}

llvm::Error Problem::addStored(ValueId V, Annotations A) {
  const Value &X = G.Values[V];
  Choice C;
  C.Stored = V;
  std::vector<ValueType> All = storedTypes(
      X.Sizes, Costs.Mesh, X.Declared && saysOrder(X.Declared->Entry));
  if (X.Declared && A == Annotations::Keep)
    All = agreeing(std::move(All), X.Declared->Entry, Costs.Mesh);
  if (All.empty())
    return contradiction(X.At, "'" + X.Name +
                                   "' does not divide as its annotation says");
  for (ValueType &T : All) {
    Strategy S;
    const double Elements =
        X.HasDims ? localElements(T.Where, X.Sizes, Costs.Mesh) : 0;
    S.KeptBytes = Elements * X.ElementBytes;
    if (X.From == Value::Source::Weight && X.Differentiable) {
      // Its gradient, and a step of the optimizer on both.
      S.KeptBytes += Elements * (X.ElementBytes + Costs.OptimizerBytes);
      S.Time.Backward =
          2 * S.KeptBytes / Costs.BytesPerSecond / Costs.Accumulate;
    }
    S.Made = std::move(T);
    C.Options.push_back(std::move(S));
  }
  Producer[V] = static_cast<unsigned>(Choices.size());
  Choices.push_back(std::move(C));
  return llvm::Error::success();
}

/// What joins values takes no time, and makes what it is given.
std::vector<Strategy> Problem::joining(const Node &N, Annotations A) const {
  const Value &V = G.Values[*N.Result];
  std::vector<ValueType> All =
      storedTypes(V.Sizes, Costs.Mesh, N.Declared && saysOrder(*N.Declared));
  if (N.Declared && A == Annotations::Keep)
    All = agreeing(std::move(All), *N.Declared, Costs.Mesh);
  std::vector<Strategy> Out;
  for (ValueType &T : All) {
    Strategy S;
    S.Wanted.assign(N.Operands.size(), T);
    S.HasBatch = V.BatchDim.has_value();
    for (std::size_t D = 0; D != T.Where.Dims.size(); ++D)
      if (V.BatchDim == D)
        S.OfBatch = T.Where.Dims[D];
      else
        S.OnlyBatch &= T.Where.Dims[D].empty();
    S.Made = std::move(T);
    Out.push_back(std::move(S));
  }
  return Out;
}

llvm::Error Problem::addNode(unsigned N, Annotations A) {
  const Node &X = G.Nodes[N];
  const unsigned Variable = static_cast<unsigned>(Choices.size());
  for (unsigned I = 0; I != X.Operands.size(); ++I)
    if (X.Operands[I].Value)
      Wants[*X.Operands[I].Value].push_back({Variable, I});
  if (X.Result)
    Producer[*X.Result] = Variable;
  Choices.push_back({std::nullopt, N,
                     X.Joins && G.Values[*X.Result].HasDims
                         ? joining(X, A)
                         : strategiesOf(G, X, Costs)});
  if (!Choices.back().Options.empty())
    return llvm::Error::success();
  return contradiction(X.At, X.Declared ? "'" + X.Name +
                                              "' does not divide as its "
                                              "annotation says"
                                        : "'" + X.Name +
                                              "' cannot be run on this mesh");
}

llvm::Error Problem::addResult(Annotations A) {
  if (!G.Returned || !G.Values[*G.Returned].HasDims)
    return llvm::Error::success();
  const Value &V = G.Values[*G.Returned];
  Choice C;
  std::vector<ValueType> All = storedTypes(
      V.Sizes, Costs.Mesh, G.F->Result && saysOrder(G.F->Result->Entry));
  if (const TypeAnnotation *Said = G.F->Result.get();
      Said && Said->Entry.Global && A == Annotations::Keep) {
    if (Said->Entry.Global->Dims.size() != V.Sizes.size())
      return contradiction(G.ReturnedAt,
                           "the result has " + llvm::Twine(V.Sizes.size()) +
                               " dims, which its annotation does not say");
    All = agreeing(std::move(All), Said->Entry, Costs.Mesh);
  }
  if (All.empty())
    return contradiction(G.ReturnedAt,
                         "the result does not divide as its annotation says");
  for (ValueType &T : All) {
    Strategy S;
    S.Wanted.push_back(std::move(T));
    C.Options.push_back(std::move(S));
  }
  Result = static_cast<unsigned>(Choices.size());
  Wants[*G.Returned].push_back({*Result, 0});
  Choices.push_back(std::move(C));
  return llvm::Error::success();
}

llvm::Expected<Problem> Problem::make(const Graph &G, const CostModel &Costs,
                                      Prices &P, Annotations A) {
  Problem Out(G, Costs, P);
  Out.Wants.resize(G.Values.size());
  Out.Producer.resize(G.Values.size());
  for (ValueId V = 0; V != G.Values.size(); ++V)
    if (G.Values[V].From != Value::Source::Made)
      if (llvm::Error E = Out.addStored(V, A))
        return std::move(E);
  for (unsigned N = 0; N != G.Nodes.size(); ++N)
    if (llvm::Error E = Out.addNode(N, A))
      return std::move(E);
  if (llvm::Error E = Out.addResult(A))
    return std::move(E);
  Out.findNextInput();
  Out.index();
  return std::move(Out);
}

void Problem::findNextInput() {
  if (!Result)
    return;
  for (ValueId V = 0; V != G.Values.size() && !Next; ++V) {
    if (G.Values[V].From != Value::Source::Input)
      continue;
    if (G.Values[V].Sizes != G.Values[*G.Returned].Sizes)
      return;
    // Annotations may say that it is not the same.
    for (const Strategy &From : Choices[*Result].Options)
      for (const Strategy &To : Choices[*Producer[V]].Options)
        if (isReachable(From.Wanted[0], To.Made, Costs.Mesh))
          Next = V;
    return;
  }
}

//===--- Costs ------------------------------------------------------------===//

const ValueType &Problem::made(ValueId V,
                               const std::vector<unsigned> &C) const {
  return Choices[*Producer[V]].Options[C[*Producer[V]]].Made;
}
const ValueType &Problem::wanted(const Want &W,
                                 const std::vector<unsigned> &C) const {
  return Choices[W.Variable].Options[C[W.Variable]].Wanted[W.Operand];
}

double Problem::price(ValueId V, unsigned From, unsigned To) const {
  Types &T = (*TypesOf)[ClassOf[V]];
  std::vector<double> &Row = T.Seconds[From];
  if (Row.empty())
    Row.assign(T.All.size(), -1);
  if (Row[To] < 0) {
    const auto Found = P.redistribution(G.Values[V], T.All[From], T.All[To]);
    Row[To] = Found ? Found->total() : Forbidden;
  }
  return Row[To];
}

double Problem::priceAgain(unsigned ResultOption, unsigned InputOption) const {
  return price(*G.Returned, WantedAs[*Result][ResultOption][0],
               NextAs[Was[*Producer[*Next]][InputOption]]);
}

std::size_t Problem::mostOptions() const {
  std::size_t Out = 0;
  for (const Choice &C : Choices)
    Out = std::max(Out, C.Options.size());
  return Out;
}

double Problem::memory(unsigned C, unsigned Option) const {
  return Choices[C].Options[Option].KeptBytes;
}

double Problem::unary(unsigned C, unsigned Option, double PerByte) const {
  const Strategy &S = Choices[C].Options[Option];
  double Out = S.Time.total() + PerByte * S.KeptBytes;
  if (const std::optional<ValueId> V = Choices[C].Stored) {
    double &Reduction = (*TypesOf)[ClassOf[*V]].Reductions[MadeAs[C][Option]];
    if (Reduction < 0)
      Reduction = P.reduction(G.Values[*V], S.Made).total();
    Out += Reduction;
  }
  return Out;
}

llvm::SmallVector<unsigned, 2> Problem::wants(ValueId V, unsigned U,
                                              unsigned Option) const {
  llvm::SmallVector<unsigned, 2> Out;
  for (const auto &[Of, W] : Operands[U])
    if (Of == V)
      if (const unsigned T = WantedAs[U][Option][W.Operand];
          !llvm::is_contained(Out, T))
        Out.push_back(T);
  return Out;
}

double Problem::timeOf(const std::vector<unsigned> &C) const {
  double Out = 0;
  for (unsigned X = 0; X != Choices.size(); ++X)
    Out += unary(X, C[X], 0);
  for (ValueId V = 0; V != G.Values.size(); ++V) {
    if (!Producer[V])
      continue;
    llvm::SmallVector<unsigned, 4> Seen;
    for (const Want &W : Wants[V]) {
      const unsigned T = WantedAs[W.Variable][C[W.Variable]][W.Operand];
      if (llvm::is_contained(Seen, T))
        continue;
      Seen.push_back(T);
      Out += price(V, MadeAs[*Producer[V]][C[*Producer[V]]], T);
    }
  }
  if (Next)
    Out += priceAgain(C[*Result], C[*Producer[*Next]]);
  return Out;
}

double Problem::memoryOf(const std::vector<unsigned> &C) const {
  double Out = 0;
  for (unsigned X = 0; X != Choices.size(); ++X)
    Out += memory(X, C[X]);
  return Out;
}

} // namespace spmd::sharding
