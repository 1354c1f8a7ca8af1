//===- RandomProgram.h - Programs that the inference accepts ----*- C++ -*-===//

#ifndef SPMD_ORACLE_RANDOMPROGRAM_H
#define SPMD_ORACLE_RANDOMPROGRAM_H

#include "spmd/inference/Inference.h"
#include "spmd/oracle/Mesh.h"

#include <map>

namespace spmd::oracle {

/// One function, with the types that inference finds for its result.
struct TypedProgram {
  rules::Module M;
  Mesh On;
  std::vector<rules::TypeSet> Result; ///< by axis
  bool Branches = false;

  rules::Function &function() const { return *M.Functions.front(); }
  unsigned facts() const;
  std::string str() const; ///< the text form of the IR
};

/// What inference is asked for: a type that holds on some path only is no type,
/// so that programs with branches are read strictly.
rules::InferenceOptions optionsFor(bool Branches);

/// What became of the steps that the inference rejected, by kind of finding.
struct Rejections {
  std::map<rules::ViolationKind, std::uint64_t> Tried, RightAfterAll;
};

struct ProgramLimits {
  unsigned Facts = 30;
  unsigned Depth = 2; ///< of branches and loops; 0: straight-line
  unsigned Axes = 2;
  /// Without what types cannot see: literals, indices, detached values, and
  /// sums that one rank holds whole.
  bool Plain = false;
};

/// Facts are proposed at random and kept while the inference accepts the whole:
/// what comes out is accepted by construction. With \p Rejected, each rejected
/// step of straight-line programs is run as well, with every type that its
/// result might have.
TypedProgram randomProgram(std::mt19937 &Random, const ProgramLimits &Limits,
                           Rejections *Rejected = nullptr);

/// Runs \p P on its mesh and as meant, on several paths and values. Empty when
/// its result and its parameters' gradients are what one device has, for each
/// type that inference allows; on a path that was not taken into account by a
/// type of several members, for one of them.
std::string checkProgram(const TypedProgram &P, unsigned Seed);

/// Empty when \p P, printed and parsed, prints alike and has the same types.
std::string checkText(const TypedProgram &P);

/// Whether some type of the result makes \p P right on all of a few values.
bool isRightForSomeType(const TypedProgram &P);

/// Leaves out facts, branches and ranks as long as inference accepts the
/// program and \p IsWrong still holds.
void shrink(TypedProgram &P,
            llvm::function_ref<bool(const TypedProgram &)> IsWrong);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_RANDOMPROGRAM_H
