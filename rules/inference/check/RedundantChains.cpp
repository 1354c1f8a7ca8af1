//===- RedundantChains.cpp - Collectives that fewer could replace ---------===//

#include "RedundantChains.h"

namespace spmd::rules::inference {

void RedundantChains::finish() {
  for (const Redundancy &R : RedundantTransfers(F, Sound).find()) {
    const TransferFact &First = *R.Transfers.front();
    const SoundTransfer &Noted = Sound.find(&First)->second;
    RedundantChain Chain{{R.Transfers.begin(), R.Transfers.end()},
                         R.Instead,
                         *First.From,
                         *R.Transfers.back()->To};
    Violation V = Report.violation(std::move(Chain), First.At, Noted.Axis,
                                   transferName(First.K));
    V.Cause = nullptr; // the chain says it
    V.Operands.push_back(Report.operandOf(First.Src, Noted.Was));
    Report.report(std::move(V));
  }
}

} // namespace spmd::rules::inference
