//===- EffectLowering.cpp - From the AST to an effect program -------------===//

#include "EffectLowering.h"

#include "Roots.h"

using namespace clang;

namespace spmd::lint::effects {

const collectives::EffectProgram &EffectLowering::run(const FileMatches &File) {
  Called.begin(File);
  User.begin(File.Bodies.getArrayRef());
  for (const FunctionDecl *FD : File.Bodies) {
    const auto *MD = dyn_cast<CXXMethodDecl>(FD);
    // A closure is lowered where it is called or handed on.
    if (MD && MD->getParent()->isLambda())
      continue;
    Named.functionOf(FD);
    if (MD)
      User.noteOverridden(MD, MD);
  }
  // Lowering one finds more: inline functions of other headers.
  for (std::size_t I = 0; I != Named.functions().size(); ++I)
    if (Named.functions()[I]->hasBody())
      Stmts.lowerBody(Named.functions()[I]);
  addRoots(Out, Named, Apis);
  return P;
}

} // namespace spmd::lint::effects
