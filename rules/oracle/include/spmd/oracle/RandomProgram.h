//===- RandomProgram.h - Programs that the inference accepts ----*- C++ -*-===//

#ifndef SPMD_ORACLE_RANDOMPROGRAM_H
#define SPMD_ORACLE_RANDOMPROGRAM_H

#include "spmd/oracle/Execute.h"
#include "spmd/rules/Inference.h"

#include <map>
#include <random>

namespace spmd::oracle {

/// A program with the types that inference finds for its result.
struct TypedProgram {
  Program P;
  rules::TypeSet Result;
  std::string str() const; ///< the text form of the IR
};

/// What became of the steps that the inference rejected, by kind of finding.
struct Rejections {
  std::map<rules::ViolationKind, std::uint64_t> Tried, RightAfterAll;
};

/// Facts are proposed at random and kept while the inference accepts the whole:
/// what comes out is accepted by construction. \p N is the number of ranks that
/// shapes are made for. With \p Rejected, each rejected step is run as well,
/// with every type that its result might have.
TypedProgram randomProgram(std::mt19937 &Random, unsigned MaxFacts, int N,
                           Rejections *Rejected = nullptr);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_RANDOMPROGRAM_H
