//===- Execute.cpp - Runs on ranks and as meant ---------------------------===//

#include "spmd/oracle/Execute.h"

#include "ExactRules.h"
#include "Semantics.h"

#include "spmd/oracle/StandIn.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

const Shape InputShape = {2, 2};

std::mt19937 randomFor(llvm::StringRef Key, unsigned Seed) {
  return std::mt19937(static_cast<unsigned>(llvm::xxh3_64bits(Key)) + Seed);
}

using Lanes = llvm::SmallVector<bool, 2>; ///< by axis: does it vary

class Run {
public:
  Run(const Trace &T, const Mesh &On, unsigned Seed, const Semantics &S)
      : T(T), On(On), Seed(Seed), S(S), Values(T.Nodes.size()),
        Gradients(T.Nodes.size()), Varies(T.Nodes.size()),
        Pending(T.Nodes.size()), HasLiteral(T.Nodes.size()) {}

  Outcome run() {
    for (unsigned I = 0; I != T.Nodes.size(); ++I) {
      Pending[I] = pendingOf(T.Nodes[I]);
      Varies[I] = lanesOf(T.Nodes[I]);
      HasLiteral[I] = literalsOf(T.Nodes[I]);
      Values[I] = value(T.Nodes[I]);
    }
    for (const Observation &O : T.Observed)
      Out.Values[O.Key] = shown(O.Node, Values[O.Node], O.Types);
    if (!T.Forward)
      backward();
    return std::move(Out);
  }

private:
  std::size_t ranks() const { return static_cast<std::size_t>(On.ranks()); }

  Ranks drawn(llvm::StringRef Key, const MeshTypes &Types, const Shape &Dims) {
    std::mt19937 Random = randomFor(Key, Seed);
    Ranks X = randomMeaning(On, Types, Dims, Random);
    return S.tracksLanes() ? X : distribute(On, Types, std::move(X), Random);
  }

  Outcome::Shown shown(unsigned Node, const Ranks &X,
                       const MeshTypes &Types) const {
    if (!S.tracksLanes())
      return {X, isLegal(On, Types, X), meaning(On, Types, X)};
    // A value that is one is not one per rank, though the numbers be the same;
    // but a literal is whatever it is used for, and so is what it enters.
    bool Fits = true;
    for (unsigned A = 0; A != Types.size(); ++A)
      Fits &= !Types[A] || fits(Node, A, *Types[A]);
    return {X, Fits, X};
  }

  bool fits(unsigned Node, unsigned A, LocalType T) const {
    return Varies[Node][A] ? T == LocalType::V
                           : T != LocalType::V || HasLiteral[Node][A];
  }

  /// The gradient of what is one value, from uses by each rank: their sum.
  void sumOverOne(unsigned Node, unsigned A, Ranks &G) const {
    if (S.tracksLanes() && !Varies[Node][A])
      for (const std::vector<int> &Group : On.groups(A))
        put(copies(sum(select(G, Group)), Group.size()), Group, G);
  }

  Lanes literalsOf(const TraceNode &N) const {
    const bool IsLiteral =
        N.K == TraceNode::Kind::Constant || N.K == TraceNode::Kind::Zero;
    Lanes Out(On.Axes.size(), IsLiteral);
    for (unsigned X : N.Operands)
      for (unsigned A = 0; A != Out.size() && N.K != TraceNode::Kind::Way; ++A)
        Out[A] = Out[A] || HasLiteral[X][A];
    if (N.K == TraceNode::Kind::Transfer)
      for (unsigned A : N.Axes)
        Out[A] = false; // what the collective says
    return Out;
  }

  //===--- Forward --------------------------------------------------------===//

  /// On which axes it is a sum to come.
  Lanes pendingOf(const TraceNode &N) const {
    Lanes Out(On.Axes.size());
    for (unsigned A = 0; A != N.Types.size(); ++A)
      Out[A] = N.Types[A] == LocalType::P;
    for (unsigned X : N.Operands)
      for (unsigned A = 0; A != Out.size() && N.K != TraceNode::Kind::Way; ++A)
        Out[A] = Out[A] || Pending[X][A];
    if (N.K == TraceNode::Kind::Transfer)
      for (unsigned A : N.Axes)
        Out[A] = N.Fact->To && N.Fact->To->Type == LocalType::P;
    return Out;
  }

