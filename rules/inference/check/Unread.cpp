//===- Unread.cpp - What is made of messages, for nobody ------------------===//
//
// A function receives into memory of its own, makes something of that in place,
// and sends it on. Where it forgets to, or does so too early, what was made
// ends with the memory.
//
//===----------------------------------------------------------------------===//

#include "Exits.h"

#include "passes/MemoryUses.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace spmd::rules::inference {

/// An axis on which \p F is declared to leave something in what it is given.
static std::optional<AxisId> axisOfOutput(const Body &In) {
  for (unsigned I = 0; I != In.F.NumParameters; ++I) {
    const Slot &S = In.F.Slots[I];
    if (!S.Declared || !S.Declared->isOutput())
      continue;
    const auto Said = In.Decls.requirements(*S.Declared->Exit, S.Mesh.get());
    for (AxisId A = 0; A != Said.size(); ++A)
      if (!Said[A].Set.isAll())
        return A;
  }
  return std::nullopt;
}

/// The locals that name memory which \p F allocates, if it sends or receives
/// anything.
static llvm::SmallSetVector<SlotId, 8> madeHere(const Function &F) {
  llvm::SmallSetVector<SlotId, 8> Out;
  if (factsOf<TransferFact>(F).empty())
    return Out;
  for (const DefineFact &D : factsOf<DefineFact>(F))
    if (D.K == DefineFact::Kind::Declared && D.Type && *D.Type == TypeSpec() &&
        F.slot(D.Dst).Kind == SlotKind::Local)
      Out.insert(D.Dst);
  return Out;
}

/// What changes the memory of \p Local in place, and nothing besides, where
/// nobody reads that then; null if nothing does.
static const Fact *unread(const Function &F, SlotId Local, MemoryUses &Uses) {
  const auto All = Uses.accesses(F, Local);
  const auto IsMessage = [](const MemoryAccess &A) {
    return std::holds_alternative<TransferFact>(*A.X);
  };
  if (!All || llvm::none_of(*All, IsMessage))
    return nullptr;
  for (const MemoryAccess &W : *All) {
    const auto *Call = std::get_if<CallFact>(W.X);
    if (Call && W.Writes && W.ReadsFirst &&
        llvm::none_of(*All,
                      [&](const MemoryAccess &R) {
                        return R.Reads && comesTo(F, W, R);
                      }) &&
        Uses.writesNothingElse(*Call, Local))
      return W.X;
  }
  return nullptr;
}

void Exits::checkUnread() {
  if (!Report.isOn() || !E.isByItself(F))
    return;
  const std::optional<AxisId> A = axisOfOutput(In);
  if (!A)
    return;
  const auto Find = [&](llvm::StringRef Symbol) { return E.find(Symbol); };
  MemoryUses Uses(Find);
  for (const SlotId Local : madeHere(F)) {
    const Fact *Last = unread(F, Local, Uses);
    if (!Last)
      continue;
    const CallFact &By = std::get<CallFact>(*Last);
    ContractClash Clash;
    Clash.On = Annotated::Unread;
    Violation V = Report.violation(std::move(Clash), By.At, *A,
                                   E.find(By.Callee)->DisplayName);
    V.Cause = nullptr; // where it belongs nobody knows
    V.Operands.push_back(Report.operandOf({Local, By.At}, AxisState()));
    Report.report(std::move(V));
  }
}

} // namespace spmd::rules::inference
