//===- LayerScenario.cpp - Calls of layers and losses ---------------------===//

#include "LayerScenario.h"
#include "SpecArguments.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

using T = ShapeTerm;
/// Of one operand, by variant.
using Shapes = std::vector<Shape>;
/// By position in the alternative.
using Given = std::map<unsigned, Shapes>;

class LayerScenarios {
public:
  LayerScenarios(const OpRule &Rule, int Ranks)
      : Rule(Rule), S(*Rule.Shape), Ranks(Ranks) {}

  std::vector<SpecScenario> all() {
    switch (S.Term) {
    case T::Attend:
      attention();
      break;
    case T::Convolve:
      convolutions();
      break;
    case T::Channels:
      channels();
      break;
    case T::Classify:
      classes();
      break;
    default:
      equations();
    }
    return std::move(Out);
  }

private:
  llvm::StringRef name(unsigned P) const {
    return P < S.Parameters.size() ? llvm::StringRef(S.Parameters[P].Name)
                                   : llvm::StringRef();
  }
  /// The formal in place \p Position of the alternative.
  std::optional<unsigned> formalAt(unsigned Position) const {
    if (S.Of.empty())
      return Position < Rule.Formals.size() ? std::optional(Position)
                                            : std::nullopt;
    for (unsigned F = 0; F != Rule.Formals.size(); ++F)
      if (Position < S.Of.size() && Rule.Formals[F].Name == S.Of[Position].Name)
        return F;
    return std::nullopt;
  }

  /// All ranks have the same of what is 0; of other variants, some have more,
  /// less or nothing.
  Shapes sizes(std::initializer_list<Shape> OfVariants) const {
    Shapes Each = OfVariants;
    for (int &N : Each.front())
      N = N == 0 ? Ranks : N;
    return Each;
  }

  void add(const Given &Of, Arguments A,
           std::optional<std::pair<unsigned, int>> Positions = {}) {
    SpecScenario X;
    X.Call.Op = &Rule;
    X.Call.Arguments = std::move(A);
    X.Sizes.resize(Of.begin()->second.size());
    for (const auto &[Position, Shapes] : Of) {
      // Several operands of one list come one after the other.
      const auto Formal = formalAt(S.Term == T::Einsum ? 0 : Position);
      if (!Formal)
        return;
      for (std::size_t V = 0; V != Shapes.size(); ++V)
        X.Sizes[V].push_back(Shapes[V]);
      X.Call.FormalOf.push_back(*Formal);
      X.PositionsOf.push_back(Positions && Positions->first == Position
                                  ? std::optional(Positions->second)
                                  : std::nullopt);
    }
    Out.push_back(std::move(X));
  }

  //===--- Convolution ----------------------------------------------------===//

  void convolutions() {
    const bool Always = S.Parameters.size() > 1 && S.Parameters[1].Default == 1;
    for (int Transposed = Always; Transposed <= (Always || !name(1).empty());
         ++Transposed)
      for (int Groups = 1; Groups <= (name(0).empty() ? 1 : 2); ++Groups) {
        convolution(Transposed, Groups, 1, /*Batched=*/true, {});
        convolution(Transposed, Groups, 1, /*Batched=*/false, {});
        convolution(Transposed, Groups, 2, /*Batched=*/true, {});
        convolution(Transposed, Groups, 1, /*Batched=*/true,
                    {argument("stride", 2), argument("padding", 1)});
        convolution(Transposed, Groups, 1, /*Batched=*/true,
                    {argument("dilation", 2), argument("padding", 2)});
      }
  }

  void convolution(bool Transposed, int Groups, int Spatial, bool Batched,
                   Arguments A) {
    // n, c, o, x, k
    Given Of;
    Shapes Bias;
    for (const Shape &N :
         sizes({{0, 0, 0, 0, 2}, {3, 2, 4, 5, 3}, {5, 4, 2, 3, 2}})) {
      Shape Input = {N[1]}, Weight = {N[2], N[1] / Groups};
      if (Transposed)
        Weight = {N[1], N[2] / Groups};
      if (Batched)
        Input.insert(Input.begin(), N[0]);
      Input.insert(Input.end(), static_cast<std::size_t>(Spatial), N[3]);
      Weight.insert(Weight.end(), static_cast<std::size_t>(Spatial), N[4]);
      Of[0].push_back(Input);
      Of[1].push_back(Weight);
      Bias.push_back({N[2]});
    }
    if (Groups > 1)
      A.push_back(argument(name(0), Groups));
    if (Transposed && !name(1).empty())
      A.push_back(flag(name(1), true));
    add(Of, A);
    Of[2] = Bias;
    add(Of, A);
  }

  //===--- Attention ------------------------------------------------------===//

  void attention() {
    const Arguments Causal = {flag(name(0), true)};
    for (unsigned Rank = 2; Rank <= 4; ++Rank)
      for (const bool Masked : {false, true})
        attention(Rank, Masked, /*Shared=*/false, 1, {});
    attention(2, false, /*Shared=*/false, 1, Causal);
    attention(3, false, /*Shared=*/false, 1, Causal);
    attention(3, true, /*Shared=*/true, 1, {});
    for (const int Each : {1, 2})
      attention(3, false, /*Shared=*/false, Each, {flag(name(1), true)});
  }