  /// What one rank leaves of a sum that ranks parted on is what is meant by all
  /// of it: the operand of that choice, else 0.
  unsigned addedOnce(const TraceNode &N) const {
    if (!S.tracksLanes() || N.K != TraceNode::Kind::Choice)
      return 0;
    const TraceNode &Way = T.Nodes[N.Operands[0]];
    if (Way.OnOne == TraceNode::One::None)
      return 0;
    const unsigned A = Way.Axes.front();
    for (unsigned X : llvm::drop_begin(N.Operands))
      if (Varies[X][A] || !Pending[X][A])
        return 0;
    return Way.OnOne == TraceNode::One::First ? 1 : 2;
  }

  Lanes lanesOf(const TraceNode &N) const {
    if (const unsigned Once = addedOnce(N))
      return Varies[N.Operands[Once]];
    Lanes Out(On.Axes.size());
    for (unsigned A = 0; A != N.Types.size(); ++A)
      Out[A] = N.Types[A] == LocalType::V;
    for (unsigned X : N.Operands)
      for (unsigned A = 0; A != Out.size(); ++A)
        Out[A] = Out[A] || Varies[X][A];
    for (unsigned A : N.Axes)
      Out[A] = N.K == TraceNode::Kind::Rank || N.K == TraceNode::Kind::Way ||
               resultVaries(*N.Fact, Out[A]);
    return Out;
  }

  Ranks value(const TraceNode &N) {
    switch (N.K) {
    case TraceNode::Kind::Input:
      return drawn(N.Key, N.Types, InputShape);
    case TraceNode::Kind::Constant: {
      std::mt19937 Random = randomFor(N.Key, 0);
      std::uniform_int_distribution<Number> Some(2, 9);
      return copies({{1, 1}, {Some(Random)}}, ranks());
    }
    case TraceNode::Kind::Zero:
      return copies(Tensor::zeros({1, 1}), ranks());
    case TraceNode::Kind::Rank: {
      Ranks Out(ranks());
      for (const std::vector<int> &Group : On.groups(N.Axes))
        for (std::size_t I = 0; I != Group.size(); ++I)
          Out[static_cast<unsigned>(Group[I])] = {{1, 1},
                                                  {static_cast<Number>(I)}};
      return Out;
    }
    case TraceNode::Kind::Op:
    case TraceNode::Kind::Overlay:
    case TraceNode::Kind::Part:
    case TraceNode::Kind::Way:
    case TraceNode::Kind::Choice: {
      Ranks Out;
      for (std::size_t R = 0; R != ranks(); ++R)
        Out.push_back(elementwise(N, R));
      return Out;
    }
    case TraceNode::Kind::Transfer:
      return transfer(N);
    }
    return {};
  }

  Tangent functionOf(const TraceNode &N, llvm::ArrayRef<Tangent> X) const {
    const auto Scaled = [](Tangent A, Number By) {
      return Tangent{times(A.Value, By), times(A.Slope, By)};
    };
    if (N.K == TraceNode::Kind::Op)
      return isExact(*N.Rule) ? applyExact(*N.Rule, X)
                              : standIn(*N.Rule, X, N.FormalOf);
    if (N.K == TraceNode::Kind::Way)
      return {N.OnOne != TraceNode::One::None ? X[0].Value
                                              : (X[0].Value + N.Visit) & 1};
    if (N.K == TraceNode::Kind::Choice) {
      const unsigned Once = addedOnce(N);
      return Once ? X[Once] : X[0].Value ? X[1] : X[2];
    }
    if (N.K == TraceNode::Kind::Part)
      return Scaled(X[0], X.size() == 2 ? 1 + (X[1].Value & 3) : 1);
    const Tangent Old = Scaled(X[0], 3); // Overlay
    return {plus(Old.Value, X[1].Value), plus(Old.Slope, X[1].Slope)};
  }

  /// The operands of a node on rank \p R, repeated to one shape.
  std::vector<Tensor> operands(const TraceNode &N, std::size_t R) const {
    Shape Dims = {1, 1};
    for (unsigned X : N.Operands)
      for (unsigned D = 0; D != 2; ++D)
        Dims[D] = std::max(Dims[D], Values[X][R].Dims[D]);
    std::vector<Tensor> Out;
    for (unsigned X : N.Operands)
      Out.push_back(isTermOfOther(N, X, R) ? Tensor::zeros(Dims)
                                           : repeat(Values[X][R], Dims));
    return Out;
  }

