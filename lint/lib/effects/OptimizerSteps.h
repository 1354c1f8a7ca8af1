//===- OptimizerSteps.h - Gradients that are all touched --------*- C++ -*-===//
//
// `optimizer.step()` names no tensor, but reads the gradients of all of them.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_OPTIMIZERSTEPS_H
#define SPMD_LINT_EFFECTS_OPTIMIZERSTEPS_H

#include "StatementWriter.h"

#include "cxx/CallSite.h"
#include "matchers/FileMatches.h"

namespace spmd::lint::effects {

class OptimizerSteps {
public:
  explicit OptimizerSteps(StatementWriter &Out) : Out(Out) {}

  /// Of how many optimizers the file speaks. Where there are two, gradients on
  /// their way may be those of the other one.
  void look(const FileMatches &File);
  /// What \p C does to all gradients; nothing of other calls.
  void lower(const CallSite &C);

private:
  StatementWriter &Out;
  bool IsOnlyOne = false;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_OPTIMIZERSTEPS_H
