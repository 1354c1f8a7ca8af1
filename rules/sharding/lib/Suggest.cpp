//===- Suggest.cpp - Specs that make a function fastest -------------------===//

#include "spmd/sharding/Suggest.h"

#include "spmd/sharding/Search.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;
using namespace spmd::planner;

namespace spmd::sharding {

namespace {

/// Tells what was chosen.
class Reporter {
public:
  Reporter(const Problem &P, const CostModel &Costs, Prices &Price,
           const std::vector<unsigned> &C)
      : P(P), G(P.graph()), Costs(Costs), Price(Price), C(C) {}

  StepTimes times() const {
    StepTimes Out;
    for (unsigned X = 0; X != C.size(); ++X) {
      const Strategy &S = P.choices()[X].Options[C[X]];
      Out.Forward.Compute += S.Time.Forward;
      Out.Backward.Compute += S.Time.Backward;
    }
    for (const Transition &T : transitions()) {
      Out.Forward.Communication += T.Forward.Seconds;
      Out.Backward.Communication +=
          T.Backward.Seconds /
          (T.IsGradient && G.Values[T.Of].From == Value::Source::Weight
               ? Costs.Accumulate
               : 1);
    }
    return Out;
  }

  std::vector<Transition> transitions() const {
    std::vector<Transition> Out;
    for (ValueId V = 0; V != G.Values.size(); ++V)
      if (P.producerOf(V))
        addUses(V, Out);
    llvm::sort(Out, [](const Transition &A, const Transition &B) {
      return std::pair(A.At, A.Of) < std::pair(B.At, B.Of);
    });
    if (const std::optional<ValueId> Next = P.nextInput()) {
      const Want Last{*P.resultVariable(), 0};
      const ValueType &From = P.wanted(Last, C), &To = P.made(*Next, C);
      if (!(From == To)) {
        add(*G.Returned, From, To, G.ReturnedAt, "the next layer's input", Out);
        Out.back().IsNextLayer = true;
      }
    }
    for (ValueId V = 0; V != G.Values.size(); ++V)
      if (G.Values[V].From != Value::Source::Made)
        addReduction(V, Out);
    return Out;
  }

  std::vector<PendingSum> pendingSums() const {
    std::vector<PendingSum> Out;
    for (unsigned X = 0; X != C.size(); ++X)
      if (const Strategy &S = P.choices()[X].Options[C[X]]; !S.Added.empty())
        Out.push_back({G.Nodes[*P.choices()[X].NodeId].At, S.Added});
    return Out;
  }

  std::vector<SuggestedType> types() const {
    std::vector<SuggestedType> Out;
    for (ValueId V = 0; V != G.Values.size(); ++V) {
      const Value &X = G.Values[V];
      if (X.From == Value::Source::Made || !X.HasDims)
        continue;
      const std::string Was = printTypeAnnotation(*X.Declared);
      // One that says what becomes of it is the user's in full.
      Out.push_back({X.Name, X.Slot, X.At, Was,
                     X.Declared->Exit
                         ? Was
                         : print(P.made(V, C), X.DType, X.Written, Costs.Mesh),
                     P.made(V, C)});
    }
    for (const Description &D : G.Descriptions)
      describe(D, Out);
    if (const std::optional<unsigned> R = P.resultVariable()) {
      const TypeAnnotation *Said = G.F->Result.get();
      const Value &X = G.Values[*G.Returned];
      std::vector<std::string> Written = X.Written;
      std::string DType = X.DType;
      if (Said && Said->Entry.Global) {
        Written.clear();
        for (const DimSpec &D : Said->Entry.Global->Dims)
          Written.push_back(D.Extent);
        DType = Said->Entry.Global->DType;
      }
      const ValueType &T = P.wanted({*R, 0}, C);
      Out.push_back({"", SlotId::None, G.F->ResultAt,
                     Said ? printTypeAnnotation(*Said) : "",
                     print(T, DType, Written, Costs.Mesh), T});
    }
    return Out;
  }

private:
  /// Where an operator goes around what makes a value, it is what is described.
  void describe(const Description &D, std::vector<SuggestedType> &Out) const {
    std::vector<Transition> Moves;
    addUses(D.Of, Moves);
    const ValueType &T = !Moves.empty() && Moves.front().WrapsProducer
                             ? Moves.front().ToType
                             : P.made(D.Of, C);
    std::vector<std::string> Written;
    for (const DimSpec &X : D.Is->Global->Dims)
      Written.push_back(X.Extent);
    SuggestedType New{D.Name,
                      SlotId::None,
                      D.At,
                      printTypeSpec(*D.Is),
                      print(T, D.Is->Global->DType, Written, Costs.Mesh),
                      T};
    for (SuggestedType &Old : Out)
      if (Old.At == New.At) { // called more than once
        if (Old.Is != New.Is)
          Old.Is = Old.Was;
        return;
      }
    Out.push_back(std::move(New));
  }

  void add(ValueId V, const ValueType &From, const ValueType &To, PlaceId At,
           llvm::StringRef Name, std::vector<Transition> &Out) const {
    const Value &X = G.Values[V];
    Transition T;
    T.Of = V;
    T.At = At;
    T.Uses.push_back(At);
    T.Name = Name.str();
    T.FromType = From;
    T.ToType = To;
    T.From = print(From, "", X.Written, Costs.Mesh);
    T.To = print(To, "", X.Written, Costs.Mesh);
    if (!X.HasDims) // "[...]{tp: I}"
      for (std::string *Text : {&T.From, &T.To})
        Text->insert(1, "...");
    if (X.HasDims) {
      T.Forward = Price.plan(X, From.Where, To.Where);
      if (X.Differentiable)
        T.Backward = Price.plan(X, gradientOf(To, Costs.Mesh),
                                gradientOf(From, Costs.Mesh));
    }
    T.ForwardBytes = T.Forward.Received * X.ElementBytes;
    T.BackwardBytes = T.Backward.Received * X.ElementBytes;
    Out.push_back(std::move(T));
  }

