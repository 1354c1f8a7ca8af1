//===- SpecReference.cpp - What an op with a shape rule computes ----------===//
//
// Length: one short reference for each shape term, and nothing else.
//
//===----------------------------------------------------------------------===//

#include "spmd/oracle/SpecReference.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace spmd::rules;

namespace spmd::oracle {

//===--- The call ---------------------------------------------------------===//

const OpArgument *SpecCall::argument(llvm::StringRef Names) const {
  llvm::SmallVector<llvm::StringRef, 4> Each;
  Names.split(Each, '|', -1, false);
  for (const OpArgument &A : Arguments)
    if (llvm::is_contained(Each, A.Name))
      return &A;
  return nullptr;
}

std::optional<Index> SpecCall::numbers(unsigned P) const {
  const ShapeRule &S = *Op->Shape;
  if (P >= S.Parameters.size())
    return std::nullopt;
  const OpArgument *A = argument(S.Parameters[P].Name);
  if (!A)
    return S.Parameters[P].Default
               ? std::optional(
                     Index{static_cast<int>(*S.Parameters[P].Default)})
               : std::nullopt;
  if (const auto *One = std::get_if<SizeValue>(&*A->Value))
    return Index{static_cast<int>(One->Number)};
  if (const auto *Flag = std::get_if<bool>(&*A->Value))
    return Index{*Flag};
  Index Out;
  if (const auto *List = std::get_if<SizeList>(&*A->Value))
    for (const std::optional<SizeValue> &V : *List)
      Out.push_back(static_cast<int>(V->Number));
  return Out;
}

bool SpecCall::flag(unsigned P) const {
  const auto N = numbers(P);
  return N && !N->empty() && N->front() != 0;
}

std::optional<std::string> SpecCall::text(unsigned P) const {
  const OpArgument *A = argument(Op->Shape->Parameters[P].Name);
  const auto *Text = A ? std::get_if<std::string>(&*A->Value) : nullptr;
  return Text ? std::optional(*Text) : std::nullopt;
}

/// Terms that take no notice of formals after the first.
static bool isOfFirst(const ShapeRule &S) {
  using T = ShapeTerm;
  return S.Notations.empty() && S.Of.empty() &&
         llvm::is_contained({T::Sum, T::Fold, T::Along, T::Swap, T::Permute,
                             T::Move, T::Reverse, T::Insert, T::Remove,
                             T::Reshape, T::Flatten, T::Unflatten, T::Expand,
                             T::Repeat, T::Interleave, T::Part, T::Pad,
                             T::Pick},
                            S.Term);
}

llvm::SmallVector<SpecCall::Spoken, 4> SpecCall::spoken() const {
  llvm::SmallVector<Spoken, 4> Out;
  const ShapeRule &S = *Op->Shape;
  const auto Take = [&](unsigned Formal, unsigned Position) {
    for (unsigned I = 0; I != FormalOf.size(); ++I)
      if (FormalOf[I] == Formal)
        Out.push_back({I, Position});
  };
  for (unsigned F = 0; F != Op->Formals.size(); ++F) {
    if (S.Of.empty() && (F == 0 || !isOfFirst(S)))
      Take(F, F);
  }
  for (unsigned P = 0; P != S.Of.size(); ++P)
    for (unsigned F = 0; F != Op->Formals.size(); ++F)
      if (Op->Formals[F].Name == S.Of[P].Name)
        Take(F, P);
  return Out;
}

std::string SpecCall::str() const {
  std::string Out = Op->Name + "(";
  const auto Number = [](const std::optional<SizeValue> &V) {
    return std::to_string(V->Number);
  };
  for (const OpArgument &A : Arguments) {
    Out += (&A == Arguments.begin() ? "" : ", ") + A.Name + "=";
    if (const auto *One = std::get_if<SizeValue>(&*A.Value))
      Out += Number(*One);
    if (const auto *Flag = std::get_if<bool>(&*A.Value))
      Out += *Flag ? "true" : "false";
    if (const auto *Text = std::get_if<std::string>(&*A.Value))
      Out += *Text;
    if (std::holds_alternative<OpArgument::None>(*A.Value))
      Out += "none";
    if (const auto *List = std::get_if<SizeList>(&*A.Value)) {
      Out += "{";
      for (const std::optional<SizeValue> &V : *List)
        Out += (&V == List->begin() ? "" : ",") + Number(V);
      Out += "}";
    }
  }
  return Out + ")";
}

//===--- The term of the rule ---------------------------------------------===//

namespace {

Number nonlinear(Number X) { return plus(times(X, plus(X, 1)), 1); }

/// What a class makes of the values of its children.
Number apply(OpClass C, llvm::ArrayRef<Number> X) {
  Number Sum = 0, Product = 1;
  for (std::size_t I = 0; I != X.size(); ++I) {
    Sum = plus(Sum, times(static_cast<Number>(I) + 1, X[I]));
    Product = times(Product, X[I]);
  }
  switch (C) {
  case OpClass::Linear:
  case OpClass::StopGradient:
    return Sum;
  case OpClass::Multilinear:
    return Product;
  case OpClass::Quotient: {
    Number Out = X.front();
    for (Number D : X.drop_front())
      Out = times(Out, plus(times(D, D), 1));
    return Out;
  }
  case OpClass::ShapeOnly:
    return 1;
  case OpClass::Nonlinear:
  case OpClass::Selector:
  case OpClass::Random:
    return nonlinear(Sum);
  }
  return 0;
}

class Combiner {
public:
  using Hook = llvm::function_ref<Tensor(Tensor, llvm::ArrayRef<unsigned>)>;
  Combiner(const SpecCall &Call, llvm::ArrayRef<Tensor> Operands, Hook After)
      : Call(Call), Operands(Operands), After(After) {}

