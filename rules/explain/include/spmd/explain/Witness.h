//===- Witness.h - A finding in numbers -------------------------*- C++ -*-===//

#ifndef SPMD_EXPLAIN_WITNESS_H
#define SPMD_EXPLAIN_WITNESS_H

#include "spmd/inference/Inference.h"

namespace spmd::explain {

/// Two ranks on which the mistake shows: "two ranks holding 1 and 1: you get 2,
/// one device gets 4". The op is run where it is known what it computes, else a
/// function of its kind. Empty where no small numbers tell, and for what only
/// may be wrong.
std::string witness(const rules::Violation &V);

} // namespace spmd::explain

#endif // SPMD_EXPLAIN_WITNESS_H
