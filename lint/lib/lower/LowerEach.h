//===- LowerEach.h - Loops over all elements of a list ----------*- C++ -*-===//
//
// Before the loop, the list is copied. Each iteration has a copy of an element
// of that, and joins what it leaves of it with what the others left. Behind the
// loop the list is that, if an iteration changes its element at all.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_LOWEREACH_H
#define SPMD_LINT_LOWER_LOWEREACH_H

#include "EachLoops.h"
#include "Slots.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::lint::lower {

/// The lists of the loops that were begun.
class EachLists {
public:
  EachLists(FactWriter &L, SlotTable &Slots) : L(L), Slots(Slots) {}

  void begin(const EachLoop &Loop,
             llvm::function_ref<Operand(const clang::Expr *)> Of);
  /// The element that is the loop variable of the next iteration; None where
  /// that is a number.
  SlotId next(const EachLoop &Loop);
  void end(const EachLoop &Loop);
  /// Behind the loop: what its iterations left of the elements, or what there
  /// was.
  void leave(const EachLoop &Loop, bool Visited);
  /// Where the function returns from within: some elements were visited.
  void leaveEarly(const EachLoop &Loop);
  /// Of the lists of loops that change no element nothing is written back: on
  /// some ranks alone, that would make them differ.
  void keepUnchanged();

  /// The list that a loop over all its elements has \p Element of; else the
  /// tensor itself.
  SlotId listOf(SlotId Element) const;
  /// The element of an iteration that `list[i]` names; None if none does.
  SlotId element(const EachLoops::Element &At) const;

private:
  /// What a list held before, the element of the iteration, and what the
  /// iterations so far left; the same of the gradients.
  struct List {
    const clang::Expr *Mention = nullptr;
    Operand Of;
    llvm::SmallVector<Operand, 0> Named; ///< elements, where braces name all
    SlotId Before = SlotId::None, Element = SlotId::None, Done = SlotId::None;
    SlotId GradientsBefore = SlotId::None, GradientsDone = SlotId::None;
  };

  /// The list is what the iterations left, or what there was; \p Partial: or
  /// what it is.
  void giveBack(const EachLoop &Loop, const List &Each, bool Visited,
                bool Partial);
  void leaveNamed(const List &Each);
  /// Whether \p X puts into the list, or its gradients, what they were, or says
  /// that they may be what an iteration has.
  static bool givesBack(const rules::Fact &X, const List &Each);

  FactWriter &L;
  SlotTable &Slots;
  llvm::DenseMap<const EachLoop *, llvm::SmallVector<List, 2>> ListsOf;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWEREACH_H
