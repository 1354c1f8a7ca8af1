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

#include <optional>

namespace spmd::lint::effects {

class OptimizerSteps {
public:
  explicit OptimizerSteps(StatementWriter &Out) : Out(Out) {}

  /// Whose calls come.
  void begin(const FileMatches &Of) { File = &Of; }
  /// What \p C does to all gradients; nothing of other calls.
  void lower(const CallSite &C);

private:
  bool isOfOnlyOne();

  StatementWriter &Out;
  const FileMatches *File = nullptr;
  /// Whether the file speaks of one optimizer, once a step asks. Where there
  /// are two, gradients on their way may be those of the other one.
  std::optional<bool> IsOnlyOne;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_OPTIMIZERSTEPS_H