  /// Nothing for operands that the call does not give; Failed where shapes do
  /// not fit.
  MaybeTensor value(const RuleTerm &T, llvm::SmallVectorImpl<unsigned> &Of) {
    if (T.K == RuleTerm::Kind::Source)
      return Tensor{{}, {T.Source == SourceKind::Zero ? 0 : 3}};
    std::vector<Tensor> Children;
    if (T.K == RuleTerm::Kind::Operand) {
      for (unsigned I = 0; I != Call.FormalOf.size(); ++I)
        if (Call.FormalOf[I] == T.Operand) {
          Of.push_back(I);
          Children.push_back(After(Operands[I], {I}));
        }
      if (Children.empty())
        return std::nullopt;
      if (Children.size() == 1)
        return Children[0];
      return made(OpClass::Multilinear, Children, Of);
    }
    for (const RuleTerm &C : T.Children) {
      // The members of a list are operands of the class alike.
      if (C.K == RuleTerm::Kind::Operand) {
        for (unsigned I = 0; I != Call.FormalOf.size(); ++I)
          if (Call.FormalOf[I] == C.Operand) {
            Of.push_back(I);
            Children.push_back(After(Operands[I], {I}));
          }
        continue;
      }
      if (MaybeTensor X = value(C, Of))
        Children.push_back(std::move(*X));
    }
    return Children.empty() ? std::nullopt : made(T.Class, Children, Of);
  }
  bool Failed = false;

private:
  MaybeTensor made(OpClass C, llvm::ArrayRef<Tensor> Children,
                   llvm::ArrayRef<unsigned> Of) {
    MaybeTensor Out = broadcast(
        Children, [&](llvm::ArrayRef<Number> X) { return apply(C, X); });
    Failed |= !Out;
    return Out ? MaybeTensor(After(std::move(*Out), Of)) : std::nullopt;
  }

  const SpecCall &Call;
  llvm::ArrayRef<Tensor> Operands;
  Hook After;
};

} // namespace

MaybeTensor
combine(const SpecCall &Call, llvm::ArrayRef<Tensor> Operands,
        llvm::function_ref<Tensor(Tensor, llvm::ArrayRef<unsigned>)> After) {
  llvm::SmallVector<unsigned, 4> Of;
  Combiner C(Call, Operands, After);
  MaybeTensor Out = C.value(Call.Op->Term, Of);
  return C.Failed ? std::nullopt : Out;
}

//===--- Terms ------------------------------------------------------------===//

namespace {

using T = ShapeTerm;

class Reference {
public:
  Reference(const SpecCall &Call, llvm::ArrayRef<Tensor> Given,
            const ShardCounts *Whole)
      : Call(Call), Shape(*Call.Op->Shape), Whole(Whole),
        Operands(Given.begin(), Given.end()), Spoken(Call.spoken()) {}

