//===- LintFile.h - One file, parsed and analysed ---------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_LINTFILE_H
#define SPMD_LINT_LIB_DRIVER_LINTFILE_H

#include "LintJob.h"

namespace spmd::lint {

class PrefixCache;
class Progress;
class ResultCache;

/// Deeply nested expressions need room; pages that are not used cost nothing.
constexpr unsigned AnalysisStackSize = 256u << 20;

std::uint64_t hashContents(llvm::StringRef Text);

/// Parses and analyses one file on the calling thread. \p Prefixes may be null.
FileResult lintFile(const LintJob &Job, const FileOverlay &Overlay,
                    const LintRequest &Request, PrefixCache *Prefixes);

/// Runs all jobs on \p Threads threads; a crash in one is its own alone. The
/// results are in the order of the jobs. \p Cache and \p Shown may be null.
std::vector<FileResult>
lintAll(llvm::ArrayRef<LintJob> Jobs, const FileOverlay &Overlay,
        const LintRequest &Request, unsigned Threads, PrefixCache &Prefixes,
        const ResultCache *Cache = nullptr, Progress *Shown = nullptr);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_LINTFILE_H