  /// A sum to come that is added to terms of its ranks is in their sum once: as
  /// meant it is a term of the first of them.
  bool isTermOfOther(const TraceNode &N, unsigned X, std::size_t R) const {
    if (!S.tracksLanes() || N.K != TraceNode::Kind::Op)
      return false;
    const unsigned Node = nodeOf(N);
    for (unsigned A = 0; A != On.Axes.size(); ++A)
      if (Varies[Node][A] && Pending[X][A] && !Varies[X][A] && !isFirst(A, R))
        return true;
    return false;
  }

  bool isFirst(unsigned A, std::size_t R) const {
    return llvm::any_of(On.groups(A), [&](const std::vector<int> &Group) {
      return static_cast<std::size_t>(Group.front()) == R;
    });
  }

  unsigned nodeOf(const TraceNode &N) const {
    return static_cast<unsigned>(&N - T.Nodes.data());
  }

  Tensor elementwise(const TraceNode &N, std::size_t R) const {
    const std::vector<Tensor> X = operands(N, R);
    Tensor Out = Tensor::zeros(X.empty() ? Shape{1, 1} : X.front().Dims);
    llvm::SmallVector<Tangent, 4> At(X.size());
    for (std::size_t E = 0; E != Out.Data.size(); ++E) {
      for (std::size_t I = 0; I != X.size(); ++I)
        At[I] = {X[I].Data[E]};
      Out.Data[E] = functionOf(N, At).Value;
    }
    return Out;
  }

  static Ranks select(const Ranks &X, const std::vector<int> &Group) {
    Ranks Out;
    for (int R : Group)
      Out.push_back(X[static_cast<unsigned>(R)]);
    return Out;
  }
  static void put(Ranks Part, const std::vector<int> &Group, Ranks &Into) {
    for (std::size_t I = 0; I != Group.size(); ++I)
      Into[static_cast<unsigned>(Group[I])] = std::move(Part[I]);
  }

  Ranks transfer(const TraceNode &N) {
    const TransferFact &F = *N.Fact;
    if (F.From && F.To && operatorOf(F.K) &&
        !findTransition(*operatorOf(F.K), F.From->Type, F.To->Type))
      Out.Impossible = "there is no " + nameOf(F);
    if (S.tracksLanes() && F.From)
      for (unsigned A : N.Axes)
        if (!fits(N.Operands[0], A, F.From->Type))
          Out.Impossible = nameOf(F) + " is given another type";
    const Ranks &X = Values[N.Operands[0]];
    const Ranks &Old = N.Operands.size() == 2 ? Values[N.Operands[1]] : X;
    const TransferFact Meant = meantBy(N);
    Ranks Result(ranks());
    for (const std::vector<int> &Group : On.groups(N.Axes))
      put(S.forward(Meant, select(X, Group), select(Old, Group)), Group,
          Result);
    return Result;
  }

  static std::string nameOf(const TransferFact &F) {
    return std::string(transferName(F.K)) + "(" + printAtom(*F.From) + " -> " +
           printAtom(*F.To) + ")";
  }

  /// The types that a collective without any has, as meant: of what varies it
  /// takes each rank's, of what is one it takes the parts of a sum.
  TransferFact meantBy(const TraceNode &N) const {
    TransferFact F = *N.Fact;
    if (!S.tracksLanes() || (F.From && F.To))
      return F;
    const bool FromVarying = Varies[N.Operands[0]][N.Axes.front()];
    F.From = Atom{FromVarying ? LocalType::V : LocalType::P, std::nullopt};
    F.To = Atom{resultVaries(F, FromVarying) ? LocalType::V : LocalType::R,
                std::nullopt};
    if (F.K == TransferKind::OutPartial) {
      F.K = TransferKind::Reinterpret;
      F.To->Type = LocalType::P;
    }
    return F;
  }

  static bool resultVaries(const TransferFact &F, bool OperandVaries) {
    if (F.To)
      return F.To->Type == LocalType::V;
    switch (F.K) {
    case TransferKind::ReduceScatter:
    case TransferKind::AllToAll:
    case TransferKind::Reduce:
      return true;
    case TransferKind::Permute:
      return OperandVaries;
    default:
      return false;
    }
  }

  //===--- Backward -------------------------------------------------------===//

