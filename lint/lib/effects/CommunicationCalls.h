//===- CommunicationCalls.h - Calls of communication libraries -*- C++ -*-===//

#ifndef SPMD_LINT_EFFECTS_COMMUNICATIONCALLS_H
#define SPMD_LINT_EFFECTS_COMMUNICATIONCALLS_H

#include "Buffers.h"

namespace spmd::lint::effects {

class CommunicationCalls : PartLowering {
public:
  CommunicationCalls(const rules::CollectiveApis &Apis, StatementWriter &Out,
                     ExpressionLowering &Exprs, Buffers &Given)
      : PartLowering(Out, Exprs), Apis(Apis), Given(Given) {}

  /// Null for what is in none of the tables.
  const Expr *lower(const CallSite &C);

private:
  const Expr *event(const CallSite &C, const rules::CollectiveCall &Api);
  /// The op and the root of a call that takes them in a struct.
  void addOptions(collectives::Event &Of, const clang::Expr *Struct);

  const rules::CollectiveApis &Apis;
  Buffers &Given;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_COMMUNICATIONCALLS_H
