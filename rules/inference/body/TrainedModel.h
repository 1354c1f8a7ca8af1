//===- TrainedModel.h - Whose optimizer is not seen to be made --*- C++ -*-===//
//
// `train_step(model, optimizer, batch)`: of which tensors the optimizer is, its
// caller knows. Where one model alone is declared, and the function asks for
// the gradients of that one, it is taken to be the model's.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_BODY_TRAINEDMODEL_H
#define SPMD_INFERENCE_BODY_TRAINEDMODEL_H

#include "engine/Engine.h"

namespace spmd::rules::inference {

class TrainedModel {
public:
  TrainedModel(const Engine &E, const Function &F);

  /// The list of the parameters of the model that \p Optimizer, the list of an
  /// optimizer, is taken to be of; None if there is no such, or several.
  SlotId modelOf(SlotId Optimizer) const {
    return Optimizer != SlotId::None && Optimizer == Steps ? Model
                                                           : SlotId::None;
  }

private:
  SlotId Steps = SlotId::None, Model = SlotId::None;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_TRAINEDMODEL_H
