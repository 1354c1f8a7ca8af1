//===- Gradients.h - The storage of tensors' gradients ----------*- C++ -*-===//
//
// A tensor's gradient has a cell once it was asked for. Until then it is the
// dual of the tensor's type, and so it is again after the next backward pass.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_BODY_GRADIENTS_H
#define SPMD_INFERENCE_BODY_GRADIENTS_H

#include "Storage.h"

#include "OwnObjects.h"
#include "TrainedModel.h"

#include <optional>

namespace spmd::rules::inference {

class Gradients {
public:
  Gradients(Engine &E, const Function &F, const Declarations &Decls,
            const BodyFacts &Facts, CellNumbers &Numbers,
            const ProgramPoint &Point, MayAlias &Alias, Storage &Store)
      : E(E), F(F), Decls(Decls), Facts(Facts), Numbers(Numbers), Point(Point),
        Alias(Alias), Store(Store) {}

  /// Null where nobody asked for it since the last backward pass.
  static const AbstractValue *gradientOf(const State &S, CellId Primal);
  /// Binds \p G's result to the gradient of its operand.
  void run(const GradientFact &G);
  /// Unknown code may change the gradients of \p Slot, and of what is in it.
  void lose(SlotId Slot);
  /// A backward pass: gradients accumulate anew, what was reduced before is
  /// pending again.
  void forgetAll();
  /// They were used, or somebody clears some of them: the next backward pass
  /// adds to nothing that a sum has left, as far as anyone knows.
  void forgetSums();

  /// Whether who has \p Slot has gradients, or tensors that have them.
  bool givesGradients(SlotId Slot) const;
  void noteReduced(AxisMask On);
  void noteAsked(AskedGradients Of);
  void noteUsed() { noteAsked({0, 0, true}); }
  /// \p Value takes the place of what a backward pass left.
  void noteGiven(const AbstractValue &Value);
  /// A sum over \p Span of \p Value, which may be a gradient.
  void noteReduction(const TransferFact &T, const AbstractValue &Value,
                     llvm::ArrayRef<AxisId> Span);

  /// Whether \p Gradient has the types that the gradient of a tensor that is
  /// \p Of is asked for with.
  bool isAsAsked(const AbstractValue &Of, const AbstractValue &Gradient) const;

  using JoinFn = llvm::function_ref<AbstractValue(const AbstractValue &,
                                                  const AbstractValue &)>;
  /// What is known of the gradient of a tensor that is \p A, with the gradient
  /// \p OfA, on one path and \p B on the other. Null: nobody asked for it;
  /// not both are.
  AbstractValue join(const AbstractValue &A, const AbstractValue *OfA,
                     const AbstractValue &B, const AbstractValue *OfB,
                     JoinFn Join) const;

  /// The gradients of what the caller passed in \p C, at the exit.
  void summarise(const Context &C, llvm::ArrayRef<CellId> Passed,
                 Summary &Out) const;
  /// What a callee left of the gradients of \p Passed.
  void take(const Summary &S, llvm::ArrayRef<CellId> Passed,
            llvm::function_ref<AbstractValue(AbstractValue)> Here);

private:
  void loseOf(CellId Id);
  void ask(const GradientFact &G);
  void clear(const GradientFact &G);
  bool isUnknown(SlotId List) const;
  bool isOfParameters(CellId Id) const;
  bool holdsParameters(SlotId Value) const;
  void noteReducedCell(CellId Id, AxisMask On);
  AxisMask mayBeOver(const TransferFact &T) const;
  llvm::SmallVector<CellId, 4> mayShareTensors(CellId Primal) const;
  llvm::SmallVector<SlotId, 2> listedObjects(CellId Primal) const;
  bool hasOthers(CellId Primal, llvm::ArrayRef<CellId> Known) const;
  bool listsOther(CellId Primal, CellId Other) const;
  bool areApart(CellId Primal, CellId Other);
  bool hasOthers(CellId Primal, SlotId Object,
                 llvm::ArrayRef<CellId> Known) const;
  llvm::SmallVector<CellId, 4> partsOf(CellId Primal) const;
  llvm::SmallVector<CellId, 4> wholesOf(CellId Primal) const;
  std::optional<AbstractValue> known(CellId Primal) const;
  AbstractValue asLeft(CellId Primal, const GradientFact &G,
                       llvm::SmallVectorImpl<CellId> &Shared);
  void handDown(CellId Of, CellId Gradient);
  llvm::StringRef nameOf(CellId Primal) const;
  void takeDeclared(CellId Primal, AbstractValue &Is) const;
  bool haveEscaped(CellId Primal) const;
  void takeFrom(llvm::ArrayRef<CellId> Parts, AbstractValue &Gradient,
                const GradientFact &G);
  void takeFromHeld(CellId Primal, AbstractValue &Gradient,
                    const GradientFact &G);
  AxisMask changedByOtherName(CellId Primal) const;
  void takeFromWhole(CellId Primal, AbstractValue &Gradient) const;

  Engine &E;
  const Function &F;
  const Declarations &Decls;
  const BodyFacts &Facts;
  CellNumbers &Numbers;
  const ProgramPoint &Point;
  MayAlias &Alias;
  Storage &Store;
  std::optional<TrainedModel> Trained; ///< once a gradient is asked for
  bool IsTrainers = false; ///< an optimizer of unknown tensors took its model's
  std::optional<OwnObjects> Own; ///< once there are those of two
  unsigned Nested = 0;           ///< lists in lists whose tensors are asked for
  bool RunsBackward = false;
  AxisMask ReducedGradients = 0; ///< the axes over which some are summed
  llvm::DenseMap<CellId, AxisMask> Reduced; ///< what was, some of it at least
  AskedGradients Asked;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_GRADIENTS_H
