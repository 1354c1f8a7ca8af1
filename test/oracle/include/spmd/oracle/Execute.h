//===- Execute.h - Runs on ranks and as meant -------------------*- C++ -*-===//
//
// Run on ranks, every step does what its ranks would do. Run as meant, a value
// is what its type says it stands for, and each step what it means: what one
// device computes. A type system is right when the two agree.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_EXECUTE_H
#define SPMD_ORACLE_EXECUTE_H

#include "spmd/oracle/Trace.h"

#include <map>

namespace spmd::oracle {

/// What a run shows: of each observation and of each input's gradient, whether
/// it is legal and what it means.
struct Outcome {
  struct Shown {
    Ranks Value;
    bool Legal = true;
    Ranks Meaning;
  };
  std::map<std::string, Shown> Values, Gradients;
  /// An operator at types for which there is none, or at others than it says.
  std::string Impossible;
};

/// Runs \p T on the ranks of \p On. Inputs and cotangents are drawn from
/// \p Seed and their keys; without backward only values are shown.
Outcome runOnRanks(const Trace &T, const Mesh &On, unsigned Seed);

/// The same, each step by what it means. Collectives must say their types.
Outcome runAsMeant(const Trace &T, const Mesh &On, unsigned Seed);

/// How two outcomes differ, or nothing: illegal values of \p Is, meanings that
/// differ, in values first.
std::string difference(const Outcome &Is, const Outcome &Expected);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_EXECUTE_H
