//===- EffectLowering.cpp - From the AST to an effect program: functions --===//

#include "EffectLowering.h"

#include "Setups.h"
#include "cxx/KnownTypes.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

const EffectProgram &EffectLowering::run(const FileMatches &File) {
  for (const FunctionDecl *FD : File.Bodies) {
    const auto *MD = dyn_cast<CXXMethodDecl>(FD);
    // A closure is lowered where it is called or handed on.
    if (MD && MD->getParent()->isLambda())
      continue;
    functionOf(FD);
    if (MD)
      noteOverridden(MD, MD);
  }
  // Lowering one finds more: inline functions of other headers.
  for (std::size_t I = 0; I != Pending.size(); ++I)
    lowerBody(Pending[I]);
  CallGraph Calls{Pending, {}};
  findRoots(Calls);
  for (const Setup &S : findSetups(Calls, P.Roots, *Cfg.Apis))
    addRoot(S);
  return P;
}

} // namespace spmd::lint::effects
