//===- WriteLog.cpp - What blocks write -----------------------------------===//

#include "WriteLog.h"

#include "DivergedAtExit.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

void WriteLog::noteWrite(CellId Id, const AbstractValue &Now, AxisMask On) {
  const TypeSet Replicas = LocalType::R | LocalType::I;
  noteWritten(Id);
  if (Now.Undefined && !Now.Wrong) // freed: what it was is what it ended as
    return;
  for (AxisId A = 0; A != Now.Axes.size(); ++A) {
    if (!(On & 1u << A))
      continue;
    const AxisState &Is = Now.Axes[A];
    const bool Diverged = !Now.Undefined && (Is.Set & Replicas).empty();
    Writes[Point.Block][{Id, A}] = Diverged ? std::optional(Is) : std::nullopt;
  }
}

void WriteLog::noteChange(CellId Id) {
  noteWritten(Id);
  for (AxisId A = 0; A != NumAxes; ++A)
    Writes[Point.Block][{Id, A}] = std::nullopt;
}

std::size_t WriteLog::numEffects() const {
  std::size_t Out = 0;
  for (const Effects &X : Done)
    Out += X.Slots.size() + X.Cells.size();
  return Out;
}

bool WriteLog::isWritten(CellId Id) const {
  return llvm::any_of(Writes, [&](const BlockWrites &W) {
    const auto At = W.lower_bound({Id, 0});
    return At != W.end() && At->first.first == Id;
  });
}

const AxisState *WriteLog::divergedAtExit(CellId Id, AxisId A,
                                          llvm::ArrayRef<State> Entries) const {
  return inference::divergedAtExit(F, Writes, Entries, {Id, A});
}

} // namespace spmd::rules::inference