  void addUses(ValueId V, std::vector<Transition> &Out) const {
    const std::size_t Begin = Out.size();
    bool AllMove = true;
    for (const Want &W : P.wantsOf(V)) {
      const ValueType &From = P.made(V, C), &To = P.wanted(W, C);
      if (From == To) {
        AllMove = false;
        continue;
      }
      const Choice &User = P.choices()[W.Variable];
      const PlaceId At = User.NodeId
                             ? G.Nodes[*User.NodeId].Operands[W.Operand].At
                             : G.ReturnedAt;
      const auto Same =
          llvm::find_if(llvm::drop_begin(Out, Begin),
                        [&](const Transition &T) { return T.ToType == To; });
      if (Same != Out.end()) {
        Same->Uses.push_back(At);
        continue;
      }
      add(V, From, To, At, G.Values[V].Name, Out);
      // Where ways meet there is no expression: it goes around what is made.
      if (At == PlaceId::None)
        Out.back().At = G.Values[V].At;
    }
    if (AllMove && Out.size() == Begin + 1 && G.Values[V].Maker &&
        !G.Nodes[*G.Values[V].Maker].Joins) {
      Out.back().WrapsProducer = true;
      Out.back().MadeAt = G.Nodes[*G.Values[V].Maker].At;
    }
  }

  void addReduction(ValueId V, std::vector<Transition> &Out) const {
    const Value &X = G.Values[V];
    const Layout Pending = gradientOf(P.made(V, C), Costs.Mesh);
    const Layout Whole{Pending.Dims, {}};
    if (!X.Differentiable || !X.HasDims || Pending == Whole)
      return;
    Transition T;
    T.Of = V;
    T.At = X.At;
    T.Name = X.Name;
    T.IsGradient = true;
    T.Backward = Price.plan(X, Pending, Whole);
    T.From = planner::print(Pending, X.Written, Costs.Mesh);
    T.To = planner::print(Whole, X.Written, Costs.Mesh);
    T.BackwardBytes = T.Backward.Received * X.ElementBytes;
    if (T.Backward.Collectives)
      Out.push_back(std::move(T));
  }

  const Problem &P;
  const Graph &G;
  const CostModel &Costs;
  Prices &Price;
  const std::vector<unsigned> &C;
};

llvm::Error addBaseline(const Graph &G, const CostModel &Costs, Prices &Price,
                        const SearchLimits &Limits, Suggestion &Out) {
  CostModel Unlimited = Costs;
  Unlimited.MemoryBytes.reset();
  bool Any = false;
  llvm::Expected<Problem> All =
      Problem::make(G, Unlimited, Price, Annotations::Ignore);
  if (!All)
    return All.takeError();
  for (const Axes &Batch : batchAxes(G, Costs.Mesh)) {
    Problem P = All->narrowed([&](unsigned C, unsigned O) {
      return All->isDataParallel(C, O, Batch);
    });
    if (llvm::any_of(P.choices(),
                     [](const Choice &C) { return C.Options.empty(); }))
      continue;
    P.removeDominated();
    const Solution S = search(P, Unlimited, Limits);
    const StepTimes T = Reporter(P, Unlimited, Price, S.Choice).times();
    if (Any && T.total() >= Out.DataParallel.total())
      continue;
    Any = true;
    Out.DataParallel = T;
    Out.DataParallelBytes = P.memoryOf(S.Choice);
    std::vector<std::string> Names;
    for (AxisIndex A : Batch)
      Names.push_back(Costs.Mesh.All[A].Name);
    Out.DataParallelAxes = Names.empty() ? "" : printAxes(Names);
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Suggestion> suggestSharding(const Function &F,
                                           const CostModel &Costs,
                                           const SuggestOptions &Options) {
  llvm::Expected<Graph> G = buildGraph(F, Costs.Mesh, Options.Graph);
  if (!G)
    return G.takeError();
  Suggestion Out;
  Out.Mesh = Costs.Mesh;
  Prices Price(Costs);
  llvm::Expected<Problem> P =
      Problem::make(*G, Costs, Price, Annotations::Keep);
  if (!P)
    return P.takeError();
  Price.Left = Budget(Options.MaxSteps);
  // What is reported has the prices of its plans in any case.
  if (P->mostOptions() <= Options.Limits.MaxOptions)
    P->removeDominated();
  else
    Price.beRough();
  const Solution S = search(*P, Costs, Options.Limits);
  const Reporter R(*P, Costs, Price, S.Choice);
  Out.Types = R.types();
  Out.Transitions = R.transitions();
  Out.PendingSums = R.pendingSums();
  Out.Time = R.times();
  Out.MemoryBytes = P->memoryOf(S.Choice);
  Out.IsExact = S.IsExact;
  Out.IsCutOff = !S.IsExact && Price.Left.wasCut();
  Price.Left = Budget(Options.MaxSteps);
  Out.LowerBound = S.LowerBound;
  Out.FitsMemory = S.FitsMemory;
  if (llvm::Error E = addBaseline(*G, Costs, Price, Options.Limits, Out))
    return std::move(E);
  Out.Of = std::move(*G);
  return Out;
}

} // namespace spmd::sharding
