//===- Fingerprint.h - A finding, wherever its line went --------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_REPORT_FINGERPRINT_H
#define SPMD_LINT_LIB_REPORT_FINGERPRINT_H

#include "spmd/lint/Diagnostic.h"
#include "spmd/lint/SourceTexts.h"

#include "llvm/ADT/ArrayRef.h"

namespace spmd::lint {

/// What stays of a finding when lines move and files are renamed: the check,
/// the message but for numbers of lines, and the words of its line. Equal ones
/// are numbered in the order of the report, so that each has its own.
std::vector<std::string> fingerprints(llvm::ArrayRef<Diagnostic> Diagnostics,
                                      const SourceTexts &Texts);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_REPORT_FINGERPRINT_H
