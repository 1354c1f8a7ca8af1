//===- NamedModules.h - Other names of modules ------------------*- C++ -*-===//
//
// `auto model = models[name].model;`: what is declared of the member holds for
// the variable, and what is done to that is done to the member.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_BODY_NAMEDMODULES_H
#define SPMD_INFERENCE_BODY_NAMEDMODULES_H

#include "spmd/ir/IR.h"

namespace spmd::rules::inference {

/// Whether others have the object whose parameters \p List lists: the caller,
/// the object that \p F is a method of, or the whole program.
bool isGiven(const Function &F, SlotId List);
/// The slot that is declared to be what the tensors of \p List are: the list,
/// or the module that has it, by the names that it has here. Null: there is
/// none.
const Slot *declaredOf(const Function &F, SlotId List);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_NAMEDMODULES_H
