//===- Value.cpp - Joining what two paths know ----------------------------===//

#include "Value.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

SpecPtr Layout::Merge::operator()(const SpecPtr &A, const SpecPtr &B) const {
  if (A == B)
    return A;
  std::optional<PartitionSpec> Both = A && B ? merge(*A, *B) : std::nullopt;
  return Both ? std::make_shared<const PartitionSpec>(std::move(*Both))
              : nullptr;
}

llvm::SmallVector<CellId, 2>
StorageFacts::InBoth::operator()(const llvm::SmallVector<CellId, 2> &A,
                                 const llvm::SmallVector<CellId, 2> &B) const {
  llvm::SmallVector<CellId, 2> Out;
  std::set_intersection(A.begin(), A.end(), B.begin(), B.end(),
                        std::back_inserter(Out));
  return Out;
}

ViewPosition join(const ViewPosition &A, const ViewPosition &B) {
  return A.Whole == B.Whole ? joinFields(A, B) : ViewPosition();
}

AbstractValue join(const AbstractValue &A, const AbstractValue &B) {
  if (A.Undefined == B.Undefined && A.Blank == B.Blank) {
    AbstractValue Out = joinFields(A, B);
    // Where a buffer holds zeros still, none of them is anybody's.
    if (const AbstractValue &Made = A.Zero ? B : A; A.Zero != B.Zero)
      for (std::size_t I = 0; I != Out.Axes.size(); ++I) {
        Out.Axes[I].Own = Made.Axes[I].Own;
        Out.Axes[I].OfShards = Made.Axes[I].OfShards;
      }
    return Out;
  }
  // A pointer to nothing is no memory that could have been written.
  const bool IsFirst = A.Undefined != B.Undefined ? B.Undefined
                       : A.Undefined              ? A.Blank
                                                  : B.Blank;
  AbstractValue Out = IsFirst ? A : B;
  Out.Diverged = A.Diverged | B.Diverged;
  Out.Parted = A.Parted | B.Parted;
  Out.Reconverged = A.Reconverged | B.Reconverged;
  Out.Holds = StorageFacts::InBoth()(A.Holds, B.Holds);
  return Out;
}

AbstractValue joinIterations(AbstractValue A, AbstractValue B, bool OfThreads) {
  const auto Follow = [OfThreads](AbstractValue &Unwritten,
                                  const AbstractValue &Written) {
    if (!Unwritten.Untouched || Unwritten.Undefined || Written.Undefined)
      return;
    const TypeSet Replicas = LocalType::R | LocalType::I;
    for (std::size_t I = 0; I != Unwritten.Axes.size(); ++I)
      if (const TypeSet Was = Unwritten.Axes[I].Set, Is = Written.Axes[I].Set;
          (Was.isAll() || Was == (Replicas | LocalType::V) ||
           Was == (LocalType::R | LocalType::V) ||
           (OfThreads && Was.subsetOf(Replicas))) &&
          Is.subsetOf(LocalType::V | LocalType::P)) {
        Unwritten.Axes[I] = Written.Axes[I];
        const AxisMask Bit = 1u << I;
        Unwritten.ModifiedDivergently &= ~Bit | Written.ModifiedDivergently;
      }
  };
  Follow(A, B);
  Follow(B, A);
  return join(A, B);
}

void keepPlace(AbstractValue &New, const AbstractValue &Old) {
  static_cast<ViewPosition &>(New) = Old;
  New.Gradient = Old.Gradient;
  New.GradientEscapes |= Old.GradientEscapes;
  New.Chosen |= Old.Chosen;
  New.Holds = Old.Holds;
  New.HasParts |= Old.HasParts;
  New.Span = Old.Span;
  New.OneRank = Old.OneRank;
  if (!New.Spec) // what is written into a buffer has its shape
    static_cast<Layout &>(New) = Old;
}

bool isConstant(const AbstractValue &V) {
  return !V.Undefined &&
         llvm::all_of(V.Axes, [](const AxisState &A) { return A.Constant; });
}

bool isZeroNumber(const AbstractValue &V) {
  const TypeSet Zero = typesOf(SourceKind::Zero);
  return isConstant(V) && llvm::all_of(V.Axes, [Zero](const AxisState &A) {
           return Zero.subsetOf(A.Set);
         });
}

AxisState partOf(AxisState T, bool Varies, bool MayVary, const Origin *Slice) {
  // Parts of a pending sum are pending wherever they lie, and no op may mix
  // the sums of different elements.
  if (T.Set == TypeSet(LocalType::P))
    return T;
  const bool Pending = T.Set.contains(LocalType::P);
  if (Varies)
    return AxisState::of(Pending ? TypeSet::all() : TypeSet(LocalType::V),
                         Slice);
  if (MayVary) {
    T.Set = Pending && !T.Set.isAll() ? TypeSet::all() : T.Set | LocalType::V;
    T.May = T.Set.isAll() ? TypeSet::none() : T.Set;
  }
  return T;
}

AxisState regionOf(const AbstractValue &Whole, AxisId A) {
  AxisState Out = Whole.Axes[A];
  if (Whole.VariesInRegion & 1u << A && Out.Set == TypeSet(LocalType::V))
    Out.Set = LocalType::R | LocalType::V;
  return Out;
}

AxisMask partialAtVaryingOffset(const AbstractValue &C, AxisMask Varies) {
  AxisMask Out = 0;
  for (AxisId A = 0; A != C.Axes.size(); ++A)
    if (C.Axes[A].Set == TypeSet(LocalType::P))
      Out |= Varies & 1u << A;
  return Out;
}

} // namespace spmd::rules::inference
