//===- SpecArguments.cpp - What calls may ask for -------------------------===//

#include "SpecArguments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <limits>

using namespace spmd::rules;

namespace spmd::oracle {

using T = ShapeTerm;

OpArgument argument(llvm::StringRef Names, std::int64_t N) {
  return {Names.split('|').first.str(), SizeValue{N, {}, 1}};
}
OpArgument argument(llvm::StringRef Names, const Index &List) {
  SizeList Out;
  for (int N : List)
    Out.push_back(SizeValue{N, {}, 1});
  return {Names.split('|').first.str(), std::move(Out)};
}
OpArgument flag(llvm::StringRef Names, bool Set) {
  return {Names.split('|').first.str(), Set};
}

namespace {

/// All ways to name dims in a call on a tensor of one rank.
class ArgumentSets {
public:
  ArgumentSets(const ShapeRule &S, int Rank) : S(S), Rank(Rank) {}

  std::vector<Arguments> all() {
    switch (S.Term) {
    case T::Sum:
    case T::Fold:
      reductions();
      break;
    case T::Swap:
      pairs(/*AsLists=*/false);
      break;
    case T::Move:
      pairs(/*AsLists=*/true);
      if (Rank == 3)
        add({argument(name(0), Index{0, 1}), argument(name(1), Index{1, 2})});
      break;
    case T::Permute:
      permutations();
      break;
    case T::Flatten:
      if (name(0).empty())
        break;
      add({});
      pairs(/*AsLists=*/false);
      break;
    case T::Repeat:
      repeats();
      break;
    case T::Batch:
      if (!name(0).empty())
        for (int N = 1; N <= Rank; ++N)
          add({argument(name(0), Index(static_cast<std::size_t>(N), 1))});
      break;
    case T::Loss:
      for (int R : {0, 1, 2})
        add({argument(name(0), R)});
      break;
    case T::Pad:
      add({argument(name(0), Index{1, 1})});
      if (Rank > 1)
        add({argument(name(0), Index{1, 0, 0, 2})});
      break;
    case T::Part:
      parts();
      break;
    case T::Interleave:
      oneDim();
      for (std::size_t I = 0, Size = Out.size(); I != Size; ++I) {
        Out.push_back(Out[I]);
        Out.back().push_back(argument("repeats", 2));
      }
      break;
    default:
      oneDim();
    }
    if (Out.empty())
      Out.emplace_back();
    return std::move(Out);
  }

private:
  llvm::StringRef name(unsigned P) const {
    return P < S.Parameters.size() ? llvm::StringRef(S.Parameters[P].Name)
                                   : llvm::StringRef();
  }
  bool hasDefault(unsigned P) const {
    return P < S.Parameters.size() && S.Parameters[P].Default;
  }
  void add(Arguments A) { Out.push_back(std::move(A)); }

  void oneDim() {
    if (name(0).empty())
      return;
    const int Count = Rank + (S.Term == T::Insert);
    for (int D = 0; D != Count; ++D)
      add({argument(name(0), D)});
    if (Count)
      add({argument(name(0), -1)});
    if (hasDefault(0) || numRequiredParameters(S.Term) == 0)
      add({});
    if (S.Term == T::Along && Rank > 1)
      add({argument(name(0), Index{0, -1})});
  }

  void reductions() {
    std::vector<Arguments> Dims;
    if (!name(0).empty()) {
      for (int D = -1; D != Rank; ++D)
        Dims.push_back({argument(name(0), D)});
      if (Rank > 1)
        Dims.push_back({argument(name(0), Index{0, Rank - 1})});
    }
    Dims.emplace_back();
    for (Arguments &A : Dims) {
      if (!name(1).empty() && !A.empty()) {
        Arguments Keep = A;
        Keep.push_back(flag(name(1), true));
        add(std::move(Keep));
      }
      add(std::move(A));
    }
  }

