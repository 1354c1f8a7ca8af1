//===- Sources.h - The files of a run ---------------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_SOURCES_H
#define SPMD_LINT_LIB_DRIVER_SOURCES_H

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace spmd::lint {

struct Sources {
  std::vector<std::string> Files; ///< absolute, each once, in a fixed order
  /// Inputs that cannot be read, with the reason.
  std::vector<std::string> Unreadable;
  /// Folders without a source file or a header.
  std::vector<std::string> Empty;
};

/// Whether it is named like a source or a header.
bool isCode(llvm::StringRef Path);

/// Folders are walked for sources, not for headers: those are analysed with the
/// files that include them. A header that is named itself is taken, and so are
/// those of a folder that has nothing else.
Sources collectSources(llvm::ArrayRef<std::string> Inputs);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_SOURCES_H
