//===- Value.h - What is known of a storage's contents ----------*- C++ -*-===//
//
// A value is these parts together. Each is a family of facts with its own
// lattice; a mask has a bit per axis.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_DOMAIN_VALUE_H
#define SPMD_INFERENCE_DOMAIN_VALUE_H

#include "AxisState.h"

namespace spmd::rules::inference {

/// The abstract storage that slots name.
using CellId = std::uint32_t;
inline constexpr CellId NoCell = ~0u;

using AxisMask = std::uint32_t;

/// The axes a communicator spans.
using AxisList = llvm::SmallVector<AxisId, 2>;

/// Recovery after a finding: what was wrong is not reported again.
struct Recovery {
  /// Never written, or made by a wrong op: the identity of a join.
  bool Undefined = false;
  /// Undefined, since a wrong op made it or something that it is made of: in a
  /// loop it would else come round and excuse that op's operand. More than what
  /// was never written, which a loop without a round leaves.
  bool Wrong = false;

  static constexpr auto fields() {
    return std::tuple(Field{"undefined", &Recovery::Undefined, Both()},
                      Field{"wrong", &Recovery::Wrong, Either()});
  }
};
inline Recovery join(const Recovery &A, const Recovery &B) {
  return joinFields(A, B);
}

/// Of which storage this one is a part or view, and where in it.
struct ViewPosition {
  CellId Whole = NoCell;
  /// The axes on which the position varies or may vary between ranks.
  AxisMask Varies = 0, MayVary = 0;
  /// It is some of Whole only, or perhaps none of it: what is written to it
  /// joins what Whole has elsewhere.
  bool Some = false;
  /// No other such part of Whole has any of it. Without Some, it is where Whole
  /// begins.
  bool Apart = false;

  static constexpr auto fields() {
    return std::tuple(Field{"whole", &ViewPosition::Whole, Agree{NoCell}},
                      Field{"varies", &ViewPosition::Varies, Both()},
                      Field{"mayVary", &ViewPosition::MayVary, Either()},
                      Field{"some", &ViewPosition::Some, Either()},
                      Field{"apart", &ViewPosition::Apart, Both()});
  }
};
ViewPosition join(const ViewPosition &A, const ViewPosition &B);

/// Numbers that tell ranks apart, or how many there are.
struct RankFacts {
  /// It is the rank over these axes, several ones, or a sum or product with it:
  /// what a quotient of it varies on is not known.
  AxisMask RankOver = 0;
  /// The axes on which it is another number on each rank; true on one rank
  /// alone; false on one alone.
  AxisMask Counts = 0, TrueOnOne = 0, FalseOnOne = 0;
  /// The axis whose number of ranks it is.
  AxisMask SizeOf = 0;

  static constexpr auto fields() {
    return std::tuple(Field{"rankOver", &RankFacts::RankOver, Either()},
                      Field{"counts", &RankFacts::Counts, Both()},
                      Field{"trueOnOne", &RankFacts::TrueOnOne, Both()},
                      Field{"falseOnOne", &RankFacts::FalseOnOne, Both()},
                      Field{"sizeOf", &RankFacts::SizeOf, Both()});
  }
};
inline RankFacts join(const RankFacts &A, const RankFacts &B) {
  return joinFields(A, B);
}

/// How ranks came to hold something different.
struct Divergence {
  /// The axes on which some write left it different between ranks; on which one
  /// did so that found the same on all; and on which a later one made what that
  /// left the same again. What it begins with, and is sent round, is no more.
  AxisMask Diverged = 0, Parted = 0, Reconverged = 0;
  /// The axes on which some ranks changed what was I or P and others did not:
  /// no gradient is the same on all of them any more, no sum has all its terms.
  AxisMask ModifiedDivergently = 0;
  /// The axes on which it is a part of a pending sum that lies elsewhere on
  /// each rank: a place for the result of a reduce_scatter, but no sum.
  AxisMask PartialAtVaryingOffset = 0;
  /// The axes on which it is V since some region of it is, and others are not:
  /// of a region that is taken from it, it is not known what it is.
  AxisMask VariesInRegion = 0;
  /// The axes on which \p Promise, the annotation of the storage, says that all
  /// ranks have the same in it, whatever was written since.
  AxisMask PromisedAlike = 0;
  const Origin *Promise = nullptr;

