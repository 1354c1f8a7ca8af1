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

void WriteLog::noteMeeting(std::uint32_t Block, CellId Id,
                           const AbstractValue &Now, AxisMask On) {
  for (AxisId A = 0; A != Now.Axes.size(); ++A)
    if (!(On & 1u << A))
      continue;
    else if (!Now.Undefined && Now.Axes[A].isSurely(LocalType::V))
      Meetings[Block].insert_or_assign({Id, A}, Now.Axes[A]);
    else if (const auto Of = Meetings.find(Block); Of != Meetings.end())
      Of->second.erase({Id, A});
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

std::optional<AxisState>
WriteLog::divergedAtExit(CellId Id, AxisId A,
                         llvm::ArrayRef<State> Entries) const {
  const std::pair<CellId, AxisId> Of(Id, A);
  const auto IsMet = [&](const auto &Met) { return Met.second.contains(Of); };
  const auto Ask = [&](llvm::ArrayRef<BlockWrites> By) {
    const AxisState *Left = inference::divergedAtExit(F, By, Entries, Of);
    return Left ? std::optional(*Left) : std::nullopt;
  };
  if (llvm::none_of(Meetings, IsMet))
    return Ask(Writes);
  // What a block begins with counts if it writes nothing.
  std::vector<BlockWrites> All = Writes;
  for (const auto &[Block, Met] : Meetings)
    if (const auto Is = Met.find(Of); Is != Met.end())
      All[Block].insert(*Is);
  return Ask(All);
}

} // namespace spmd::rules::inference