  MaybeTensor run() {
    // What the alternative does not speak of plays some part, all of it.
    for (unsigned I = 0; I != Operands.size(); ++I)
      if (llvm::none_of(
              Spoken, [&](const SpecCall::Spoken &S) { return S.Actual == I; }))
        Operands[I] = reduceDims(Operands[I], allDims(Operands[I]),
                                 /*Keep=*/false, /*Mix=*/true);
    if (!Shape.Notations.empty())
      return runNotation(Call, Shape.Notations.front(), Operands);
    if (Spoken.empty())
      return std::nullopt;
    switch (Shape.Term) {
    case T::Gather:
    case T::Lookup:
    case T::Scatter:
      return indexed();
    case T::Concat:
    case T::Insert:
      if (Shape.Term == T::Concat || Spoken.size() > 1)
        return joined();
      break;
    case T::Like:
      return reshaped(spoken(0), spoken(1).Dims);
    case T::Batch:
      return batch();
    case T::Einsum:
      return std::nullopt; // of the caller
    default:
      break;
    }
    const MaybeTensor X =
        combine(Call, Operands,
                [](Tensor Value, llvm::ArrayRef<unsigned>) { return Value; });
    return X ? ofOne(*X) : std::nullopt;
  }

private:
  static Index allDims(const Tensor &X) {
    Index Out;
    for (int D : llvm::seq(static_cast<int>(X.Dims.size())))
      Out.push_back(D);
    return Out;
  }
  const Tensor &spoken(std::size_t I) const {
    return Operands[Spoken[I].Actual];
  }

  /// Nothing: out of range.
  std::optional<Index> dims(unsigned P, std::size_t Rank) const {
    Index Out;
    const auto R = static_cast<int>(Rank);
    for (int D : Call.numbers(P).value_or(Index())) {
      if (D < -R || D >= R)
        return std::nullopt;
      Out.push_back(D < 0 ? D + R : D);
    }
    return Out;
  }
  std::optional<int> dim(unsigned P, std::size_t Rank) const {
    const auto D = dims(P, Rank);
    return D && D->size() == 1 ? std::optional(D->front()) : std::nullopt;
  }
  /// The sizes asked for; of the whole when that is to be made.
  oracle::Shape sizes(unsigned P, std::size_t FirstDim = 0) const {
    oracle::Shape Out = Call.numbers(P).value_or(Index());
    if (Whole)
      for (std::size_t D = 0; D != Out.size(); ++D)
        if (Out[D] != -1)
          Out[D] *= (*Whole)[FirstDim + D];
    return Out;
  }

  MaybeTensor ofOne(const Tensor &X) const {
    const std::size_t Rank = X.Dims.size();
    switch (Shape.Term) {
    case T::Elementwise:
      return X;
    case T::Loss: {
      const auto Reduction = Call.numbers(0);
      if (!Reduction || Reduction->front() == 0)
        return X;
      return reduceDims(X, allDims(X), false, Reduction->front() == 1);
    }
    case T::Sum:
    case T::Fold: {
      auto Over = dims(0, Rank);
      if (Over && Over->empty())
        Over = allDims(X);
      if (!Over)
        return std::nullopt;
      return reduceDims(X, *Over, Call.flag(1), Shape.Term == T::Fold);
    }
    case T::Along: {
      auto Over = dims(0, Rank);
      if (Over && Over->empty())
        Over = allDims(X);
      return Over ? MaybeTensor(mixAlong(X, *Over)) : std::nullopt;
    }
    case T::Swap:
    case T::Permute:
    case T::Move:
    case T::Reverse:
      return reordered(X);
    case T::Insert: {
      const auto D = dim(0, Rank + 1);
      if (!D)
        return std::nullopt;
      Tensor Out = X;
      Out.Dims.insert(Out.Dims.begin() + *D, 1);
      return Out;
    }
    case T::Remove: {
      const auto Asked = dims(0, Rank);
      if (!Asked)
        return std::nullopt;
      Tensor Out = X;
      Out.Dims.clear();
      for (int D : allDims(X))
        if (X.Dims[static_cast<unsigned>(D)] != 1 ||
            (Call.numbers(0) && !llvm::is_contained(*Asked, D)))
          Out.Dims.push_back(X.Dims[static_cast<unsigned>(D)]);
      return Out;
    }
    case T::Part:
    case T::Pick:
      return part(X);
    case T::Pad: {
      const auto By = Call.numbers(0);
      Tensor Out = X;
      for (std::size_t I = 0; By && I + 1 < By->size(); I += 2) {
        const std::size_t D = Rank - 1 - I / 2;
        Out = mixInto(Out, static_cast<int>(D),
                      X.Dims[D] + (*By)[I] + (*By)[I + 1]);
      }
      return Out;
    }
    default:
      return resized(X);
    }
  }

