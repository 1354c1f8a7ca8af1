//===- Extremes.cpp - What collectives make that do not add ---------------===//

#include "OpTransfer.h"

#include "passes/SumTerms.h"

namespace spmd::rules::inference {

/// Takes note that operand \p I is averaged over \p A: the sum of replicas is
/// what they were, and the largest of the ranks' values is no sum.
void OpTransfer::noteAverage(Run &Of, AxisId A, std::size_t I) const {
  AxisState Was = Of.Cells[I]->Axes[A];
  // What was added up may lie in what this is a view of.
  if (const CellId Whole = Of.Cells[I]->Whole; Whole != NoCell) {
    const AxisState &All = Store.contents(Whole)->Axes[A];
    if (!Was.SumOfReplicas)
      Was.SumOfReplicas = All.SumOfReplicas;
    Was.Extreme |= All.Extreme;
    Was.OfOneRank |= All.OfOneRank;
  }
  if (Was.SumOfReplicas)
    E.noteDivided(*Was.SumOfReplicas, A);
  if ((!Was.Extreme && !Was.OfOneRank) || Of.Cells[I]->Undefined)
    return;
  Of.NoAverage |= 1u << A;
  tell(In, TakesExtreme{Of.O, Of.O.Operands[I], A, Was,
                        PartialNonlinear::Place::Average});
}

/// Takes note that a sum is multiplied by a number that may be what makes an
/// average of it.
void OpTransfer::noteScaled(const Run &Of, AxisId A) const {
  const OpRule &Rule = *Of.O.Rule;
  if (Of.Cells.size() != 2 ||
      !(Rule.is(OpRole::Multiplies) || Rule.is(OpRole::Divides)))
    return;
  for (const std::size_t I : {0, 1})
    if (const TransferFact *Sum = Of.Cells[I]->Axes[A].SumOfReplicas;
        Sum && (I == 0 || Rule.is(OpRole::Multiplies)) &&
        (Of.Cells[1 - I]->Number || Of.O.Operands[1 - I].Scalar))
      E.noteScaled(*Sum, A);
}

/// Takes note in \p Is of what \p Of makes of what a collective made that does
/// not add: a sum with it, or so many times it.
void OpTransfer::noteExtreme(const Run &Of, AxisId A, AxisState &Is) const {
  // An update by what is told to be no average is the same mistake.
  if (Of.Cells.size() != 2 || Of.NoAverage & 1u << A)
    return;
  const OpRule &Rule = *Of.O.Rule;
  for (const std::size_t I : {0, 1}) {
    if (Of.Cells[I]->Undefined)
      continue;
    const AxisState &Was = Of.Cells[I]->Axes[A];
    if (Rule.is(OpRole::Adds)) {
      // Of the largest and the smallest it is the middle.
      Is.Extreme ^= Was.Extreme;
      Is.ScaledExtreme |= Was.ScaledExtreme;
      Is.ScaledOfOneRank |= Was.ScaledOfOneRank;
      Is.TermsOfOneRank |= Was.TermsOfOneRank; // momentum, say
    } else if ((Rule.is(OpRole::Divides) && I == 0) ||
               (Rule.is(OpRole::Multiplies) &&
                (isNumber(*Of.Cells[1 - I]) ||
                 scales(Of.O, I, In.Facts.OfBuffers)))) {
      Is.ScaledExtreme |= Was.Extreme || Was.ScaledExtreme;
      Is.ScaledOfOneRank |= Was.TermsOfOneRank || Was.ScaledOfOneRank;
    }
  }
}

/// Takes note of `w -= rate * g` where a collective that does not add made g.
void OpTransfer::noteUpdate(const Run &Of, AxisId A,
                            llvm::ArrayRef<TypeSet> Sets) {
  const OpFact &O = Of.O;
  if (!O.Rule->is(OpRole::Subtracts) || Sets.size() != 2 ||
      Of.Cells[1]->Undefined || isConstant(*Of.Cells[0]))
    return;
  const AxisState &Is = Of.Cells[1]->Axes[A];
  if (!Is.ScaledExtreme && !Is.ScaledOfOneRank)
    return;
  // Or each rank has its part of both.
  const bool AreParts = Sets[0] == TypeSet(LocalType::V) && Sets[0] == Sets[1];
  // What a rate of which nothing is known has updated may differ.
  const TypeSet Replicas = LocalType::R | LocalType::I;
  const bool MayBeReplica = !(Sets[0] & Replicas).empty() &&
                            Sets[0].subsetOf(Replicas | LocalType::V);
  if (!AreParts && !MayBeReplica)
    return;
  if (In.Facts.InPlace.ofFirstOperand(O))
    tell(In,
         TakesExtreme{O, O.Operands[1], A, Is,
                      Is.ScaledExtreme ? PartialNonlinear::Place::Update
                                       : PartialNonlinear::Place::UpdateOfOne});
}

} // namespace spmd::rules::inference
