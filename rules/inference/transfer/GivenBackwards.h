//===- GivenBackwards.h - Backward passes of the program's own --*- C++ -*-===//
//
// torch::autograd::Function has a forward and a backward pass, each as code.
// What the forward pass returns is seen by its values; whether, where it is
// the same on all ranks, it is R or I, only the backward pass tells: the
// gradient that it takes is then P or I, and what it leaves must be those of
// the inputs.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_TRANSFER_GIVENBACKWARDS_H
#define SPMD_INFERENCE_TRANSFER_GIVENBACKWARDS_H

#include "CallTransfer.h"

namespace spmd::rules::inference {

/// The gradient of the \p Input-th argument in the result of \p Backward. None
/// if it never returns a list of its own.
SlotId gradientSlot(const Function &Backward, std::size_t Input);

class GivenBackwards {
public:
  GivenBackwards(Body &In, CallTransfer &Calls) : In(In), Calls(Calls) {}

  /// What \p Call.Backward is the output of, of the types that fit \p Pass.
  void run(const CallFact &Call, const Function &Pass);

private:
  /// What became of one choice of types for the output.
  enum class Fit : std::uint8_t { No, Unknown, Yes };
  struct Trial {
    llvm::SmallVector<TypeSet, 4> Output;             ///< by axis
    llvm::SmallVector<Fit, 4> Fits;                   ///< by axis
    std::vector<std::optional<AbstractValue>> Leaves; ///< by input
  };
  Trial attempt(const CallFact &Call, const Function &Pass,
                llvm::SmallVector<TypeSet, 4> Output, bool Report) const;
  /// The inputs that have a gradient, and what it is if that is known.
  void
  forEachGradient(const CallFact &Call, const Trial &T,
                  llvm::function_ref<void(std::size_t, const AbstractValue &,
                                          const AbstractValue *)>
                      Visit) const;
  void judge(const CallFact &Call, Trial &T) const;
  void tellUnfit(const CallFact &Call, const Function &Pass, const Trial &T,
                 AxisId A) const;

  Body &In;
  CallTransfer &Calls;
  Storage &Store = In.Store;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_TRANSFER_GIVENBACKWARDS_H
