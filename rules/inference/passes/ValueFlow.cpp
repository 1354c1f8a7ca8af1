//===- ValueFlow.cpp - What becomes of one value in a function ------------===//

#include "ValueFlow.h"

#include "Loops.h"
#include "SumTerms.h"

#include "spmd/ir/ControlFlow.h"
#include "spmd/ir/Walk.h"
#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace spmd::rules::inference {

NumbersOfBuffers::NumbersOfBuffers(const Function &F)
    : Of(static_cast<unsigned>(F.Slots.size())) {
  // A number may well be behind a pointer, as `*alpha`.
  llvm::BitVector Elements(Of.size()), Zeros(Of.size());
  for (const DefineFact &D : factsOf<DefineFact>(F))
    if (D.K == DefineFact::Kind::Zero)
      Zeros.set(index(D.Dst));
  for (const ViewFact &V : factsOf<ViewFact>(F))
    if (V.K == ViewFact::Kind::Element && V.Offset.Slot != SlotId::None &&
        !Zeros.test(index(V.Offset.Slot)))
      Elements.set(index(V.Dst));
  for (bool Changed = true; Changed;) {
    Changed = false;
    const auto Add = [&](SlotId S) {
      if (S == SlotId::None || Of.test(index(S)))
        return;
      Of.set(index(S));
      Changed = true;
    };
    for (const OpFact &O : factsOf<OpFact>(F))
      if (llvm::any_of(O.Operands, [&](const Operand &X) {
            return X.Scalar && X.Slot != SlotId::None &&
                   (Of.test(index(X.Slot)) || Elements.test(index(X.Slot)));
          })) {
        Add(O.Dst);
        Add(O.WritesTo);
      }
    for (const BindFact &B : factsOf<BindFact>(F))
      if (contains(B.Src.Slot))
        Add(B.Dst);
  }
}

bool scales(const OpFact &O, std::size_t Operand,
            const NumbersOfBuffers &OfBuffers) {
  const RuleTerm &T = O.Rule->Term;
  if (T.K != RuleTerm::Kind::Apply)
    return false;
  const auto IsNumber = [&](std::size_t I) {
    return O.Operands[I].Scalar && I != Operand &&
           !OfBuffers.contains(O.Operands[I].Slot);
  };
  if (T.Class == OpClass::Quotient)
    return llvm::all_of(llvm::seq(O.Operands.size()), [&](std::size_t I) {
      return I == Operand || !OfBuffers.contains(O.Operands[I].Slot);
    });
  const auto HasNumber = [&](const RuleTerm &C) {
    bool Reads = false, Number = false;
    for (std::size_t I = 0; I != O.Operands.size(); ++I)
      if (readsValue(C, O.FormalOf[I])) {
        Reads |= I == Operand;
        Number |= IsNumber(I);
      }
    return Reads && Number;
  };
  return isMultilinear(T)
             ? HasNumber(T)
             : T.Class == OpClass::Linear &&
                   llvm::any_of(T.Children, [&](const RuleTerm &C) {
                     return isMultilinear(C) && HasNumber(C);
                   });
}

bool isLinear(const OpFact &O) {
  const RuleTerm &T = O.Rule->Term;
  return T.K == RuleTerm::Kind::Operand ||
         (T.K == RuleTerm::Kind::Apply &&
          (T.Class == OpClass::Linear || T.Class == OpClass::StopGradient));
}

bool keepsTerms(const OpFact &O) {
  const auto &Shape = O.Rule->Shape;
  return isLinear(O) && (!Shape || (Shape->Term != ShapeTerm::Sum &&
                                    Shape->Term != ShapeTerm::Fold &&
                                    Shape->Term != ShapeTerm::Loss));
}

static bool isSumOf(const TransferFact &T) {
  if (T.K == TransferKind::OutPartial)
    return T.Axis.Slot != SlotId::None;
  return reduces(T.K) && T.Reduction == ReductionKind::Sum &&
         (!T.From || T.From->Type == LocalType::P ||
          T.From->Type == LocalType::V);
}

ValueFlow::ValueFlow(const Function &F, CalleeFn Callee, bool ToSums)
    : F(F), Callee(Callee), ToSums(ToSums), OfBuffers(F), AtExit(width()),
      Names(F.Blocks.size(), llvm::BitVector(width())) {
  for (const ViewFact &View : factsOf<ViewFact>(F))
    if (View.K != ViewFact::Kind::Offset)
      Elements.emplace_back(View.Dst, View.Src.Slot);
}

const Function *nobody(const CallFact &) { return nullptr; }

ValueFlow::ValueFlow(const Function &F, unsigned Index) : ValueFlow(F, nobody) {
  follow(0, 0, {SlotId(Index)});
}

