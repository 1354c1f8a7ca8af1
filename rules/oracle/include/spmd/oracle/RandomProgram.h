//===- RandomProgram.h - Programs that the inference accepts ----*- C++ -*-===//

#ifndef SPMD_ORACLE_RANDOMPROGRAM_H
#define SPMD_ORACLE_RANDOMPROGRAM_H

#include "spmd/oracle/Execute.h"

#include <random>

namespace spmd::oracle {

/// A program with the types that inference finds for its result.
struct TypedProgram {
  Program P;
  rules::TypeSet Result;
  std::string str() const; ///< the text form of the IR
};

/// Facts are proposed at random and kept while the inference accepts the whole:
/// what comes out is accepted by construction. \p N is the number of ranks that
/// shapes are made for.
TypedProgram randomProgram(std::mt19937 &Random, unsigned MaxFacts, int N);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_RANDOMPROGRAM_H
