//===- CoverageReport.h - What a run has understood --------------*- C++
//-*-===//

#ifndef SPMD_LINT_REPORT_COVERAGEREPORT_H
#define SPMD_LINT_REPORT_COVERAGEREPORT_H

#include "spmd/lint/Report.h"

#include "llvm/Support/JSON.h"

namespace spmd::lint {

/// "3 errors, 1 warning in 2 of 40 files; 2 fixable".
std::string findingCounts(const Report &R);

/// "no findings; 87 % of 1,204 tensor expressions typed on dp, 62 % on tp;
/// operands of 9 of 12 collectives typed". Empty where no axis is named.
std::string summaryLine(const Report &R);

/// A line per function, those of which least is known first in each file, and
/// what to annotate next; and which names of `Axes` are in vain.
void writeCoverage(llvm::raw_ostream &OS, const Report &R,
                   llvm::StringRef WorkingDirectory);

/// The same as attributes of an object.
void writeCoverage(llvm::json::OStream &J, const Report &R);

} // namespace spmd::lint

#endif // SPMD_LINT_REPORT_COVERAGEREPORT_H
