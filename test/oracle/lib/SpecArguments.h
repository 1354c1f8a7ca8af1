//===- SpecArguments.h - What calls may ask for -----------------*- C++ -*-===//

#ifndef SPMD_ORACLE_LIB_SPECARGUMENTS_H
#define SPMD_ORACLE_LIB_SPECARGUMENTS_H

#include "spmd/oracle/SpecScenario.h"

namespace spmd::oracle {

using Arguments = llvm::SmallVector<rules::OpArgument, 2>;

/// For the first of \p Names, which bars separate.
rules::OpArgument argument(llvm::StringRef Names, std::int64_t N);
rules::OpArgument argument(llvm::StringRef Names, const Index &List);
rules::OpArgument flag(llvm::StringRef Names, bool Set);

/// All ways to name dims in a call on a tensor of \p Rank.
std::vector<Arguments> argumentsOf(const rules::ShapeRule &S, int Rank);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_LIB_SPECARGUMENTS_H
