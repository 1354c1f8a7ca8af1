//===- Snippet.h - A few lines of C++ as IR text ----------------*- C++ -*-===//

#ifndef SPMD_TEST_LOWER_SNIPPET_H
#define SPMD_TEST_LOWER_SNIPPET_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace spmd::lint {

/// What `--dump-ir` prints for \p Code, which may use libtorch, the runtime,
/// MPI, NCCL and c10d without including them, reduced to what tests are about:
/// without symbols, places, rules, numbers of named slots, and the blocks that
/// each function begins and ends with. Begins with a line break, as raw strings
/// do; where Clang or the IR's verifier reports an error, that is the text.
std::string lowered(llvm::StringRef Code);
/// The same of CUDA.
std::string loweredCuda(llvm::StringRef Code);

} // namespace spmd::lint

#endif // SPMD_TEST_LOWER_SNIPPET_H