  MaybeTensor resized(const Tensor &X) const {
    const std::size_t Rank = X.Dims.size();
    switch (Shape.Term) {
    case T::Reshape:
      return reshaped(X, sizes(0));
    case T::Flatten: {
      if (Rank == 0)
        return reshaped(X, {1});
      const auto First = Shape.Parameters.empty() ? 0 : dim(0, Rank);
      const auto Last = Shape.Parameters.size() < 2 ? static_cast<int>(Rank) - 1
                                                    : dim(1, Rank);
      if (!First || !Last || *First > *Last)
        return std::nullopt;
      oracle::Shape Dims(X.Dims.begin(), X.Dims.begin() + *First);
      Dims.push_back(1);
      for (int D = *First; D <= *Last; ++D)
        Dims.back() *= X.Dims[static_cast<unsigned>(D)];
      Dims.insert(Dims.end(), X.Dims.begin() + *Last + 1, X.Dims.end());
      return Tensor{Dims, X.Data};
    }
    case T::Unflatten: {
      const auto D = dim(0, Rank);
      if (!D)
        return std::nullopt;
      // Other dims than the split one keep their size.
      const Tensor Split{{X.Dims[static_cast<unsigned>(*D)]},
                         std::vector<Number>(static_cast<std::size_t>(
                             X.Dims[static_cast<unsigned>(*D)]))};
      const MaybeTensor Parts =
          reshaped(Split, sizes(1, static_cast<unsigned>(*D)));
      if (!Parts)
        return std::nullopt;
      oracle::Shape Dims = X.Dims;
      Dims.erase(Dims.begin() + *D);
      Dims.insert(Dims.begin() + *D, Parts->Dims.begin(), Parts->Dims.end());
      return reshaped(X, Dims);
    }
    case T::Expand:
      return expanded(X, sizes(0));
    case T::Repeat:
      return tiled(X, Call.numbers(0).value_or(Index()));
    case T::Interleave: {
      const auto Over = dims(0, Rank);
      if (!Over)
        return std::nullopt;
      if (Over->empty())
        return interleaved(Tensor{{static_cast<int>(X.Data.size())}, X.Data}, 0,
                           2);
      return interleaved(X, Over->front(), 2);
    }
    default:
      return std::nullopt;
    }
  }

  MaybeTensor reordered(const Tensor &X) const {
    const std::size_t Rank = X.Dims.size();
    Index From = allDims(X);
    if (Shape.Term == T::Reverse) {
      std::reverse(From.begin(), From.end());
      return permuted(X, From);
    }
    const auto A = dims(0, Rank);
    if (!A || A->empty())
      return std::nullopt;
    if (Shape.Term == T::Permute)
      return A->size() == Rank ? MaybeTensor(permuted(X, *A)) : std::nullopt;
    const auto B = dims(1, Rank);
    if (!B || B->size() != A->size())
      return std::nullopt;
    if (Shape.Term == T::Swap) {
      std::swap(From[static_cast<unsigned>(A->front())],
                From[static_cast<unsigned>(B->front())]);
      return permuted(X, From);
    }
    // numpy: the others in order, then each moved one put where it goes.
    Index Others;
    for (int D : From)
      if (!llvm::is_contained(*A, D))
        Others.push_back(D);
    std::vector<std::pair<int, int>> Moves;
    for (std::size_t I = 0; I != A->size(); ++I)
      Moves.push_back({(*B)[I], (*A)[I]});
    llvm::sort(Moves);
    for (auto [To, D] : Moves)
      Others.insert(Others.begin() + To, D);
    return permuted(X, Others);
  }

  MaybeTensor part(const Tensor &X) const {
    const auto D =
        Shape.Parameters.empty() ? std::nullopt : dim(0, X.Dims.size());
    if (!D)
      return std::nullopt;
    const int Has = X.Dims[static_cast<unsigned>(*D)];
    if (Shape.Term == T::Pick)
      return without(mixInto(X, *D, 1), *D);
    const auto Number = [&](llvm::StringRef Name) -> std::optional<int> {
      const OpArgument *A = Call.argument(Name);
      const auto *V = A ? std::get_if<SizeValue>(&*A->Value) : nullptr;
      return V ? std::optional(static_cast<int>(V->Number)) : std::nullopt;
    };
    if (const auto Length = Number("length|split_size"))
      return *Length <= Has ? MaybeTensor(slice(X, *D, 0, *Length))
                            : std::nullopt;
    if (const auto Chunks = Number("chunks"))
      return slice(X, *D, 0, (Has + *Chunks - 1) / *Chunks);
    if (Call.argument("end"))
      return X;
    return mixInto(X, *D, 2);
  }

