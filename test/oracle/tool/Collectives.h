//===- Collectives.h - Programs that communicate, run and analysed -*- C++ -*-//

#ifndef SPMD_ORACLE_TOOL_COLLECTIVES_H
#define SPMD_ORACLE_TOOL_COLLECTIVES_H

#include <cstdint>

namespace spmd::oracle {

/// Draws \p Pairs programs, runs each on ranks, and compares what the analysis
/// of collectives finds. 1 when they differ.
int checkCollectives(std::uint64_t Pairs, std::uint64_t Seed);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_TOOL_COLLECTIVES_H