  static constexpr auto fields() {
    return std::tuple(
        Field{"diverged", &Divergence::Diverged, Either()},
        Field{"parted", &Divergence::Parted, Either()},
        Field{"reconverged", &Divergence::Reconverged, Either()},
        Field{"modifiedDivergently", &Divergence::ModifiedDivergently,
              Either()},
        Field{"partialAtVaryingOffset", &Divergence::PartialAtVaryingOffset,
              Both()},
        Field{"variesInRegion", &Divergence::VariesInRegion, Either()},
        Field{"promisedAlike", &Divergence::PromisedAlike, Either()},
        Field{"promise", &Divergence::Promise, Known()});
  }
};
inline Divergence join(const Divergence &A, const Divergence &B) {
  return joinFields(A, B);
}

/// How the shards reassemble on the axes that are checked globally; null when
/// nobody knows.
struct Layout {
  SpecPtr Spec;
  /// Null since what made it has none, which is reported, or something that it
  /// is made of: where ways meet, the others know.
  bool SpecWrong = false;
  bool isWrong() const { return SpecWrong && !Spec; }

  struct Merge {
    SpecPtr operator()(const SpecPtr &A, const SpecPtr &B) const;
  };
  static constexpr auto fields() {
    return std::tuple(Field{"spec", &Layout::Spec, Merge()},
                      Field{"specWrong", &Layout::SpecWrong, Both()});
  }
};
inline Layout join(const Layout &A, const Layout &B) {
  return A.isWrong() ? B : B.isWrong() ? A : joinFields(A, B);
}

/// What the storage is besides a tensor with types.
struct StorageFacts {
  /// As the function found it, which on the axes of the full set nobody
  /// described, and did not write it.
  bool Untouched = false;
  /// Nothing was stored in it: what it is declared to hold, it will. Where ways
  /// meet, it is what another stored.
  bool Blank = false;
  /// Random numbers, or made of such and of numbers: values that it begins
  /// with.
  bool Drawn = false;
  /// A pointer to a place behind its beginning is kept: a collective may be of
  /// one part of it.
  bool HasParts = false;
  /// The storage was made in code that is seen, and given to none that is not:
  /// nobody else has a pointer to it.
  bool Fresh = false;
  /// Nothing but zeros, which were stored in fresh storage or are made of such:
  /// not what a number that is 0 makes of something.
  bool Zero = false;
  /// The axes on which somebody is to put something there, as is declared, and
  /// nobody has: it holds what it did before, zeros at most.
  AxisMask Unwritten = 0;
  /// A number of the host's that nobody described, such as a learning rate: a
  /// pending sum is not what one multiplies tensors by.
  bool Number = false;
  /// The storage of this tensor's `.grad()`, once it was asked for.
  CellId Gradient = NoCell;
  /// The gradient was cleared, and no backward pass was since.
  bool GradientCleared = false;
  /// Unknown code may change the gradient: it had the tensor, or a hook.
  bool GradientEscapes = false;
  /// It is a gradient, or was made of gradients.
  bool IsGradient = false;
  /// The axes on which it is of the type that a backward pass left it.
  AxisMask FreshGradient = 0;
  /// It lists tensors that a function chose among those of its caller, which
  /// has other names for them.
  bool Chosen = false;
  /// Of a list, storages that it surely has handles to, in order.
  llvm::SmallVector<CellId, 2> Holds;
  /// Kind communicator: the axes; empty when unknown, or of one rank alone.
  AxisList Span;
  bool OneRank = false;

