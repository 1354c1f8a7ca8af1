//===- LocalMaps.cpp - spmd::local_map of a lambda ------------------------===//
//
// The types that the call gives are those of the lambda's parameters and of its
// result, as if they were written there.
//
//===----------------------------------------------------------------------===//

#include "ModuleLowering.h"
#include "Recognisers.h"

using namespace clang;

namespace spmd::lint::lower {

/// Those of `{"tp: R", "tp: V"}`; null where one is none.
static llvm::SmallVector<const StringLiteral *, 4> literalsOf(const Expr *E) {
  llvm::SmallVector<const StringLiteral *, 4> Out;
  if (const auto *List = dyn_cast<InitListExpr>(strip(E)))
    for (const Expr *X : List->inits())
      Out.push_back(dyn_cast<StringLiteral>(strip(X)->IgnoreParenImpCasts()));
  return Out;
}

static std::string counted(std::size_t N, const char *What) {
  return std::to_string(N) + " " + What + (N == 1 ? "" : "s");
}

void ModuleLowering::noteLocalMap(const CallExpr *C) {
  const LambdaExpr *Lambda = lambdaOfLocalMap(C);
  const FunctionDecl *F = Lambda ? Lambda->getCallOperator() : nullptr;
  if (!F || F->isDependentContext() || Lambda->isGenericLambda())
    return;
  const auto In = literalsOf(C->getArg(1)), Out = literalsOf(C->getArg(2));
  if (In.size() != F->getNumParams())
    Reader.report(C->getArg(1)->getBeginLoc(),
                  "local_map has " + counted(In.size(), "type") + " for " +
                      counted(F->getNumParams(), "parameter") +
                      ": its signature is its contract");
  Reader.implyLocalMap(F);
  for (std::size_t I = 0; I != In.size() && I != F->getNumParams(); ++I)
    if (In[I])
      Reader.imply(F->getParamDecl(I), In[I], F);
  if (Out.size() == 1 && Out[0])
    Reader.imply(F, Out[0], F);
}

} // namespace spmd::lint::lower
