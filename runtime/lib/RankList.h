//===- RankList.h - Ranks in a message --------------------------*- C++ -*-===//

#ifndef SPMD_LIB_RANKLIST_H
#define SPMD_LIB_RANKLIST_H

#include <string>

namespace spmd::detail {

/// Adds \p Rank to "rank 1, rank 3".
inline void addRank(std::string &To, int Rank) {
  To += (To.empty() ? "rank " : ", rank ") + std::to_string(Rank);
}

} // namespace spmd::detail

#endif // SPMD_LIB_RANKLIST_H
