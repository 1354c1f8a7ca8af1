//===- AxisState.h - A value on one axis ------------------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_DOMAIN_AXISSTATE_H
#define SPMD_INFERENCE_DOMAIN_AXISSTATE_H

#include "Fields.h"

#include "spmd/inference/Inference.h"

namespace spmd::rules::inference {

/// What a value was before ranks went different ways with it, in the order of
/// how much that matters.
enum class DivergedFrom : std::uint8_t {
  Nothing,
  Replicate,
  Invariant,
  Partial
};

/// Whether a collective made a value: here, in another function, or perhaps
/// only what is beside it in one buffer.
enum class Collected : std::uint8_t { No, Here, Elsewhere, Beside };

/// Whether a value is data of each rank's own, or each computed it from such:
/// all of it, or a part that lies elsewhere on each, so that the others do not
/// see the terms that it has for theirs. What each has drawn, or taken at its
/// place from what all have, may be data or its shard of something; so may what
/// it has computed of that.
enum class OwnTerms : std::uint8_t { No, Data, Whole, Slice, Taken, OfTaken };
/// On one path or another it is each rank's own, and of none are terms missing.
struct OwnOnPaths {
  OwnTerms operator()(OwnTerms A, OwnTerms B) const {
    const auto Has = [&](OwnTerms X) { return A == X || B == X; };
    if (A == B)
      return A;
    if (Has(OwnTerms::No) || Has(OwnTerms::Slice))
      return OwnTerms::No;
    return Has(OwnTerms::Whole) || Has(OwnTerms::OfTaken) ? OwnTerms::OfTaken
                                                          : OwnTerms::Taken;
  }
};

/// What all ranks have alike and \p In adds to each rank's own at some place: a
/// sum over \p On of what it makes has it once per rank, as \p What then says.
struct AddedReplica {
  const Function *In;
  PlaceId At;
  AxisId On;
  Violation What;
};

/// A type set, its layout if known, and where it came from.
struct AxisState {
  TypeSet Set = TypeSet::all();
  std::optional<std::int8_t> Dim;
  /// Explains the type in a finding; decides nothing.
  const Origin *From = nullptr;
  /// The members that the value cannot be used as on some path.
  TypeSet May = TypeSet::none();
  /// Computed from literals alone. Such a value has no gradient and is known on
  /// every rank, so it may be used as R, as I and as V, each time anew.
  bool Constant = false;
  /// Believed after a finding, and no excuse for it: in a loop the mistake
  /// would else come round and be right.
  bool Assumed = false;
  DivergedFrom Before = DivergedFrom::Nothing;
  Collected By = Collected::No;
  /// The all_reduce that added up replicas to make it.
  const TransferFact *SumOfReplicas = nullptr;
  /// A reduction that does not add made some of it, as the largest of the
  /// ranks' values, or something that was added to it.
  bool Extreme = false;
  /// A broadcast made some of it, of what each rank has its own.
  bool OfOneRank = false;
  /// It is so many times what such a reduction made, or a quotient of it; the
  /// same of such a broadcast.
  bool ScaledExtreme = false, ScaledOfOneRank = false;
  /// A broadcast made it of what that rank, as each other, has computed of its
  /// own data.
  bool TermsOfOneRank = false;
  /// Some of it was divided by the number of ranks: a share of an average.
  bool Share = false;
  /// The reduce that left the sum in it, in place, on one rank, and terms of it
  /// on the others; or the reduce_scatter that left each rank its shard.
  const TransferFact *LeftBy = nullptr;
  /// What was added to it last, and to nothing else since.
  const AddedReplica *Added = nullptr;
  /// No collective has made any of it.
  OwnTerms Own = OwnTerms::No;
  /// Each rank has computed it of its shards of what is declared, or of its own
  /// data besides, and no collective has made any of it.
  bool OfShards = false;
  /// It is of a contraction of a dim of which each rank has a shard: its terms
  /// of a sum.
  bool Contracted = false;
  /// It is what a sum has left, which nobody scaled since.
  bool Summed = false;
  /// Of a tensor: such a sum that was in its gradient before the last backward
  /// pass.
  const AddedReplica *UnderGradient = nullptr;
  /// Messages between ranks made some of it: what differed may be the same on
  /// all ranks now.
  bool OfMessages = false;

  static constexpr auto fields() {
    return std::tuple(
        Field{"types", &AxisState::Set, Either()},
        Field{"may", &AxisState::May, Either()},
        Field{"dim", &AxisState::Dim, Agree{std::optional<std::int8_t>()}},
        Field{"constant", &AxisState::Constant, Both()},
        Field{"assumed", &AxisState::Assumed, Both()},
        Field{"before", &AxisState::Before, Most()},
        Field{"by", &AxisState::By, Agree{Collected::No}},
        Field{"sum", &AxisState::SumOfReplicas,
              Agree<const TransferFact *>{nullptr}},
        Field{"extreme", &AxisState::Extreme, Either()},
        Field{"ofOneRank", &AxisState::OfOneRank, Either()},
        Field{"scaledExtreme", &AxisState::ScaledExtreme, Either()},
        Field{"scaledOfOneRank", &AxisState::ScaledOfOneRank, Either()},
        Field{"termsOfOneRank", &AxisState::TermsOfOneRank, Either()},
        Field{"share", &AxisState::Share, Either()},
        Field{"leftBy", &AxisState::LeftBy,
              Agree<const TransferFact *>{nullptr}},
        Field{"added", &AxisState::Added, Known()},
        Field{"summed", &AxisState::Summed, Both()},
        Field{"underGradient", &AxisState::UnderGradient,
              Agree<const AddedReplica *>{nullptr}},
        Field{"own", &AxisState::Own, OwnOnPaths()},
        Field{"ofShards", &AxisState::OfShards, Both()},
        Field{"contracted", &AxisState::Contracted, Both()},
        Field{"ofMessages", &AxisState::OfMessages, Either()});
  }

  /// The members that it can be used as on all paths.
  TypeSet must() const { return Set - May; }
  bool isSurely(LocalType T) const { return Set == TypeSet(T) && May.empty(); }
  /// Whether dropping all but \p Left may be wrong on some path.
  bool isDoubtful(TypeSet Left) const;
  /// The same value where only its types changed to \p Types, all of them sure.
  AxisState as(TypeSet Types) const;
  /// It is what \p Declared says; an average may be made of it still.
  void believe(const AxisState &Declared) {
    const TransferFact *Sum = SumOfReplicas;
    *this = Declared;
    SumOfReplicas = Sum;
  }
  /// Of shards that lie as those of \p Other, as far as nobody knows.
  void lieAs(const AxisState &Other) {
    if (!isSurely(LocalType::V) || !Other.isSurely(LocalType::V))
      return;
    if (!Dim)
      Dim = Other.Dim;
    OfShards |= Other.OfShards;
  }
  /// A use shows that it is of \p Types.
  void narrowTo(TypeSet Types);
  /// A value of \p Types that \p From made.
  static AxisState of(TypeSet Types, const Origin *From,
                      TypeSet May = TypeSet::none());
  static AxisState constant(TypeSet Types, const Origin *From);

  AxisType type() const {
    return {Set, Dim ? std::optional<int>(*Dim) : std::nullopt};
  }
};

/// The union of what two paths know.
AxisState join(const AxisState &A, const AxisState &B);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_DOMAIN_AXISSTATE_H
