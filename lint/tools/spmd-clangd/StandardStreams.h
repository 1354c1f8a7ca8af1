//===- StandardStreams.h - clangd behind a session --------------*- C++ -*-===//

#ifndef SPMD_LINT_TOOLS_STANDARDSTREAMS_H
#define SPMD_LINT_TOOLS_STANDARDSTREAMS_H

#include "spmd/editor/Session.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::clangd {

/// Runs \p Server, which talks over standard input and output, so that all it
/// hears and says passes \p Between first; ends with its exit code.
[[noreturn]] void runBetween(editor::Session &Between,
                             llvm::function_ref<int()> Server);

} // namespace spmd::clangd

#endif // SPMD_LINT_TOOLS_STANDARDSTREAMS_H