  void backward() {
    for (unsigned I = 0; I != T.Nodes.size(); ++I)
      for (const Tensor &X : Values[I])
        Gradients[I].push_back(Tensor::zeros(X.Dims));
    for (const Observation &O : T.Observed) {
      Ranks G = drawn("gradient of " + O.Key, dual(O.Types),
                      Values[O.Node].front().Dims);
      for (unsigned A = 0; A != O.Types.size(); ++A)
        if (O.Types[A] == LocalType::V)
          sumOverOne(O.Node, A, G);
      accumulate(O.Node, G);
    }
    for (unsigned I = static_cast<unsigned>(T.Nodes.size()); I-- != 0;) {
      const TraceNode &N = T.Nodes[I];
      if (!N.HasGradient)
        continue;
      if (N.K == TraceNode::Kind::Input)
        Out.Gradients[N.Key] = shown(I, Gradients[I], dual(N.Types));
      else if (N.K == TraceNode::Kind::Transfer)
        backwardTransfer(N, Gradients[I]);
      else
        differentiate(N, Gradients[I], Varies[I]);
    }
  }

  void accumulate(unsigned Node, const Ranks &More) {
    for (std::size_t R = 0; R != More.size(); ++R)
      Gradients[Node][R] =
          Gradients[Node][R] + fold(More[R], Values[Node][R].Dims);
  }

  void backwardTransfer(const TraceNode &N, const Ranks &G) {
    const TransferFact Meant = meantBy(N);
    Ranks Result(ranks());
    for (const std::vector<int> &Group : On.groups(N.Axes))
      put(S.backward(Meant, select(G, Group)), Group, Result);
    for (unsigned A : N.Axes)
      if (Meant.From && Meant.From->Type == LocalType::V)
        sumOverOne(N.Operands[0], A, Result);
    accumulate(N.Operands[0], Result);
  }

  void differentiate(const TraceNode &N, const Ranks &G, const Lanes &Lane) {
    for (unsigned I = 0; I != N.Operands.size(); ++I) {
      Ranks Result;
      for (std::size_t R = 0; R != ranks(); ++R)
        Result.push_back(slopeTimes(N, I, G[R], R));
      for (unsigned A = 0; A != Lane.size(); ++A)
        if (Lane[A])
          sumOverOne(N.Operands[I], A, Result);
      accumulate(N.Operands[I], Result);
    }
  }

  Tensor slopeTimes(const TraceNode &N, unsigned Operand, const Tensor &G,
                    std::size_t R) const {
    const std::vector<Tensor> X = operands(N, R);
    Tensor Out = X.front();
    if (isTermOfOther(N, N.Operands[Operand], R))
      return Tensor::zeros(Out.Dims);
    llvm::SmallVector<Tangent, 4> At(X.size());
    for (std::size_t E = 0; E != Out.Data.size(); ++E) {
      for (std::size_t I = 0; I != X.size(); ++I)
        At[I] = {X[I].Data[E], I == Operand};
      Out.Data[E] = times(functionOf(N, At).Slope, G.Data[E]);
    }
    return Out;
  }

  const Trace &T;
  const Mesh &On;
  unsigned Seed;
  const Semantics &S;
  std::vector<Ranks> Values, Gradients;
  std::vector<Lanes> Varies, Pending;
  std::vector<Lanes> HasLiteral; ///< by axis: is one among its sources
  Outcome Out;
};

std::string compare(const std::map<std::string, Outcome::Shown> &Is,
                    const std::map<std::string, Outcome::Shown> &Expected,
                    const std::string &What) {
  for (const auto &[Key, X] : Is) {
    const auto Right = Expected.find(Key);
    if (Right == Expected.end())
      return What + Key + " is new";
    if (!X.Legal || !Right->second.Legal)
      return What + Key + ", " + print(X.Value) + ", is no value of its type";
    if (X.Meaning != Right->second.Meaning)
      return What + Key + " is " + print(X.Value) + " and means " +
             print(X.Meaning) + "; one device has " +
             print(Right->second.Meaning);
  }
  return Is.size() < Expected.size() ? What + "something is missing" : "";
}

} // namespace

Outcome runOnRanks(const Trace &T, const Mesh &On, unsigned Seed) {
  return Run(T, On, Seed, onRanks()).run();
}

Outcome runAsMeant(const Trace &T, const Mesh &On, unsigned Seed) {
  return Run(T, On, Seed, asMeant()).run();
}

std::string difference(const Outcome &Is, const Outcome &Expected) {
  for (const Outcome *O : {&Is, &Expected})
    if (!O->Impossible.empty())
      return O->Impossible;
  std::string Out = compare(Is.Values, Expected.Values, "");
  return Out.empty()
             ? compare(Is.Gradients, Expected.Gradients, "the gradient of ")
             : Out;
}

} // namespace spmd::oracle
