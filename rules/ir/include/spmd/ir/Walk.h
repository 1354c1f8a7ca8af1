//===- Walk.h - What facts mention, whatever their kind ---------*- C++ -*-===//
//
// What asks for the slots, operands or places of facts and not for their kinds
// asks here: the parts of each kind are listed once, in the order in which the
// text form has them.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_IR_WALK_H
#define SPMD_IR_WALK_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/iterator.h"

#include <type_traits>

namespace spmd::rules {

/// The functions of \p M by their first places, then by symbol: in which order
/// they were lowered, parsed or linked must not decide what is found.
std::vector<Function *> functionsInOrder(const Module &M);

/// What a fact does to a slot that it mentions.
struct SlotAccess {
  bool Defines = false; ///< it names something else afterwards
  bool Writes = false;  ///< what its storage holds changes
  bool Reads = false;
};

namespace walk {

inline constexpr SlotAccess Write{false, true, false};
inline constexpr SlotAccess Read{false, false, true};

/// Calls `V.slot(S, Access)`, `V.operand(O, Access)` for slots with a place of
/// their own, and `V.place(P)` with each part of \p X.
template <typename FactT, typename Visitor> void parts(FactT &X, Visitor &&V) {
  using T = std::remove_const_t<FactT>;
  const auto Slot = [&](auto &S, SlotAccess Access) {
    if (S != SlotId::None)
      V.slot(S, Access);
  };
  const auto Value = [&](auto &O, SlotAccess Access = Read) {
    if (O.Slot != SlotId::None || O.At != PlaceId::None)
      V.operand(O, Access);
  };
  const auto Size = [&](auto &Known) {
    for (const bool Divides : {false, true}) // as written: products first
      for (auto &Term : Known.Terms)
        if ((Term.Exponent < 0) == Divides)
          Slot(Term.Tensor, Read);
  };

  if constexpr (std::is_same_v<T, Fact>) {
    std::visit([&](auto &Y) { parts(Y, V); }, X);
    return;
  } else {
    if constexpr (std::is_same_v<T, BindFact>)
      Slot(X.Dst, {true, false, X.Joins});
    else if constexpr (requires { X.Dst; })
      Slot(X.Dst, {true, false, false});
    if constexpr (std::is_same_v<T, DefineFact>) {
      Slot(X.Axis, Read);
    } else if constexpr (std::is_same_v<T, BindFact>) {
      Value(X.Src);
    } else if constexpr (std::is_same_v<T, ViewFact>) {
      Value(X.Src), Value(X.Offset);
    } else if constexpr (std::is_same_v<T, OpFact>) {
      for (auto &O : X.Operands)
        Value(O);
      for (auto &A : X.Arguments) {
        if (!A.Value)
          continue;
        if (auto *One = std::get_if<SizeValue>(&*A.Value))
          Size(*One);
        else if (auto *List = std::get_if<SizeList>(&*A.Value))
          for (auto &Known : *List)
            if (Known)
              Size(*Known);
      }
      Slot(X.WritesTo, {false, true, X.PartialWrite});
    } else if constexpr (std::is_same_v<T, TransferFact>) {
      Value(X.Src), Value(X.Axis);
      V.place(X.FromAt), V.place(X.ToAt);
      Value(X.Out, Write);
    } else if constexpr (std::is_same_v<T, AssertFact>) {
      Slot(X.Buffer, Read);
      Value(X.Value);
      V.place(X.DeclaredAt);
    } else if constexpr (std::is_same_v<T, CallFact>) {
      for (auto &O : X.Arguments)
        Value(O);
      for (auto &Given : X.Numbers)
        Slot(Given.Same, Read);
      Value(X.Receiver);
      if (X.Backward) {
        Value(X.Backward->Output);
        for (auto &O : X.Backward->Inputs)
          Value(O);
      }
    } else if constexpr (std::is_same_v<T, GradientFact>) {
      Value(X.Src);
    } else if constexpr (std::is_same_v<T, BackwardFact>) {
      Value(X.Loss);
    } else if constexpr (std::is_same_v<T, HavocFact>) {
      Slot(X.Slot, {X.Rebinds, true, false});
      Slot(X.Comm, Read);
    } else if constexpr (std::is_same_v<T, NullFact>) {
      Slot(X.Slot, Read);
    } else if constexpr (std::is_same_v<T, ReturnFact>) {
      Value(X.Value);
    } else {
      static_assert(std::is_same_v<T, PointFact>);
      for (auto &O : X.Of)
        Value(O);
    }
    V.place(X.At);
  }
}

template <typename Fn> struct SlotVisitor {
  Fn &Each;
  template <typename S> void slot(S &X, SlotAccess A) { Each(X, A); }
  template <typename O> void operand(O &X, SlotAccess A) {
    if (X.Slot != SlotId::None)
      Each(X.Slot, A);
  }
  template <typename P> void place(P &) {}
};
template <typename Fn> struct OperandVisitor {
  Fn &Each;
  template <typename S> void slot(S &, SlotAccess) {}
  template <typename O> void operand(O &X, SlotAccess) {
    if (X.Slot != SlotId::None)
      Each(X);
  }
  template <typename P> void place(P &) {}
};
template <typename Fn> struct PlaceVisitor {
  Fn &Each;
  template <typename S> void slot(S &, SlotAccess) {}
  template <typename O> void operand(O &X, SlotAccess) { place(X.At); }
  template <typename P> void place(P &X) {
    if (X != PlaceId::None)
      Each(X);
  }
};

} // namespace walk

/// Calls `Each(SlotId, SlotAccess)` with every mention of a slot, that in an
/// operand or a size among them; by reference if the fact may change.
template <typename FactT, typename Fn> void forEachSlot(FactT &X, Fn Each) {
  walk::parts(X, walk::SlotVisitor<Fn>{Each});
}
/// Calls `Each(Operand)` with every operand that has a slot.
template <typename FactT, typename Fn> void forEachOperand(FactT &X, Fn Each) {
  walk::parts(X, walk::OperandVisitor<Fn>{Each});
}
/// Calls `Each(PlaceId)` with every place, those of operands among them.
template <typename FactT, typename Fn> void forEachPlace(FactT &X, Fn Each) {
  walk::parts(X, walk::PlaceVisitor<Fn>{Each});
}

/// What \p X makes, as an expression; None if it makes nothing.
SlotId resultOf(const Fact &X);

using SlotList = llvm::SmallVector<SlotId, 4>;

/// The slots that name something else after \p X.
SlotList defs(const Fact &X);
/// The slots whose storage holds something else after \p X.
SlotList writes(const Fact &X);
/// The slots that \p X reads.
SlotList uses(const Fact &X);

/// The facts of a kind, block by block.
template <typename FactT = Fact, typename FunctionT = const Function>
class FactIterator
    : public llvm::iterator_facade_base<
          FactIterator<FactT, FunctionT>, std::forward_iterator_tag,
          std::conditional_t<std::is_const_v<FunctionT>, const FactT, FactT>> {
public:
  using Value =
      std::conditional_t<std::is_const_v<FunctionT>, const FactT, FactT>;

  FactIterator(FunctionT &F, std::size_t Block) : F(&F), Block(Block) {
    settle();
  }
  Value &operator*() const {
    auto &X = F->Blocks[Block].Facts[At];
    if constexpr (std::is_same_v<FactT, Fact>)
      return X;
    else
      return *std::get_if<FactT>(&X);
  }
  FactIterator &operator++() {
    ++At;
    settle();
    return *this;
  }
  bool operator==(const FactIterator &B) const {
    return Block == B.Block && At == B.At;
  }

private:
  void settle() {
    for (; Block != F->Blocks.size(); ++Block, At = 0)
      for (; At != F->Blocks[Block].Facts.size(); ++At)
        if constexpr (std::is_same_v<FactT, Fact>)
          return;
        else if (std::holds_alternative<FactT>(F->Blocks[Block].Facts[At]))
          return;
  }

  FunctionT *F;
  std::size_t Block, At = 0;
};

/// `for (const CallFact &Call : factsOf<CallFact>(F))`. No fact may be added or
/// removed meanwhile.
template <typename FactT = Fact, typename FunctionT>
auto factsOf(FunctionT &F) {
  using Iterator = FactIterator<FactT, FunctionT>;
  return llvm::make_range(Iterator(F, 0), Iterator(F, F.Blocks.size()));
}

} // namespace spmd::rules

#endif // SPMD_IR_WALK_H
