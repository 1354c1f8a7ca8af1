//===- DivergedAtExit.h - Left behind when loops iterate --------*- C++ -*-===//

#ifndef SPMD_INFERENCE_BODY_DIVERGEDATEXIT_H
#define SPMD_INFERENCE_BODY_DIVERGEDATEXIT_H

#include "WriteLog.h"

namespace spmd::rules::inference {

/// What a storage ends as on an axis when each loop of \p F has an iteration:
/// different between ranks for sure, or null.
const AxisState *divergedAtExit(const Function &F,
                                llvm::ArrayRef<WriteLog::BlockWrites> Writes,
                                llvm::ArrayRef<State> Entries,
                                std::pair<CellId, AxisId> Of);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_DIVERGEDATEXIT_H
