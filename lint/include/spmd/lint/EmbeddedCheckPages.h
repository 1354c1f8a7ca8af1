//===- EmbeddedCheckPages.h - The checks' documentation ---------*- C++ -*-===//

#ifndef SPMD_LINT_EMBEDDEDCHECKPAGES_H
#define SPMD_LINT_EMBEDDEDCHECKPAGES_H

#include "spmd/ops/EmbeddedFiles.h"

namespace spmd::lint {

/// The pages of lint/checks (`spmd-….md`), sorted by name; what `--explain`
/// prints.
llvm::ArrayRef<rules::EmbeddedFile> embeddedCheckPages();

} // namespace spmd::lint

#endif // SPMD_LINT_EMBEDDEDCHECKPAGES_H
