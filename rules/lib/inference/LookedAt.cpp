//===- LookedAt.cpp - Values that no gradient flows back through ----------===//
//
// An index, a mask, a count: where all that a value goes into selects, drops
// the gradient, or asks for the shape, nothing flows back to it. Then R and I
// are one on the way there: `targets - rank * width` is right for targets of
// either type when it is an index alone.
//
//===----------------------------------------------------------------------===//

#include "FactSlots.h"
#include "FunctionAnalysis.h"

namespace spmd::rules::inference {

namespace {

/// Marks what a gradient may flow back to, from what is not seen here.
class Marker {
public:
  explicit Marker(const Function &F)
      : F(F), Marked(F.Slots.size()), Used(F.Slots.size()), To(F.Slots.size()) {
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
    // What is used nowhere may be meant for something.
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
      if (!Used[I])
        mark(SlotId(I));
    while (!Work.empty()) {
      const SlotId Next = Work.pop_back_val();
      for (SlotId From : To[index(Next)])
        mark(From);
    }
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

  void visit(const DefineFact &) {}
  void visit(const BindFact &X) { flows(X.Src.Slot, X.Dst); }
  void visit(const ViewFact &X) {
    mark(X.Src.Slot);
    use(X.Offset.Slot);
  }
  void visit(const OpFact &X) {
    for (std::size_t I = 0; I != X.Operands.size(); ++I) {
      const SlotId From = X.Operands[I].Slot;
      if (!passesGradient(X.Rule->Term, X.FormalOf[I]))
        use(From);
      else
        flows(From, X.WritesTo == SlotId::None ? X.Dst : SlotId::None);
    }
    mark(X.WritesTo);
  }
  void visit(const TransferFact &X) {
    mark(X.Src.Slot);
    mark(X.Out.Slot);
  }
  template <typename Other> void visit(const Other &X) {
    SlotVisitor{[&](SlotId S) { mark(S); }}(X);
  }

  const Function &F;
  std::vector<bool> Marked, Used;
  std::vector<llvm::SmallVector<SlotId, 2>> To; ///< by slot: what flows into it
  llvm::SmallVector<SlotId, 16> Work;
};

} // namespace

void FunctionAnalysis::computeGradients() { HasGradient = Marker(F).run(); }

/// Of what \p O makes; an op that writes makes what others see too.
bool FunctionAnalysis::givesGradient(const OpFact &O) const {
  return O.Dst == SlotId::None || O.WritesTo != SlotId::None ||
         HasGradient[index(O.Dst)];
}

RuleResult FunctionAnalysis::apply(const OpFact &O,
                                   llvm::ArrayRef<TypeSet> Operands) const {
  return applyRule(*O.Rule, Operands, O.FormalOf, givesGradient(O));
}

} // namespace spmd::rules::inference
