//===- SumTerms.h - Ops whose results are the terms of a sum ----*- C++ -*-===//
//
// What is V on an axis and is added up over it, by out_partial or by a
// collective, is each rank's term of a sum. What all ranks have alike and add
// to their terms is in the sum once per rank.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_PASSES_SUMTERMS_H
#define SPMD_INFERENCE_PASSES_SUMTERMS_H

#include "ValueFlow.h"

#include "llvm/ADT/DenseMap.h"

namespace spmd::rules::inference {

/// Indices into the operands of an op.
using OperandList = llvm::SmallVector<std::size_t, 2>;

/// Whether a product of the operands is all there is to it.
bool isMultilinear(const RuleTerm &T);

/// Whether what \p O adds to products of tensors is pending, and the products
/// are terms of a sum.
bool addsPending(const OpFact &O, llvm::ArrayRef<TypeSet> Sets);

/// The operands of \p O, a sum, that are replicas while others are terms of a
/// sum, and nothing is pending yet. Empty where there are none.
OperandList addedToTerms(const OpFact &O, llvm::ArrayRef<TypeSet> Sets);

/// The literals that \p O adds to terms of a sum, tensors.
OperandList numbersAddedToTerms(const OpFact &O, llvm::ArrayRef<TypeSet> Sets);

/// Whether \p O multiplies tensors, and adds the product to something.
bool addsProduct(const OpFact &O);

/// The collectives that surely add up what \p O makes, as it is: nothing scales
/// it before or after; or perhaps after, if \p Scaled. \p O is a fact of \p F.
ValueFlow::SumList summedBy(const Function &F, const OpFact &O, CalleeFn Callee,
                            bool Scaled = false);

/// The same of what \p O makes on some ways only.
ValueFlow::SumList summedOnSomeWay(const Function &F, const OpFact &O,
                                   CalleeFn Callee);

/// The same of what \p Call leaves in \p Given, one of its arguments.
ValueFlow::SumList summedBy(const Function &F, const CallFact &Call,
                            SlotId Given, CalleeFn Callee);

/// An op that adds parameters of its function, their elements, or sums and
/// products of such.
struct AddingOp {
  const OpFact *Op = nullptr;
  /// By operand, what it is made of.
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 2> Parameters;
  unsigned Into = 0; ///< the parameter that is left with the sum, as it is
};

/// Those that \p F runs whenever it is called.
struct AddingOps {
  explicit AddingOps(const Function &F);

  llvm::SmallVector<AddingOp, 1> All;
  const OpFact *CutAt = nullptr; ///< the first beyond Limits::AddingOps
};

/// The updates that a function makes in place, `w = w - rate * g`. Each is
/// looked for once, when somebody asks.
class Updates {
public:
  explicit Updates(const Function &F) : F(F) {}

  /// Whether the result of \p O is stored where its first operand was read.
  bool ofFirstOperand(const OpFact &O) const;
  /// Whether the function makes the value of \p Slot by scaling another.
  bool isScaled(SlotId Slot) const;

private:
  const Function &F;
  mutable llvm::DenseMap<const OpFact *, bool> InPlace;
  mutable llvm::DenseMap<SlotId, bool> Scaled;
};

/// The same of what may make a rank's share of it: no literal, nor the number
/// of ranks, multiplied with it.
bool mayBeShare(const Function &F, SlotId Slot);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_SUMTERMS_H
