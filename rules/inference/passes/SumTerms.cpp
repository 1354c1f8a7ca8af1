//===- SumTerms.cpp - Ops whose results are the terms of a sum ------------===//

#include "SumTerms.h"

#include "spmd/ir/ControlFlow.h"
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
      HasTerms = true;
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

bool sums(const TransferFact &T) {
  return reduces(T.K) && T.Reduction == ReductionKind::Sum &&
         (!T.From || T.From->Type == LocalType::P ||
          T.From->Type == LocalType::V);
}

/// Follows what one op makes through its function.
class ValueFlow {
public:
  ValueFlow(const Function &F, const OpFact &O) : F(F), Of(O) {
    for (std::size_t B = 0; B != F.Blocks.size(); ++B)
      for (std::size_t I = 0; I != F.Blocks[B].Facts.size(); ++I)
        if (const Fact &X = F.Blocks[B].Facts[I];
            std::get_if<OpFact>(&X) == &O) {
          Block = B;
          Index = I;
        } else if (const auto *View = std::get_if<ViewFact>(&X);
                   View && View->Element) {
          Elements.emplace_back(View->Dst, View->Src.Slot);
        }
    Names.resize(F.Blocks.size(), llvm::BitVector(width()));
  }

  llvm::SmallVector<const TransferFact *, 1> run() {
    llvm::BitVector Here(width());
    name(Here, Of.Dst), name(Here, Of.WritesTo);
    nameWholes(Here);
    pass(Block, Index + 1, std::move(Here));
    while (!Work.empty()) {
      const std::size_t B = Work.pop_back_val();
      pass(B, 0, Names[B]);
    }
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
      if (Is && sums(*T))
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

  /// Whether something decides that \p Of is run but the end of a loop: some
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
  const OpFact &Of;
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
  return ValueFlow(F, O).run();
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
