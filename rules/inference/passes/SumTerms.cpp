//===- SumTerms.cpp - Ops whose results are the terms of a sum ------------===//

#include "SumTerms.h"

#include "spmd/inference/Limits.h"
#include "spmd/ir/ControlFlow.h"
#include "spmd/ir/Walk.h"
#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

bool isMultilinear(const RuleTerm &T) {
  return T.K == RuleTerm::Kind::Apply && T.Class == OpClass::Multilinear &&
         llvm::all_of(T.Children, [](const RuleTerm &C) {
           return C.K != RuleTerm::Kind::Apply;
         });
}

namespace {

bool isSum(const RuleTerm &T) {
  return T.K == RuleTerm::Kind::Apply && T.Class == OpClass::Linear &&
         T.Children.size() > 1 &&
         llvm::all_of(T.Children, [](const RuleTerm &C) {
           return C.K == RuleTerm::Kind::Operand || isMultilinear(C);
         });
}

/// The tensors among the operands of \p O that \p C reads; of an op on numbers,
/// which elements of buffers are too, all.
OperandList tensorsOf(const RuleTerm &C, const OpFact &O) {
  OperandList Out;
  const bool OfNumbers =
      llvm::all_of(O.Operands, [](const Operand &X) { return X.Scalar; });
  for (std::size_t I = 0; I != O.Operands.size(); ++I)
    if ((OfNumbers || !O.Operands[I].Scalar) && readsValue(C, O.FormalOf[I]))
      Out.push_back(I);
  return Out;
}

/// Two tensors or more: a number only scales.
bool isProduct(const RuleTerm &C, const OpFact &O) {
  return isMultilinear(C) && tensorsOf(C, O).size() > 1;
}

/// Whether each rank's product of what \p C reads is its own, legally.
bool isOwnProduct(const RuleTerm &C, const OpFact &O,
                  llvm::ArrayRef<TypeSet> Sets) {
  bool Varies = false;
  for (const std::size_t I : tensorsOf(C, O)) {
    if ((Sets[I] & (LocalType::R | LocalType::V)).empty())
      return false;
    Varies |= Sets[I].contains(LocalType::V);
  }
  return Varies;
}

} // namespace

bool addsPending(const OpFact &O, llvm::ArrayRef<TypeSet> Sets) {
  return llvm::all_of(O.Rule->Term.Children, [&](const RuleTerm &C) {
    if (isProduct(C, O))
      return isOwnProduct(C, O, Sets);
    const auto Tensors = tensorsOf(C, O);
    return Tensors.empty() ? llvm::none_of(O.FormalOf,
                                           [&](unsigned Formal) {
                                             return readsValue(C, Formal);
                                           })
                           : Sets[Tensors[0]] == TypeSet(LocalType::P);
  });
}

OperandList addedToTerms(const OpFact &O, llvm::ArrayRef<TypeSet> Sets) {
  OperandList Out;
  bool HasTerms = false;
  if (!isSum(O.Rule->Term))
    return Out;
  for (const RuleTerm &C : O.Rule->Term.Children) {
    const auto Tensors = tensorsOf(C, O);
    if (isProduct(C, O)) {
      if (!isOwnProduct(C, O, Sets))
        return {};
      // With what all ranks have, each makes whole results of its own rows.
      HasTerms |= llvm::all_of(Tensors, [&](std::size_t I) {
        return Sets[I].contains(LocalType::V);
      });
    } else if (!Tensors.empty()) {
      const TypeSet Is = Sets[Tensors[0]];
      if (Is == TypeSet(LocalType::R) || Is == TypeSet(LocalType::I))
        Out.push_back(Tensors[0]);
      else if (Is == TypeSet(LocalType::V))
        HasTerms = true;
      else
        return {};
    }
  }
  if (!HasTerms)
    Out.clear();
  return Out;
}

bool addsProduct(const OpFact &O) {
  return llvm::any_of(O.Rule->Term.Children,
                      [&](const RuleTerm &C) { return isProduct(C, O); });
}

