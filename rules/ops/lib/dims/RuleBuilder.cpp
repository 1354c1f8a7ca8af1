//===- RuleBuilder.cpp - From dims and arguments to factors ---------------===//

#include "RuleBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

namespace spmd::rules {

Extent unknownSize(unsigned Dim) {
  return Extent::name("?" + std::to_string(Dim));
}

namespace global {

Extent told(const Extent &Size) {
  // No name of an annotation begins like this.
  return Size.substitute([](llvm::StringRef Name) {
    return Name.starts_with("?") ? Extent() : Extent::name(Name);
  });
}

/// Terms of one operand that take no notice of other formals.
static bool isOfOne(ShapeTerm T) {
  using S = ShapeTerm;
  switch (T) {
  case S::Sum:
  case S::Fold:
  case S::Along:
  case S::Swap:
  case S::Permute:
  case S::Move:
  case S::Reverse:
  case S::Insert:
  case S::Remove:
  case S::Reshape:
  case S::Flatten:
  case S::Unflatten:
  case S::Expand:
  case S::Repeat:
  case S::Interleave:
  case S::Part:
  case S::Pad:
  case S::Pick:
    return true;
  default:
    return false;
  }
}

RuleBuilder::RuleBuilder(const ShapedCall &Call, const ShapeRule &Shape)
    : Call(Call), Shape(Shape) {
  Rule.Operands.resize(Call.Operands.size());
  Rule.HasResult = false;
  const auto Take = [&](unsigned Formal, unsigned Position) {
    for (unsigned I = 0; I != Call.Operands.size(); ++I)
      if (Call.Operands[I] && Call.FormalOf[I] == Formal) {
        Which.push_back(I);
        PositionOf[I] = Position;
      }
  };
  const std::vector<RuleFormal> &Formals = Call.Op->Formals;
  const bool OfOne = Shape.Notations.empty() && isOfOne(Shape.Term);
  if (Shape.Of.empty())
    for (unsigned F = 0; F != (OfOne ? 1u : Formals.size()); ++F)
      Take(F, F);
  for (const ShapeOperand &O : Shape.Of)
    for (unsigned F = 0; F != Formals.size(); ++F)
      if (Formals[F].Name == O.Name)
        Take(F, static_cast<unsigned>(&O - Shape.Of.begin()));
}

//===--- Factors ----------------------------------------------------------===//

unsigned RuleBuilder::add(Extent Size, bool Whole, llvm::StringRef Name) {
  Size = told(Size);
  Rule.Factors.push_back({Name.str(), std::move(Size), Whole});
  return static_cast<unsigned>(Rule.Factors.size() - 1);
}

void RuleBuilder::checkSize(unsigned I, unsigned D, unsigned F,
                            unsigned Other) {
  const Extent &Size = spec(I).Dims[D].Size;
  if (!Call.HasLoose && compare(factor(F).Size, Size) == SameSize::No) {
    SpecViolation V;
    V.K = SpecViolation::Kind::Size;
    V.Factor = F;
    V.Operand = I;
    V.Other = Other;
    V.Dim = D;
    wrong(std::move(V));
  }
  if (!factor(F).Size.isKnown())
    factor(F).Size = Size;
}

void RuleBuilder::share(unsigned I, unsigned D, const Dim &F, unsigned Other) {
  if (F.empty() || spec(I).Dims[D].isOne())
    return;
  checkSize(I, D, F[0], Other);
  operand(I)[D] = F;
}

std::optional<unsigned> RuleBuilder::at(unsigned Position) const {
  for (unsigned I : Which)
    if (position(I) == Position)
      return I;
  return std::nullopt;
}

RuleBuilder::Tensor RuleBuilder::aligned() { return aligned(Which); }

RuleBuilder::Tensor RuleBuilder::aligned(llvm::ArrayRef<unsigned> Which,
                                         unsigned Drop) {
  unsigned Rank = 0;
  for (unsigned I : Which) {
    const unsigned R = spec(I).rank();
    operand(I).resize(R);
    Rank = std::max(Rank, R > Drop ? R - Drop : 0);
  }
  Tensor Out(Rank);
  for (unsigned P = 0; P != Rank; ++P) {
    unsigned First = 0;
    for (unsigned I : Which) {
      const unsigned FromBack = Rank - P + Drop;
      if (spec(I).rank() < FromBack)
        continue;
      const unsigned D = spec(I).rank() - FromBack;
      const ShardedDim &Here = spec(I).Dims[D];
      if (Here.isOne())
        continue;
      if (Out[P].empty()) {
        Out[P] = {add(Here.Size)};
        First = I;
      } else {
        checkSize(I, D, Out[P][0], First);
      }
      operand(I)[D] = Out[P];
    }
  }
  return Out;
}

llvm::SmallVector<unsigned, 4> RuleBuilder::dimsOrAll(unsigned P,
                                                      const Tensor &Of) {
  const auto Rank = static_cast<unsigned>(Of.size());
  return dims(P, Rank).value_or(llvm::to_vector<4>(llvm::seq(Rank)));
}

void RuleBuilder::needWhole(const Dim &D) {
  for (unsigned F : D)
    factor(F).Whole = true;
}

void RuleBuilder::split(unsigned F, llvm::ArrayRef<unsigned> Parts) {
  const auto In = [&](Tensor &T) {
    for (Dim &D : T)
      if (auto *At = llvm::find(D, F); At != D.end()) {
        At = D.erase(At);
        D.insert(At, Parts.begin(), Parts.end());
      }
  };
  for (Tensor &T : Rule.Operands)
    In(T);
  In(Rule.Result);
}

const ShardedDim *RuleBuilder::shardsOf(const Dim &D) const {
  for (std::size_t I = 0; I != Rule.Operands.size(); ++I)
    for (std::size_t X = 0; X != Rule.Operands[I].size(); ++X)
      if (Rule.Operands[I][X] == D && !D.empty())
        return &Call.Operands[I]->Dims[X];
  return nullptr;
}

Extent RuleBuilder::localSize(const ShardedDim &D) const {
  return Call.HasLoose ? Extent() : rules::localSize(D, *Call.Axes);
}

//===--- The end ----------------------------------------------------------===//

void RuleBuilder::undecided(std::string On) {
  if (!failed())
    Failure = Undecided{std::move(On)};
}

void RuleBuilder::wrong(SpecViolation V) {
  if (!failed())
    Failure = std::move(V);
}

/// What an op looks at as a whole of a dim that might be a part of any is a
/// whole of its own from there on: rows of a triangle begin anew on each rank.
void RuleBuilder::closeOpenDims() {
  for (unsigned I : Which)
    for (std::size_t D = 0; D != Rule.Operands[I].size(); ++D) {
      const Dim &Factors = Rule.Operands[I][D];
      if (Factors.size() != 1 || !spec(I).Dims[D].isOpen())
        continue;
      Factor &F = factor(Factors.front());
      if (F.Size.isKnown())
        continue;
      (F.Whole ? F.Size : F.Local) = spec(I).Dims[D].Local;
    }
}

/// A dim of unknown size may be one that is broadcast; then it need not be
/// sharded as the dims are that it meets. One that a rank has as much of is no
/// such.
void RuleBuilder::doubtBroadcasts() {
  const auto DimsOf = [&](unsigned F) {
    llvm::SmallVector<const ShardedDim *, 4> Out;
    for (unsigned I = 0; I != Rule.Operands.size(); ++I)
      for (std::size_t D = 0; D != Rule.Operands[I].size(); ++D)
        if (Rule.Operands[I][D] == Dim{F})
          Out.push_back(&spec(I).Dims[D]);
    return Out;
  };
  for (unsigned F = 0; F != Rule.Factors.size(); ++F) {
    const auto Dims = DimsOf(F);
    for (const ShardedDim *Sharded : Dims)
      for (const ShardedDim *Open : Dims)
        if (!Sharded->Axes.empty() && Open->isOpen() &&
            compare(localSize(*Sharded), localSize(*Open)) != SameSize::Yes)
          undecided("the size of a dim");
  }
}

/// Inner shards of a dim that is joined are what a rank has of the whole only
/// if the outer dims have size one there.
void RuleBuilder::doubtViews() {
  for (const Dim &D : Rule.Result) {
    bool Doubt = false;
    for (unsigned F : D) {
      const ShardedDim *S = shardsOf({F});
      const bool Sharded = S && !S->Axes.empty();
      if (Doubt && Sharded)
        return undecided("the sizes of its dims");
      const Extent &Size = factor(F).Size;
      Doubt |= Sharded ? !Size.isKnown()
                       : !Size.isNumeric() && Size.asName().empty();
    }
  }
}

/// Of a dim that is split or joined, with a part of a size that nobody knows,
/// uneven shards may be those of the other dims, by chance.
void RuleBuilder::doubtParts() {
  const auto Doubt = [&](const Dim &D, const ShardedDim &Of) {
    if (D.size() > 1 && isEven(Of, *Call.Axes) == SameSize::No &&
        llvm::any_of(D, [&](unsigned F) { return !factor(F).Size.isKnown(); }))
      undecided("the sizes of its dims");
  };
  for (unsigned I : Which)
    for (unsigned D = 0;
         D != std::min<std::size_t>(Rule.Operands[I].size(), spec(I).rank());
         ++D)
      Doubt(Rule.Operands[I][D], spec(I).Dims[D]);
  for (const Dim &D : Rule.Result)
    for (unsigned F : D)
      if (const ShardedDim *S = shardsOf({F}))
        Doubt(D, *S);
}

/// The letters of a rule: those of the sizes' names where they can be told
/// apart.
void RuleBuilder::nameFactors() {
  llvm::SmallVector<std::string, 8> Taken;
  for (const Factor &F : Rule.Factors)
    Taken.push_back(F.Name);
  for (Factor &F : Rule.Factors) {
    if (!F.Name.empty())
      continue;
    std::string Candidates =
        F.Size.asName().take_front(1).lower() + "ijklmnpqrabcdefghostuvwxyz";
    for (char C : Candidates)
      if (F.Name.empty() && llvm::isAlpha(C) &&
          !llvm::is_contained(Taken, std::string(1, C)))
        F.Name = C;
    if (F.Name.empty())
      F.Name = "f" + std::to_string(&F - Rule.Factors.begin());
    Taken.push_back(F.Name);
  }
}

FactorRuleOr RuleBuilder::take() {
  closeOpenDims();
  doubtBroadcasts();
  doubtViews();
  doubtParts();
  // What the alternative does not speak of plays no part that anyone knows.
  for (unsigned I = 0; I != Call.Operands.size(); ++I)
    if (Call.Operands[I] && !llvm::is_contained(Which, I)) {
      operand(I).clear();
      for (const ShardedDim &D : spec(I).Dims)
        operand(I).push_back({add(D.Size, /*Whole=*/true)});
    }
  nameFactors();
  if (auto *V = std::get_if<SpecViolation>(&Failure))
    V->Rule = Rule;
  if (failed())
    return std::move(Failure);
  return std::move(Rule);
}

} // namespace global

} // namespace spmd::rules