  static constexpr auto fields() {
    return std::tuple(
        Field{"untouched", &StorageFacts::Untouched, Both()},
        Field{"blank", &StorageFacts::Blank, Both()},
        Field{"drawn", &StorageFacts::Drawn, Both()},
        Field{"hasParts", &StorageFacts::HasParts, Either()},
        Field{"fresh", &StorageFacts::Fresh, Both()},
        Field{"zero", &StorageFacts::Zero, Both()},
        Field{"unwritten", &StorageFacts::Unwritten, Both()},
        Field{"number", &StorageFacts::Number, Both()},
        Field{"gradient", &StorageFacts::Gradient, Agree{NoCell}},
        Field{"gradientCleared", &StorageFacts::GradientCleared, Both()},
        Field{"gradientEscapes", &StorageFacts::GradientEscapes, Either()},
        Field{"isGradient", &StorageFacts::IsGradient, Either()},
        Field{"freshGradient", &StorageFacts::FreshGradient, Both()},
        Field{"chosen", &StorageFacts::Chosen, Either()},
        Field{"holds", &StorageFacts::Holds, InBoth()},
        Field{"span", &StorageFacts::Span, SameSpan()},
        Field{"oneRank", &StorageFacts::OneRank, Both()});
  }
  struct InBoth {
    llvm::SmallVector<CellId, 2>
    operator()(const llvm::SmallVector<CellId, 2> &A,
               const llvm::SmallVector<CellId, 2> &B) const;
  };
  struct SameSpan {
    AxisList operator()(const AxisList &A, const AxisList &B) const {
      return A == B ? A : AxisList();
    }
  };
};
inline StorageFacts join(const StorageFacts &A, const StorageFacts &B) {
  return joinFields(A, B);
}

/// What one storage holds at one point.
struct AbstractValue : Recovery,
                       ViewPosition,
                       RankFacts,
                       Divergence,
                       Layout,
                       StorageFacts {
  llvm::SmallVector<AxisState, 4> Axes;

  static constexpr auto fields() {
    return std::tuple(
        Field{"axes", &AbstractValue::Axes, Parts()},
        Base<AbstractValue, Recovery>(), Base<AbstractValue, ViewPosition>(),
        Base<AbstractValue, RankFacts>(), Base<AbstractValue, Divergence>(),
        Base<AbstractValue, Layout>(), Base<AbstractValue, StorageFacts>());
  }
};

/// Whether \p V is made of literals alone.
bool isConstant(const AbstractValue &V);
/// Whether \p V is a number of the host's, or made of literals alone.
inline bool isNumber(const AbstractValue &V) {
  return V.Number || isConstant(V);
}
/// Whether \p V is the number 0, wherever it came from.
bool isZeroNumber(const AbstractValue &V);

/// The union of what two paths know.
AbstractValue join(const AbstractValue &A, const AbstractValue &B);
/// The same where one path writes the storage and the other is there only for
/// those who have nothing to write, as a loop that has no iteration: what the
/// first makes different on each rank does not become less so. \p OfThreads:
/// some thread takes each path, so that what was a replica is none any more.
AbstractValue joinIterations(AbstractValue A, AbstractValue B, bool OfThreads);

/// What a part is of a whole that is \p T, on an axis on which its position
/// varies, or may do so, since \p Slice.
AxisState partOf(AxisState T, bool Varies, bool MayVary, const Origin *Slice);
/// What a region is of \p Whole on \p A, if nobody knows more of it.
AxisState regionOf(const AbstractValue &Whole, AxisId A);
/// On which of the axes \p Varies the part \p C of a whole is pending still.
AxisMask partialAtVaryingOffset(const AbstractValue &C, AxisMask Varies);

/// New contents do not change what a storage is a part of.
void keepPlace(AbstractValue &New, const AbstractValue &Old);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_DOMAIN_VALUE_H