  MaybeTensor indexed() const {
    if (Spoken.size() < 2)
      return std::nullopt;
    const Tensor &Data = spoken(0), &Of = spoken(1);
    if (Shape.Term == T::Lookup && !Call.numbers(0))
      return lookedUp(Tensor{{static_cast<int>(Data.Data.size())}, Data.Data},
                      Of, 0);
    const auto D = dim(0, Data.Dims.size());
    if (!D)
      return std::nullopt;
    if (Shape.Term == T::Gather)
      return gathered(Data, Of, *D);
    if (Shape.Term == T::Lookup)
      return lookedUp(Data, Of, *D);
    if (Spoken.size() > 2)
      return scattered(Data, Of, spoken(2), *D);
    // Where to is not a tensor of which the alternative speaks.
    if (Of.Dims.size() != Data.Dims.size())
      return std::nullopt;
    const Tensor Written =
        mixInto(Of, *D, Data.Dims[static_cast<unsigned>(*D)]);
    for (std::size_t I = 0; I != Of.Dims.size(); ++I)
      if (Written.Dims[I] > Data.Dims[I])
        return std::nullopt;
    return tabulate(Data.Dims, [&](const Index &I) {
      for (std::size_t X = 0; X != I.size(); ++X)
        if (I[X] >= Written.Dims[X])
          return at(Data, I);
      return plus(at(Data, I), at(Written, I));
    });
  }

  MaybeTensor joined() const {
    std::vector<Tensor> Parts;
    const bool IsNew = Shape.Term == T::Insert;
    const auto D = dim(0, spoken(0).Dims.size() + IsNew);
    if (!D)
      return std::nullopt;
    for (const SpecCall::Spoken &S : Spoken) {
      Parts.push_back(Operands[S.Actual]);
      if (IsNew && Parts.back().Dims != Parts.front().Dims &&
          Parts.size() > 1) {
        return std::nullopt;
      }
    }
    if (IsNew)
      for (Tensor &P : Parts)
        P.Dims.insert(P.Dims.begin() + *D, 1);
    return concatenated(Parts, *D);
  }

  MaybeTensor batch() const {
    const auto Asked = Call.numbers(0);
    if (!Asked || Asked->empty())
      return std::nullopt;
    const OpArgument *A = Call.argument(Shape.Parameters[0].Name);
    const bool Listed = A && std::holds_alternative<SizeList>(*A->Value);
    const auto Rank = static_cast<int>(spoken(0).Dims.size());
    const int N = Listed               ? static_cast<int>(Asked->size())
                  : Asked->front() < 0 ? Rank + Asked->front()
                                       : Asked->front();
    if (N < 0 || N > Rank)
      return std::nullopt;
    std::vector<Tensor> Mixed = Operands;
    for (const SpecCall::Spoken &S : Spoken) {
      const auto Own = static_cast<int>(Operands[S.Actual].Dims.size());
      Index Inner;
      for (int D = std::max(0, Own - N); D != Own; ++D)
        Inner.push_back(D);
      Mixed[S.Actual] = reduceDims(Operands[S.Actual], Inner, false, true);
    }
    const MaybeTensor Outer =
        combine(Call, Mixed,
                [](Tensor Value, llvm::ArrayRef<unsigned>) { return Value; });
    if (!Outer)
      return std::nullopt;
    oracle::Shape Dims = Outer->Dims;
    for (int D = Rank - N; D != Rank; ++D)
      Dims.push_back(spoken(0).Dims[static_cast<unsigned>(D)]);
    return tabulate(Dims, [&](const Index &I) {
      const Index Where(I.begin(), I.begin() + static_cast<std::ptrdiff_t>(
                                                   Outer->Dims.size()));
      std::size_t Position = 0;
      for (std::size_t D = Outer->Dims.size(); D != I.size(); ++D)
        Position = Position * 16 + static_cast<std::size_t>(I[D]);
      return times(weight(Position, 0), at(*Outer, Where));
    });
  }

  const SpecCall &Call;
  const ShapeRule &Shape;
  const ShardCounts *Whole;
  std::vector<Tensor> Operands;
  llvm::SmallVector<SpecCall::Spoken, 4> Spoken;
};

} // namespace

bool hasReference(const ShapeRule &S) {
  if (!S.Notations.empty())
    return true;
  return !llvm::is_contained({T::Each, T::Channels, T::Convolve, T::Attend,
                              T::Classify, T::Create, T::Written, T::Whole,
                              T::Einsum},
                             S.Term);
}

MaybeTensor runReference(const SpecCall &Call, llvm::ArrayRef<Tensor> Operands,
                         const ShardCounts *Whole) {
  return Reference(Call, Operands, Whole).run();
}

} // namespace spmd::oracle
