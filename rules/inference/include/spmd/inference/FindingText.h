//===- FindingText.h - A finding in a line ----------------------*- C++ -*-===//
//
// For tools and tests that know a program by its IR only; what users read is
// written by the linter.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_FINDINGTEXT_H
#define SPMD_INFERENCE_FINDINGTEXT_H

#include "spmd/inference/Inference.h"

namespace spmd::rules {

/// "partial-add".
llvm::StringRef violationName(ViolationKind K);

/// "@f 3:1: partial-add on tp: add [P R]"; "possible" before what may be wrong.
std::string printFinding(const Violation &V);

} // namespace spmd::rules

#endif // SPMD_INFERENCE_FINDINGTEXT_H