  void pairs(bool AsLists) {
    if (name(0).empty() || name(1).empty())
      return;
    for (int X = 0; X != Rank; ++X)
      for (int Y = 0; Y != Rank; ++Y) {
        if (S.Term == T::Flatten && X > Y)
          continue;
        if (AsLists)
          add({argument(name(0), Index{X}), argument(name(1), Index{Y})});
        else
          add({argument(name(0), X), argument(name(1), Y - Rank)});
      }
  }

  void permutations() {
    Index Order;
    for (int D : llvm::seq(Rank))
      Order.push_back(D);
    do
      add({argument(name(0), Order)});
    while (std::next_permutation(Order.begin(), Order.end()));
  }

  void repeats() {
    for (int D = 0; D != Rank + 1; ++D) {
      Index Times(static_cast<std::size_t>(Rank) + (D == Rank), 1);
      Times[static_cast<unsigned>(D == Rank ? 0 : D)] = 2;
      add({argument(name(0), Times)});
    }
    add({argument(name(0), Index(static_cast<std::size_t>(Rank), 1))});
  }

  void parts() {
    std::vector<Arguments> Dims;
    if (!name(0).empty())
      for (int D = -1; D != Rank; ++D)
        Dims.push_back({argument(name(0), D)});
    if (name(0).empty() || hasDefault(0))
      Dims.emplace_back();
    for (const Arguments &A : Dims) {
      add(A);
      for (const OpArgument &Size :
           {argument("length", 2), argument("chunks", 2)}) {
        Arguments With = A;
        With.push_back(Size);
        add(std::move(With));
      }
      Arguments All = A;
      All.push_back(argument("start", 0));
      All.push_back(argument("end", std::numeric_limits<std::int64_t>::max()));
      add(std::move(All));
    }
  }

  const ShapeRule &S;
  int Rank;
  std::vector<Arguments> Out;
};

/// All ways to write \p N as a product of \p Parts numbers.
void products(int N, int Parts, Index &Now, std::vector<Index> &Out) {
  if (Parts == 1) {
    Now.push_back(N);
    Out.push_back(Now);
    Now.pop_back();
    return;
  }
  for (int F = 1; F <= N; ++F)
    if (N % F == 0) {
      Now.push_back(F);
      products(N / F, Parts - 1, Now, Out);
      Now.pop_back();
    }
}

std::vector<Index> products(int N, int MaxParts) {
  std::vector<Index> Out;
  Index Now;
  for (int P = 1; P <= MaxParts; ++P)
    products(N, P, Now, Out);
  for (std::size_t I = 0, Size = Out.size(); I != Size; ++I) {
    Out.push_back(Out[I]);
    Out.back()[I % Out[I].size()] = -1;
  }
  return Out;
}

} // namespace

std::vector<Arguments> argumentsOf(const ShapeRule &S, int Rank) {
  return ArgumentSets(S, Rank).all();
}

std::vector<llvm::SmallVector<OpArgument, 2>>
sizesToAskFor(const ShapeRule &S, const Shape &Local) {
  std::vector<Arguments> Out;
  const llvm::StringRef Name = S.Parameters[0].Name;
  const auto Size = static_cast<int>(sizeOf(Local));
  if (Size == 0)
    return Out;
  if (S.Term == T::Reshape)
    for (const Index &Sizes : products(Size, 3))
      Out.push_back({argument(Name, Sizes)});
  if (S.Term == T::Unflatten)
    for (std::size_t D = 0; D != Local.size(); ++D)
      for (const Index &Sizes : products(Local[D], 3))
        Out.push_back({argument(Name, static_cast<int>(D)),
                       argument(S.Parameters[1].Name, Sizes)});
  if (S.Term == T::Expand)
    for (int New = 0; New != 2; ++New)
      for (unsigned Code = 0; Code != 1u << Local.size(); ++Code) {
        Index Sizes(static_cast<std::size_t>(New), 3);
        for (std::size_t D = 0; D != Local.size(); ++D)
          Sizes.push_back(Code >> D & 1 ? -1 : Local[D] == 1 ? 3 : Local[D]);
        Out.push_back({argument(Name, Sizes)});
      }
  return Out;
}

} // namespace spmd::oracle