  /// \p Shared: all of a batch have the same keys and values. \p Each: how
  /// many heads of queries there are to one of keys.
  void attention(unsigned Rank, bool Masked, bool Shared, int Each,
                 Arguments A) {
    // b, h, l, s, e, d
    Given Of;
    for (const Shape &N :
         sizes({{0, 0, 0, 0, 0, 0}, {2, 3, 5, 4, 2, 3}, {3, 2, 3, 5, 3, 2}})) {
      Shape Query = {N[2], N[4]}, Key = {N[3], N[4]}, Value = {N[3], N[5]};
      if (Rank > 2) {
        Query.insert(Query.begin(), N[1] * Each);
        for (Shape *X : {&Key, &Value})
          X->insert(X->begin(), Shared ? 1 : N[1]);
      }
      if (Rank > 3)
        for (Shape *X : {&Query, &Key, &Value})
          X->insert(X->begin(), N[0]);
      Of[0].push_back(Query);
      Of[1].push_back(Key);
      Of[2].push_back(Value);
      if (Masked)
        Of[3].push_back({N[2], N[3]});
    }
    add(Of, std::move(A));
  }

  //===--- Batch norm -----------------------------------------------------===//

  void channels() {
    std::vector<Arguments> Ways = {{}};
    if (!name(0).empty())
      Ways = {{flag(name(0), false)}, {flag(name(0), true)}};
    for (unsigned Rank = 2; Rank <= 3; ++Rank)
      for (const bool WithOptional : {false, true})
        for (const Arguments &A : Ways) {
          Given Of;
          for (const Shape &N : sizes({{0, 0, 0}, {3, 5, 2}, {5, 3, 4}})) {
            Of[0].push_back(Shape(N.begin(), N.begin() + Rank));
            for (unsigned P = 1; P != Rule.Formals.size(); ++P)
              if (WithOptional || !Rule.Formals[P].Optional)
                Of[P].push_back({N[1]});
          }
          add(Of, A);
        }
  }

  //===--- Losses over classes --------------------------------------------===//

  void classes() {
    for (unsigned Rank = 1; Rank <= 3; ++Rank)
      for (const bool Index : {true, false})
        for (const bool Weighted : {false, true})
          for (const int Reduction : {0, 1, 2}) {
            const unsigned At = Rank == 1 ? 0 : 1;
            Given Of;
            for (const Shape &N : sizes({{0, 0, 0}, {5, 3, 2}, {3, 4, 5}})) {
              Shape Input(N.begin(), N.begin() + Rank), Target = Input;
              if (Index)
                Target.erase(Target.begin() + At);
              Of[0].push_back(Input);
              Of[1].push_back(Target);
              if (Weighted)
                Of[2].push_back({Input[At]});
            }
            add(Of, {argument(name(0), Reduction)},
                Index ? std::optional(std::pair(1u, static_cast<int>(At)))
                      : std::nullopt);
          }
  }

  //===--- Einsum ---------------------------------------------------------===//

  void equations() {
    for (const llvm::StringRef Equation :
         {"ij->ji", "ij->i", "ij->", "ij,jk->ik", "ij,jk->ki", "ij,jk",
          "bij,bjk->bik", "bij,bkj->bik", "i,j->ij", "ij,ij->ij", "ij,ij->",
          "ijk,ik->ij", "ij,jk,kl->il", "ij,i,j->ij", "...ij,...jk->...ik",
          "...i,i->...", "...i->i..."}) {
      const llvm::StringRef Left = Equation.split("->").first;
      llvm::SmallVector<llvm::StringRef, 3> Written;
      Left.split(Written, ',');
      Given Of;
      for (const Shape &N :
           sizes({{0, 0, 0, 0, 0}, {3, 5, 2, 4, 3}, {5, 2, 3, 2, 4}}))
        for (unsigned I = 0; I != Written.size(); ++I) {
          Shape X;
          for (const char Letter : Written[I].ltrim('.'))
            X.push_back(N[std::string("ijklb").find(Letter)]);
          if (Written[I].contains("..."))
            X.insert(X.begin(), N[4]);
          Of[I].push_back(std::move(X));
        }
      Arguments A;
      A.push_back({name(0).split('|').first.str(), Equation.str()});
      add(Of, std::move(A));
    }
  }

  const OpRule &Rule;
  const ShapeRule &S;
  int Ranks;
  std::vector<SpecScenario> Out;
};

} // namespace

bool isLayer(const ShapeRule &S) {
  return S.Notations.empty() &&
         llvm::is_contained(
             {T::Attend, T::Convolve, T::Channels, T::Classify, T::Einsum},
             S.Term);
}

std::vector<SpecScenario> layerScenariosOf(const OpRule &Rule, int Ranks) {
  return LayerScenarios(Rule, Ranks).all();
}

} // namespace spmd::oracle