namespace {

/// Whether \p O makes of one tensor a multiple of it, as far as anyone knows.
bool scales(const OpFact &O, std::size_t Operand) {
  const RuleTerm &T = O.Rule->Term;
  if (T.K != RuleTerm::Kind::Apply)
    return false;
  if (T.Class == OpClass::Quotient)
    return true;
  const auto HasNumber = [&](const RuleTerm &C) {
    bool Reads = false, Number = false;
    for (std::size_t I = 0; I != O.Operands.size(); ++I)
      if (readsValue(C, O.FormalOf[I])) {
        Reads |= I == Operand;
        Number |= O.Operands[I].Scalar && I != Operand;
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

bool isSumOf(const TransferFact &T) {
  return reduces(T.K) && T.Reduction == ReductionKind::Sum &&
         (!T.From || T.From->Type == LocalType::P ||
          T.From->Type == LocalType::V);
}

/// Follows what one fact makes through its function.
class ValueFlow {
public:
  /// \p Made are the slots that have it then.
  template <typename FactT>
  ValueFlow(const Function &F, const FactT &Of,
            std::initializer_list<SlotId> Made)
      : F(F), AtExit(width()) {
    for (std::size_t B = 0; B != F.Blocks.size(); ++B)
      for (std::size_t I = 0; I != F.Blocks[B].Facts.size(); ++I)
        if (const Fact &X = F.Blocks[B].Facts[I];
            std::get_if<FactT>(&X) == &Of) {
          Block = B;
          Index = I;
        } else if (const auto *View = std::get_if<ViewFact>(&X);
                   View && View->K != ViewFact::Kind::Offset) {
          Elements.emplace_back(View->Dst, View->Src.Slot);
        }
    Names.resize(F.Blocks.size(), llvm::BitVector(width()));
    llvm::BitVector Here(width());
    for (const SlotId S : Made)
      name(Here, S);
    nameWholes(Here);
    pass(Block, Index + 1, std::move(Here));
    while (!Work.empty()) {
      const std::size_t B = Work.pop_back_val();
      pass(B, 0, Names[B]);
    }
  }

  /// The parameters that are surely left with it, as it is.
  llvm::SmallVector<unsigned, 1> leftIn() const {
    // Together the threads of a kernel run what one of them has no element for.
    llvm::SmallVector<unsigned, 1> Out;
    if (!Scaled && Sums.empty() && (F.IsKernel || !isConditional()))
      for (unsigned I = 0; I != F.NumParameters; ++I)
        if (AtExit.test(I))
          Out.push_back(I);
    return Out;
  }

  llvm::SmallVector<const TransferFact *, 1> sums() const {
    if (Sums.empty() || isConditional())
      return {};
    llvm::SmallVector<const TransferFact *, 1> Out;
    for (const auto &[T, At] : Sums) {
      // What is declared to be pending is a sum, whatever is made of it.
      const bool Certain = T->From && T->From->Type == LocalType::P;
      if ((Certain || !Scaled) && !llvm::is_contained(Out, T) &&
          (At == Block || !reaches(0, At, Block) || !leaves(Block, At)))
        Out.push_back(T);
    }
    return Out;
  }

private:
  unsigned width() const { return static_cast<unsigned>(F.Slots.size()); }
  static void name(llvm::BitVector &Names, SlotId S, bool Is = true) {
    if (S != SlotId::None)
      Is ? Names.set(index(S)) : Names.reset(index(S));
  }

  void pass(std::size_t B, std::size_t From, llvm::BitVector Here) {
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

  void step(const Fact &X, llvm::BitVector &Here, std::size_t B) {
    const auto Has = [&](const Operand &O) {
      return O.Slot != SlotId::None && Here.test(index(O.Slot));
    };
    if (const auto *O = std::get_if<OpFact>(&X)) {
      bool Flows = false;
      for (std::size_t I = 0; I != O->Operands.size(); ++I)
        if (Has(O->Operands[I])) {
          Flows |= isLinear(*O) || scales(*O, I);
          Scaled |= scales(*O, I);
        }
      name(Here, O->Dst, Flows);
      if (Flows || !O->PartialWrite)
        name(Here, O->WritesTo, Flows);
    } else if (const auto *T = std::get_if<TransferFact>(&X)) {
      const bool Is = Has(T->Src);
      if (Is && isSumOf(*T))
        Sums.emplace_back(T, B);
      name(Here, T->Dst, Is), name(Here, T->Out.Slot, Is);
    } else if (const auto *Bind = std::get_if<BindFact>(&X)) {
      if (!Bind->Joins || Has(Bind->Src))
        name(Here, Bind->Dst, Has(Bind->Src));
    } else if (const auto *View = std::get_if<ViewFact>(&X)) {
      name(Here, View->Dst, Has(View->Src));
    } else if (const auto *D = std::get_if<DefineFact>(&X)) {
      name(Here, D->Dst, false);
    } else if (const auto *Call = std::get_if<CallFact>(&X)) {
      // A callee may scale what it is given.
      Scaled |= llvm::any_of(Call->Arguments, Has) || Has(Call->Receiver);
      name(Here, Call->Dst, false);
    } else if (const auto *Unknown = std::get_if<HavocFact>(&X)) {
      Scaled |= Has({Unknown->Slot, Unknown->At});
    } else if (const auto *G = std::get_if<GradientFact>(&X)) {
      name(Here, G->Dst, false);
    }
    nameWholes(Here);
  }

  /// An element that is written to is a part of the whole.
  void nameWholes(llvm::BitVector &Here) const {
    for (const auto &[Element, Whole] : Elements)
      if (Here.test(index(Element)))
        name(Here, Whole);
  }

  /// Whether \p To can be reached from \p From on ways that avoid \p Avoided.
  bool reaches(std::size_t From, std::size_t To, std::size_t Avoided) const {
    return reached(From, Avoided).test(static_cast<unsigned>(To));
  }
  /// Whether the function can end from \p From on ways that avoid \p Avoided.
  bool leaves(std::size_t From, std::size_t Avoided) const {
    return llvm::any_of(reached(From, Avoided).set_bits(), [&](unsigned B) {
      return F.Blocks[B].Successors.empty();
    });
  }
  llvm::BitVector reached(std::size_t From, std::size_t Avoided) const {
    return reachedFrom(F, static_cast<std::uint32_t>(From),
                       static_cast<std::uint32_t>(Avoided));
  }

  /// Whether something decides that the fact is run but the end of a loop: some
  /// rank alone may be the one to run it.
  bool isConditional() const {
    for (std::size_t B = 0; B != F.Blocks.size(); ++B) {
      bool Runs = false, Avoids = false, Ends = false;
      if (F.Blocks[B].Successors.size() < 2 || B == Block)
        continue;
      for (const BlockId Next : F.Blocks[B].Successors) {
        const bool Way = reaches(index(Next), Block, B);
        Runs |= Way;
        Avoids |= !Way;
        Ends |= !reaches(index(Next), B, F.Blocks.size());
      }
      if (Runs && Avoids && !Ends)
        return true;
      // Not a loop's end: what it is never comes back to.
      if (Runs && Avoids && !reaches(Block, B, F.Blocks.size()))
        return true;
    }
    return false;
  }

  const Function &F;
  llvm::BitVector AtExit; ///< slots that have the value where F ends
  std::size_t Block = 0, Index = 0;
  std::vector<llvm::BitVector> Names; ///< by block: slots that have the value
  llvm::SmallVector<std::size_t, 8> Work;
  llvm::SmallVector<std::pair<SlotId, SlotId>, 4> Elements; ///< and the whole
  llvm::SmallVector<std::pair<const TransferFact *, std::size_t>, 1> Sums;
  bool Scaled = false;
};

} // namespace

llvm::SmallVector<const TransferFact *, 1> summedBy(const Function &F,
                                                    const OpFact &O) {
  return ValueFlow(F, O, {O.Dst, O.WritesTo}).sums();
}

llvm::SmallVector<const TransferFact *, 1>
summedBy(const Function &F, const CallFact &Call, SlotId Given) {
  return ValueFlow(F, Call, {Given}).sums();
}

namespace {

/// The parameters that slots name, or have elements of.
class ParameterNames {
public:
  explicit ParameterNames(const Function &F) : F(F), From(F.Slots.size()) {
    llvm::BitVector Defined(static_cast<unsigned>(F.Slots.size()));
    for (const Block &B : F.Blocks)
      for (const Fact &X : B.Facts) {
        const SlotId Slot = resultOf(X);
        if (Slot == SlotId::None)
          continue;
        const auto *Bind = std::get_if<BindFact>(&X);
        const auto *View = std::get_if<ViewFact>(&X);
        const auto *O = std::get_if<OpFact>(&X);
        const bool Again = Defined.test(index(Slot));
        const bool Copies =
            O && O->Operands.size() == 1 && O->Rule->is(OpRole::Copies);
        From[index(Slot)] = Again    ? SlotId::None
                            : Bind   ? Bind->Src.Slot
                            : View   ? View->Src.Slot
                            : Copies ? O->Operands[0].Slot
                                     : SlotId::None;
        Defined.set(index(Slot));
      }
  }

  std::optional<unsigned> of(SlotId Slot) const {
    for (unsigned Steps = 0; Slot != SlotId::None && Steps != MaxSteps;
         ++Steps, Slot = From[index(Slot)])
      if (index(Slot) < F.NumParameters)
        return index(Slot);
    return std::nullopt;
  }

private:
  static constexpr unsigned MaxSteps = 4; ///< there may be circles

  const Function &F;
  std::vector<SlotId> From; ///< by slot: what else is called so, if one thing
};

} // namespace

AddingOps::AddingOps(const Function &F) {
  const ParameterNames Parameters(F);
  unsigned Tried = 0;
  for (const OpFact &O : factsOf<OpFact>(F)) {
    if (!isSum(O.Rule->Term) || O.Operands.size() < 2)
      continue;
    AddingOp Here{&O, {}, 0};
    for (const Operand &X : O.Operands)
      if (const auto Of = Parameters.of(X.Slot))
        Here.Parameters.push_back(*Of);
    if (Here.Parameters.size() != O.Operands.size())
      continue;
    if (++Tried > Limits::AddingOps) {
      CutAt = &O;
      return;
    }
    for (const unsigned I : ValueFlow(F, O, {O.Dst, O.WritesTo}).leftIn()) {
      Here.Into = I;
      All.push_back(Here);
    }
  }
}

bool isScaled(const Function &F, SlotId Slot) {
  llvm::SmallVector<SlotId, 4> Names{Slot};
  for (std::size_t N = 0; N != Names.size(); ++N)
    for (const Block &B : F.Blocks)
      for (const Fact &X : B.Facts) {
        const auto From = [&](const Operand &O) {
          if (O.Slot != SlotId::None && !llvm::is_contained(Names, O.Slot))
            Names.push_back(O.Slot);
        };
        if (const auto *O = std::get_if<OpFact>(&X)) {
          if (O->Dst != Names[N] && O->WritesTo != Names[N])
            continue;
          for (std::size_t I = 0; I != O->Operands.size(); ++I) {
            if (scales(*O, I))
              return true;
            if (isLinear(*O))
              From(O->Operands[I]);
          }
        } else if (const auto *Bind = std::get_if<BindFact>(&X)) {
          if (Bind->Dst == Names[N])
            From(Bind->Src);
        } else if (const auto *View = std::get_if<ViewFact>(&X)) {
          if (View->Dst == Names[N])
            From(View->Src);
        } else if (const auto *Call = std::get_if<CallFact>(&X)) {
          if (Call->Dst == Names[N])
            return true; // as far as anyone knows
        }
      }
  return false;
}

} // namespace spmd::rules::inference
