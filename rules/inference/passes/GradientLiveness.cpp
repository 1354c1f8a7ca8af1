//===- GradientLiveness.cpp - Values that a gradient flows back to --------===//
//
// An index, a mask, a count: where all that a value goes into selects, drops
// the gradient, or asks for the shape, nothing flows back to it. Then R and I
// are one on the way there: `targets - rank * width` is right for targets of
// either type when it is an index alone.
//
//===----------------------------------------------------------------------===//

#include "BodyFacts.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/IntEqClasses.h"

namespace spmd::rules::inference {

namespace {

/// Marks what a gradient may flow back to, from what is not seen here.
class Marker {
public:
  explicit Marker(const Function &F)
      : F(F), Marked(2 * F.Slots.size()), Used(F.Slots.size()),
        To(2 * F.Slots.size()), Storage(static_cast<unsigned>(F.Slots.size())) {
  }

  std::vector<bool> run() {
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
      if (!isTracked(F.Slots[I]))
        mark(SlotId(I));
    for (const Block &B : F.Blocks) {
      for (const Fact &X : B.Facts)
        std::visit([&](const auto &Y) { visit(Y); }, X);
      use(B.Condition.Slot);
    }
    spreadWrites();
    // What is used nowhere may be meant for something.
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
      if (!Used[I])
        mark(SlotId(I));
    while (!Work.empty()) {
      const SlotId Next = Work.pop_back_val();
      for (SlotId From : To[index(Next)])
        mark(From);
    }
    Marked.resize(F.Slots.size());
    return std::move(Marked);
  }

private:
  /// All uses of others are facts of this function.
  static bool isTracked(const Slot &S) {
    return (S.Kind == SlotKind::Local || S.Kind == SlotKind::Temporary) &&
           !S.Escapes && !S.Declared && S.Base == SlotId::None;
  }

  void mark(SlotId Slot) {
    if (Slot == SlotId::None || Marked[index(Slot)])
      return;
    Marked[index(Slot)] = true;
    Work.push_back(Slot);
  }
  void use(SlotId Slot) {
    if (Slot != SlotId::None)
      Used[index(Slot)] = true;
  }
  void flows(SlotId From, SlotId Into) {
    if (From == SlotId::None || Into == SlotId::None)
      return mark(From);
    use(From);
    To[index(Into)].push_back(From);
  }

  void share(SlotId A, SlotId B) {
    if (A != SlotId::None && B != SlotId::None)
      Storage.join(index(A), index(B));
  }

  /// What is written in place, all names of the storage have: it stands in
  /// between, with a number behind those of the slots.
  void spreadWrites() {
    const auto StorageOf = [&](SlotId S) {
      return SlotId(static_cast<std::uint32_t>(F.Slots.size()) +
                    Storage.findLeader(index(S)));
    };
    for (const SlotId W : Written)
      To[index(StorageOf(W))].push_back(W);
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
      if (const SlotId Shared = StorageOf(SlotId(I));
          !To[index(Shared)].empty())
        To[I].push_back(Shared);
  }

  // A list of which nothing is known yet, as one in braces is at first.
  void visit(const DefineFact &X) {
    if (X.K == DefineFact::Kind::Undefined &&
        F.slot(X.Dst).Kind == SlotKind::Temporary)
      use(X.Dst);
  }
  void visit(const BindFact &X) {
    flows(X.Src.Slot, X.Dst);
    share(X.Src.Slot, X.Dst);
    // Another name for who asks for its size.
    if (X.Dst != SlotId::None && F.slot(X.Dst).Kind == SlotKind::Temporary)
      use(X.Dst);
  }
  void visit(const ViewFact &X) {
    mark(X.Src.Slot);
    use(X.Offset.Slot);
    share(X.Src.Slot, X.Dst);
  }
  void visit(const OpFact &X) {
    const SlotId Into = X.WritesTo == SlotId::None ? X.Dst : X.WritesTo;
    for (std::size_t I = 0; I != X.Operands.size(); ++I) {
      const SlotId From = X.Operands[I].Slot;
      if (!X.Rule->Views.empty())
        share(From, X.Dst);
      if (From != SlotId::None && From == X.WritesTo)
        continue;
      if (!passesGradient(X.Rule->Term, X.FormalOf[I]))
        use(From);
      else
        flows(From, Into);
    }
    if (X.WritesTo == SlotId::None) {
      // `x.index({mask}) = 0` reads nothing.
      if (X.Rule->is(OpRole::Indexes) && X.Dst != SlotId::None &&
          F.slot(X.Dst).Kind == SlotKind::Temporary)
        use(X.Dst);
      return;
    }
    Written.push_back(X.WritesTo);
    share(X.WritesTo, X.Dst);
    use(X.Dst);
  }
  void visit(const TransferFact &X) {
    mark(X.Src.Slot);
    mark(X.Out.Slot);
  }
  void visit(const PointFact &) {}
  void visit(const NullFact &) {}
  template <typename Other> void visit(const Other &X) {
    forEachSlot(X, [&](SlotId S, SlotAccess) { mark(S); });
  }

  const Function &F;
  std::vector<bool> Marked, Used;
  /// By slot, and then by the first of each storage: what flows into it.
  std::vector<llvm::SmallVector<SlotId, 2>> To;
  llvm::IntEqClasses Storage; ///< slots that may name one
  llvm::SmallVector<SlotId, 4> Written;
  llvm::SmallVector<SlotId, 16> Work;
};

} // namespace

std::vector<bool> findGradientLiveness(const Function &F) {
  return Marker(F).run();
}

} // namespace spmd::rules::inference