static void name(llvm::BitVector &Names, SlotId S, bool Is = true) {
  if (S != SlotId::None)
    Is ? Names.set(index(S)) : Names.reset(index(S));
}

void ValueFlow::follow(std::size_t B, std::size_t From,
                       std::initializer_list<SlotId> Made) {
  Block = B;
  llvm::BitVector Here(width());
  for (const SlotId S : Made)
    name(Here, S);
  nameWholes(Here);
  pass(B, From, std::move(Here));
  while (!Work.empty()) {
    const std::size_t Next = Work.pop_back_val();
    pass(Next, 0, Names[Next]);
  }
}

llvm::SmallVector<unsigned, 1> ValueFlow::leftIn() const {
  // Together the threads of a kernel run what one of them has no element for.
  llvm::SmallVector<unsigned, 1> Out;
  if (!Scaled && Sums.empty() && (F.IsKernel || !isConditional()))
    for (unsigned I = 0; I != F.NumParameters; ++I)
      if (AtExit.test(I))
        Out.push_back(I);
  return Out;
}

ValueFlow::SumList ValueFlow::sums() const {
  return Sums.empty() || isConditional() ? SumList() : sumsOnSomeWay();
}

ValueFlow::SumList ValueFlow::sumsOnSomeWay() const {
  SumList Out;
  for (const auto &[T, At] : Sums) {
    // What is declared to be pending is a sum, whatever is made of it.
    const bool Certain = T->From && T->From->Type == LocalType::P;
    if ((Certain || !Scaled) && !llvm::is_contained(Out, T) &&
        (At == Block || !reaches(0, At, Block) || !leaves(Block, At)))
      Out.push_back(T);
  }
  return Out;
}

void ValueFlow::pass(std::size_t B, std::size_t From, llvm::BitVector Here) {
  const std::vector<Fact> &Facts = F.Blocks[B].Facts;
  for (std::size_t I = From; I != Facts.size() && Here.any(); ++I)
    step(Facts[I], Here, B);
  if (F.Blocks[B].Successors.empty())
    AtExit |= Here;
  for (const BlockId Next : F.Blocks[B].Successors) {
    const std::size_t N = index(Next);
    if (N >= F.Blocks.size() || !Here.test(Names[N]))
      continue;
    Names[N] |= Here;
    Work.push_back(N);
  }
}

void ValueFlow::step(const OpFact &O, llvm::BitVector &Here) {
  bool Flows = false;
  for (std::size_t I = 0; I != O.Operands.size(); ++I)
    if (O.Operands[I].Slot != SlotId::None &&
        Here.test(index(O.Operands[I].Slot))) {
      const bool Scales = scales(O, I, OfBuffers);
      Flows |= keepsTerms(O) || Scales;
      Scaled |= Scales;
    }
  name(Here, O.Dst, Flows);
  if (Flows || !O.PartialWrite)
    name(Here, O.WritesTo, Flows);
}

/// A callee may scale what it is given.
void ValueFlow::step(const CallFact &Call, llvm::BitVector &Here) {
  const auto Has = [&](const Operand &O) {
    return O.Slot != SlotId::None && Here.test(index(O.Slot));
  };
  const Function *Target = nullptr;
  Scaled |= Has(Call.Receiver);
  for (unsigned I = 0; !Scaled && I != Call.Arguments.size(); ++I) {
    if (!Has(Call.Arguments[I]))
      continue;
    if (!Target)
      Target = Callee(Call);
    Scaled = !Target || Target->Blocks.empty() || I >= Target->NumParameters ||
             ValueFlow(*Target, I).isScaled();
  }
  name(Here, Call.Dst, false);
}

void ValueFlow::step(const Fact &X, llvm::BitVector &Here, std::size_t B) {
  const auto Has = [&](const Operand &O) {
    return O.Slot != SlotId::None && Here.test(index(O.Slot));
  };
  if (const auto *O = std::get_if<OpFact>(&X)) {
    step(*O, Here);
  } else if (const auto *T = std::get_if<TransferFact>(&X)) {
    bool Is = Has(T->Src);
    if (Is && isSumOf(*T)) {
      Sums.emplace_back(T, B);
      Is = !ToSums;
    }
    for (const auto &[Element, Whole] : Elements)
      if (Whole == T->Out.Slot && !Is)
        name(Here, Element, false);
    name(Here, T->Dst, Is), name(Here, T->Out.Slot, Is);
  } else if (const auto *Bind = std::get_if<BindFact>(&X)) {
    if (!Bind->Joins || Has(Bind->Src))
      name(Here, Bind->Dst, Has(Bind->Src));
  } else if (const auto *View = std::get_if<ViewFact>(&X)) {
    name(Here, View->Dst, Has(View->Src));
  } else if (const auto *D = std::get_if<DefineFact>(&X)) {
    name(Here, D->Dst, false);
  } else if (const auto *Call = std::get_if<CallFact>(&X)) {
    step(*Call, Here);
  } else if (const auto *Unknown = std::get_if<HavocFact>(&X)) {
    Scaled |= Has({Unknown->Slot, Unknown->At});
  } else if (const auto *G = std::get_if<GradientFact>(&X)) {
    name(Here, G->Dst, false);
  }
  nameWholes(Here);
}

