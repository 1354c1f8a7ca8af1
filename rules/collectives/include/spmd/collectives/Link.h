//===- Link.h - Effect programs of several files as one ---------*- C++ -*-===//

#ifndef SPMD_COLLECTIVES_LINK_H
#define SPMD_COLLECTIVES_LINK_H

#include "spmd/collectives/EffectProgram.h"

namespace spmd::collectives {

/// Who calls whom, directly.
struct CallGraph {
  explicit CallGraph(const EffectProgram &P);

  std::vector<std::vector<unsigned>> Callees; ///< by function
  /// The same with those that it hands on, or keeps in an object.
  std::vector<std::vector<unsigned>> Named;
  std::vector<bool> IsCalled;
  /// It, or what it calls or names, makes calls of a communication library.
  std::vector<bool> Communicates;
};

/// What is run: functions that communicate and that nobody calls.
std::vector<unsigned> findRoots(const EffectProgram &P, const CallGraph &Of);

/// All files as one program: calls get to the functions of other files, and a
/// global is one. The sites of the I-th file are those from \p FirstSite[I] on.
/// A name that several files define, as several programs in one folder do,
/// leads nowhere from the other files.
EffectProgram link(llvm::ArrayRef<const EffectProgram *> Files,
                   llvm::ArrayRef<unsigned> FirstSite);

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_LINK_H
