//===- Mutation.h - Right programs with one edit in them --------*- C++ -*-===//

#ifndef SPMD_ORACLE_MUTATION_H
#define SPMD_ORACLE_MUTATION_H

#include "spmd/ir/IR.h"

namespace spmd::oracle {

enum class MutationKind : std::uint8_t {
  Drop,           ///< a collective or conversion is missing
  Duplicate,      ///< or done twice
  RetargetAxis,   ///< or on another axis
  RetargetDim,    ///< or along another dim
  SwapReplicas,   ///< its source or result is I for R, or R for I
  SwapConversion, ///< convert for reinterpret, or the other way round
  Average,        ///< the mean for the sum, or the other way round
  NonlinearFirst, ///< a non-linear op before the collective, not after it
  Annotation,     ///< a declared type is another of R, I and P
};
inline constexpr int NumMutationKinds = 9;
const char *mutationName(MutationKind K);

/// One edit of a module.
struct Mutation {
  MutationKind Kind = MutationKind::Drop;
  unsigned Function = 0, Block = 0, Fact = 0;
  rules::SlotId Slot = rules::SlotId::None; ///< annotated; none: the result
  bool OfSource = false;                    ///< the `from`, not the `to`
  std::string Axis;                         ///< of an annotation; the new one
  rules::LocalType Type = rules::LocalType::R;
};

std::vector<Mutation> mutationsOf(const rules::Module &M);

/// A copy of \p M with the edit, or null where it makes no sense; the copy
/// refers to the rules of \p M.
std::optional<rules::Module> mutate(const rules::Module &M, const Mutation &By);

enum class MutantVerdict : std::uint8_t {
  NotRun,     ///< no run that the oracle can follow shows the edit
  Equivalent, ///< the same meanings on all tries
  Wrong,
};

/// Runs the annotated functions of both modules on ranks: what they compute
/// and their gradients must mean the same under the types that each declares.
/// \p Why says what differs.
MutantVerdict judge(const rules::Module &Original, const rules::Module &Mutant,
                    const Mutation &By, std::string &Why);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_MUTATION_H