/// An element that is written to is a part of the whole.
void ValueFlow::nameWholes(llvm::BitVector &Here) const {
  for (const auto &[Element, Whole] : Elements)
    if (Here.test(index(Element)))
      name(Here, Whole);
}

/// Whether \p To can be reached from \p From on ways that avoid \p Avoided.
bool ValueFlow::reaches(std::size_t From, std::size_t To,
                        std::size_t Avoided) const {
  return reached(From, Avoided).test(static_cast<unsigned>(To));
}

/// Whether the function can end from \p From on ways that avoid \p Avoided.
bool ValueFlow::leaves(std::size_t From, std::size_t Avoided) const {
  return llvm::any_of(reached(From, Avoided).set_bits(), [&](unsigned B) {
    return F.Blocks[B].Successors.empty();
  });
}

llvm::BitVector ValueFlow::reached(std::size_t From,
                                   std::size_t Avoided) const {
  return reachedFrom(F, static_cast<std::uint32_t>(From),
                     static_cast<std::uint32_t>(Avoided));
}

namespace {

/// The iteration of all loops around a block in which that is run.
class Iteration {
public:
  Iteration(const Function &F, std::size_t Block)
      : F(F), Cycles(F, [](std::uint32_t) { return true; }),
        Block(static_cast<std::uint32_t>(Block)) {}

  /// Whether one who goes from \p From to \p To leaves a loop around the block.
  bool ends(std::uint32_t From, std::uint32_t To) const {
    for (std::uint32_t Head = 0; Head <= From; ++Head)
      if (isAround(Head) && !Cycles.leaves(Head, From) &&
          Cycles.leaves(Head, To))
        return true;
    return false;
  }

  /// Whether the block can be come to from \p From.
  bool isReachedFrom(std::uint32_t From) const {
    llvm::BitVector Seen(static_cast<unsigned>(F.Blocks.size()));
    llvm::SmallVector<std::uint32_t, 8> Work{From};
    while (!Work.empty()) {
      const std::uint32_t B = Work.pop_back_val();
      if (B == Block)
        return true;
      if (Seen.test(B))
        continue;
      Seen.set(B);
      for (const BlockId To : F.Blocks[B].Successors)
        if (!isBackEdge(B, index(To)) || !isAround(index(To)))
          Work.push_back(index(To));
    }
    return false;
  }

private:
  bool isAround(std::uint32_t Head) const {
    return Cycles.beginsAt(Head) && !Cycles.leaves(Head, Block);
  }

  const Function &F;
  const Loops Cycles;
  const std::uint32_t Block;
};

} // namespace

/// Whether a condition is on what all ranks have alike, as whether a tensor is
/// there: none of them alone goes either way.
bool ValueFlow::isAlike(const Operand &Condition) const {
  if (Condition.Slot == SlotId::None)
    return false;
  const Fact *Maker = nullptr;
  for (const Fact &X : factsOf<Fact>(F))
    if (llvm::is_contained(defs(X), Condition.Slot) ||
        llvm::is_contained(writes(X), Condition.Slot)) {
      if (Maker)
        return false;
      Maker = &X;
    }
  const auto *D = Maker ? std::get_if<DefineFact>(Maker) : nullptr;
  return D && D->K == DefineFact::Kind::Constant;
}

/// Whether something decides that the fact is run but the end of a loop: some
/// rank alone may be the one to run it.
bool ValueFlow::isConditional() const {
  const Iteration Around(F, Block);
  const std::size_t Nothing = F.Blocks.size();
  const bool Ends = leaves(0, Nothing);
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B) {
    if (F.Blocks[B].Successors.size() < 2 || B == Block ||
        isAlike(F.Blocks[B].Condition))
      continue;
    bool Runs = false, Avoids = false;
    for (const BlockId Next : F.Blocks[B].Successors) {
      const bool Way = Around.isReachedFrom(index(Next));
      Runs |= Way;
      // Where the program ends, on an error say, nothing is avoided.
      Avoids |= !Way && !Around.ends(B, index(Next)) &&
                (!Ends || leaves(index(Next), Nothing));
    }
    if (Runs && Avoids)
      return true;
  }
  return false;
}

} // namespace spmd::rules::inference
