//===- Repairs.h - What repairs make of wrong programs ----------*- C++ -*-===//

#ifndef SPMD_ORACLE_TOOL_REPAIRS_H
#define SPMD_ORACLE_TOOL_REPAIRS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <map>
#include <string>

namespace spmd::oracle {

/// Of the repairs of one kind that were offered.
struct RepairScore {
  unsigned Offered = 0;
  unsigned Reported = 0; ///< after which something is found still
  unsigned Right = 0;    ///< after which the program is what it was
  unsigned Other = 0;    ///< after which it is another that its types describe
  unsigned Wrong = 0;    ///< after which it is silent and not what they say
  unsigned NotRun = 0;   ///< after which it is silent, and no run shows it

  RepairScore &operator+=(const RepairScore &O);
};
using RepairScores = std::map<std::string, RepairScore>;

/// Puts every single edit into \p Programs random right programs and into those
/// of the IR files \p Paths; makes every repair that is offered,
/// each in a copy of its own and then what --fix would make, and runs on ranks
/// what is silent then. Writes to \p Each what is wrong.
llvm::Expected<RepairScores> scoreRepairs(std::uint64_t Programs, unsigned Seed,
                                          llvm::ArrayRef<std::string> Paths,
                                          llvm::raw_ostream &Each);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_TOOL_REPAIRS_H
