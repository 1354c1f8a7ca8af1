//===- Mutants.h - How many mistakes the checker sees -----------*- C++ -*-===//

#ifndef SPMD_ORACLE_TOOL_MUTANTS_H
#define SPMD_ORACLE_TOOL_MUTANTS_H

#include "spmd/oracle/Mutation.h"

#include "llvm/Support/raw_ostream.h"

#include <map>

namespace spmd::oracle {

/// Of the mutants of some programs, by kind.
struct MutationScore {
  unsigned Mutants = 0;
  /// Of the wrong ones: reported with local types, with global types, at all.
  unsigned Wrong = 0, ByLocal = 0, ByGlobal = 0, Reported = 0;
  unsigned Equivalent = 0, FalselyReported = 0;

  MutationScore &operator+=(const MutationScore &O);
};

/// Edits the programs of the IR files \p Paths in every way and asks the
/// inference about each. `x.global.ir` is the program `x.ir` with global types:
/// an edit of both is one mutant, which either may report. Writes a line to
/// \p Each for every mutant that is wrong and not reported, or reported and not
/// wrong. Errors: a file that cannot be read or parsed.
llvm::Expected<std::map<MutationKind, MutationScore>>
scoreMutants(llvm::ArrayRef<std::string> Paths, llvm::raw_ostream &Each);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_TOOL_MUTANTS_H
