//===- ValueFlow.h - What becomes of one value in a function ----*- C++ -*-===//
//
// Which collectives add up what one fact makes, or out_partial says that they
// will, and whether something scales it before or after: what is divided by the
// number of ranks is an average.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_PASSES_VALUEFLOW_H
#define SPMD_INFERENCE_PASSES_VALUEFLOW_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/BitVector.h"

namespace spmd::rules::inference {

/// The body of what \p Call calls; null where nobody knows it.
using CalleeFn = llvm::function_ref<const Function *(const CallFact &Call)>;
const Function *nobody(const CallFact &Call);

/// The numbers that hang on what buffers hold, as a norm does: none of them is
/// the number of ranks.
class NumbersOfBuffers {
public:
  explicit NumbersOfBuffers(const Function &F);
  bool contains(SlotId S) const {
    return S != SlotId::None && Of.test(index(S));
  }

private:
  llvm::BitVector Of;
};

/// Whether \p O makes of its operand \p I a multiple by a number of the host's,
/// as far as anyone knows.
bool scales(const OpFact &O, std::size_t I, const NumbersOfBuffers &Known);
bool isLinear(const OpFact &O);
/// Whether what \p O makes of terms of a sum are such terms: not if it adds up
/// elements of each rank's shard, which may be what was added to each of them.
bool keepsTerms(const OpFact &O);

/// Follows what one fact makes through its function.
class ValueFlow {
public:
  using SumList = llvm::SmallVector<const TransferFact *, 1>;

  /// Of \p Of, a fact of \p F, which leaves it in \p Made; up to the first
  /// collectives that add it up, if \p ToSums. \p Callee lives as long as this
  /// does.
  template <typename FactT>
  ValueFlow(const Function &F, const FactT &Of,
            std::initializer_list<SlotId> Made, CalleeFn Callee,
            bool ToSums = false)
      : ValueFlow(F, Callee, ToSums) {
    for (std::size_t B = 0; B != F.Blocks.size(); ++B)
      for (std::size_t I = 0; I != F.Blocks[B].Facts.size(); ++I)
        if (std::get_if<FactT>(&F.Blocks[B].Facts[I]) == &Of)
          follow(B, I + 1, Made);
  }
  /// Of the parameter \p Index.
  ValueFlow(const Function &F, unsigned Index);

  /// The parameters that are surely left with it, as it is.
  llvm::SmallVector<unsigned, 1> leftIn() const;
  /// The collectives that surely add it up, as it is.
  SumList sums() const;
  /// The same of what is made on some ways only.
  SumList sumsOnSomeWay() const;
  bool isScaled() const { return Scaled; }

private:
  ValueFlow(const Function &F, CalleeFn Callee, bool ToSums = false);
  unsigned width() const { return static_cast<unsigned>(F.Slots.size()); }
  void follow(std::size_t B, std::size_t From,
              std::initializer_list<SlotId> Made);
  void pass(std::size_t B, std::size_t From, llvm::BitVector Here);
  void step(const Fact &X, llvm::BitVector &Here, std::size_t B);
  void step(const OpFact &O, llvm::BitVector &Here);
  void step(const CallFact &Call, llvm::BitVector &Here);
  void nameWholes(llvm::BitVector &Here) const;
  bool reaches(std::size_t From, std::size_t To, std::size_t Avoided) const;
  bool leaves(std::size_t From, std::size_t Avoided) const;
  llvm::BitVector reached(std::size_t From, std::size_t Avoided) const;
  bool isConditional() const;
  bool isAlike(const Operand &Condition) const;

  const Function &F;
  CalleeFn Callee;
  const bool ToSums;
  const NumbersOfBuffers OfBuffers;
  llvm::BitVector AtExit; ///< slots that have the value where F ends
  std::size_t Block = 0;
  std::vector<llvm::BitVector> Names; ///< by block: slots that have the value
  llvm::SmallVector<std::size_t, 8> Work;
  llvm::SmallVector<std::pair<SlotId, SlotId>, 4> Elements; ///< and the whole
  llvm::SmallVector<std::pair<const TransferFact *, std::size_t>, 1> Sums;
  bool Scaled = false;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_VALUEFLOW_H
