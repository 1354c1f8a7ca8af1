//===- Accesses.h - What calls of others do to storage -------- -*- C++ -*-===//
//
// At once or on a stream: as far as it decides whether an operation that still
// runs is disturbed.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_ACCESSES_H
#define SPMD_LINT_EFFECTS_ACCESSES_H

#include "Recursion.h"
#include "cxx/CallSite.h"

namespace spmd::lint::effects {

class Accesses : PartLowering {
public:
  Accesses(StatementWriter &Out, ExpressionLowering &Exprs)
      : PartLowering(Out, Exprs) {}

  /// True: all is said of what it does with its arguments.
  bool host(const CallSite &C, llvm::StringRef Name,
            llvm::ArrayRef<const Expr *> Values);
  /// Reads and writes of tensors by whatever is no view of them.
  void tensors(const CallSite &C, llvm::ArrayRef<const Expr *> Values);
  /// Arguments that code that is not seen can do anything with.
  void hand(const CallSite &C, llvm::ArrayRef<const Expr *> Values);
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_ACCESSES_H
