//===- CompileDatabase.h - Whether compile commands may be stale *- C++ -*-===//

#ifndef SPMD_EDITOR_LIB_COMPILEDATABASE_H
#define SPMD_EDITOR_LIB_COMPILEDATABASE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace spmd::editor {

/// Why a header of \p File may not be found, as far as its compile commands say
/// so, and what to do; in words that follow a semicolon. Empty: they are in
/// order, and name the file.
std::string doubtOfCommands(llvm::StringRef File);

} // namespace spmd::editor

#endif // SPMD_EDITOR_LIB_COMPILEDATABASE_H
