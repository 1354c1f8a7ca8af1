//===- State.h - What is known at a program point ---------------*- C++ -*-===//
//
// A state maps slots to cells (abstract storage) and cells to their values. Two
// slots of one cell are aliases. Values are immutable, and states share what
// they have alike: a copy is three pointers.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_DOMAIN_STATE_H
#define SPMD_INFERENCE_DOMAIN_STATE_H

#include "PersistentMap.h"

#include "Value.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/StringSaver.h"

#include <deque>
#include <memory>

namespace spmd::rules::inference {

/// What the analysis of one module allocates: the explanations of types, and
/// how many values there are.
class Arena {
public:
  /// Facts may be gone when what is remembered of them is told.
  const Origin *origin(Origin O) {
    O.Text = Texts.save(O.Text);
    Origins.push_back(O);
    return &Origins.back();
  }
  /// The same one for each place and axis; \p What makes it the first time.
  const AddedReplica *added(const Function &In, PlaceId At, AxisId On,
                            llvm::function_ref<Violation()> What) {
    std::unique_ptr<const AddedReplica> &Known =
        Added[{&In, {static_cast<std::uint32_t>(At), On}}];
    if (!Known)
      Known = std::make_unique<AddedReplica>(AddedReplica{&In, At, On, What()});
    return Known.get();
  }
  std::size_t numValues() const { return NumValues; }

private:
  friend struct SharedValue;

  std::deque<Origin> Origins;
  llvm::DenseMap<std::pair<const Function *, std::pair<std::uint32_t, AxisId>>,
                 std::unique_ptr<const AddedReplica>>
      Added;
  llvm::BumpPtrAllocator Bytes;
  llvm::UniqueStringSaver Texts{Bytes};
  std::size_t NumValues = 0;
};

/// A value that states share.
struct SharedValue : llvm::RefCountedBase<SharedValue>, AbstractValue {
  SharedValue(AbstractValue V, Arena &In)
      : AbstractValue(std::move(V)), In(In) {
    ++In.NumValues;
  }
  SharedValue(const SharedValue &) = delete;
  ~SharedValue() { --In.NumValues; }

private:
  Arena &In;
};
using ValueRef = llvm::IntrusiveRefCntPtr<const SharedValue>;

/// A cell that no slot names, of which nothing is a view, and that is no
/// gradient of another one, is seen by nobody: `release` drops it.
class State {
public:
  /// \p NumOwn cells are of slots, which may name them at any time.
  State(CellId NumOwn, Arena &Values) : NumOwn(NumOwn), Values(&Values) {}

  bool Reached = false;
  /// The axes on which somebody changed the gradients of tensors of which
  /// nothing is known, since the last backward pass: those of any tensors.
  AxisMask ForeignGradients = 0;

  /// The cell that \p Slot names: at first one of its own, of the same number.
  CellId cellOf(std::uint32_t Slot) const {
    const CellId *Id = Slots.find(Slot);
    return Id ? *Id : Slot;
  }
  void name(std::uint32_t Slot, CellId Id);
  /// Whether a slot names \p Id, it is the gradient of a cell, or one is a view
  /// of it.
  bool isSeen(CellId Id) const {
    return Uses.contains(Id) || Views.contains(Id);
  }
  /// With all slots that name a cell other than their own.
  template <typename Callback> void forEachName(Callback Visit) const {
    Slots.forEach(Visit);
  }

  /// Null for what was never read nor written.
  const AbstractValue *contents(CellId Id) const {
    const ValueRef *V = Cells.find(Id);
    return V ? V->get() : nullptr;
  }
  /// The same, to be kept.
  ValueRef share(CellId Id) const {
    const ValueRef *V = Cells.find(Id);
    return V ? *V : nullptr;
  }
  void put(CellId Id, AbstractValue V);
  template <typename Callback> void forEachCell(Callback Visit) const {
    Cells.forEach([&](CellId Id, const ValueRef &V) { Visit(Id, *V); });
  }
  /// What is a part or view of \p Whole, and not that itself.
  llvm::SmallVector<CellId, 4> viewsOf(CellId Whole) const;

  /// Drops \p Id, and what was there for it alone, if nobody sees it.
  void release(CellId Id);

  /// Slots that do not name the same, and cells that do not hold the same.
  template <typename Callback>
  static void forEachRenamed(const State &A, const State &B, Callback Visit) {
    PersistentMap<CellId>::forEachDifference(
        A.Slots, B.Slots,
        [&](std::uint32_t Slot, const CellId *, const CellId *) {
          Visit(Slot);
        });
  }
  template <typename Callback>
  static void forEachChanged(const State &A, const State &B, Callback Visit) {
    PersistentMap<ValueRef>::forEachDifference(
        A.Cells, B.Cells,
        [&](CellId Id, const ValueRef *, const ValueRef *) { Visit(Id); });
  }

private:
  using CellSet = PersistentMap<bool>;

  void use(CellId Id);
  void unuse(CellId Id);
  void setViewed(CellId View, CellId Whole, bool Is);

  CellId NumOwn;
  Arena *Values;
  PersistentMap<CellId> Slots;       ///< those that name another's cell
  PersistentMap<ValueRef> Cells;     ///< those that were read or written
  PersistentMap<std::uint32_t> Uses; ///< names and gradients, by cell
  PersistentMap<CellSet> Views;      ///< by what they are views of
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_DOMAIN_STATE_H
