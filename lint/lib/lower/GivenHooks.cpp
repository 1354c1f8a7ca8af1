//===- GivenHooks.cpp - Hooks that others have registered -----------------===//

#include "GivenHooks.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

void hookGivenObjects(FactWriter &L) {
  L.enter(BlockId(0));
  HookedModules &Hooked = L.module().hookedModules();
  const auto IsHooked = [&](const ValueDecl *D) {
    return Hooked.contains(D) || Hooked.isOfHookingClass(D->getType());
  };
  const auto Hook = [&](SlotId S) {
    L.emit(HavocFact{S, /*Rebinds=*/true, PlaceId::None, /*Gradients=*/true});
  };
  for (const ParmVarDecl *P : L.function()->parameters())
    if (IsHooked(P))
      Hook(SlotId(P->getFunctionScopeIndex()));
  const auto *Method = dyn_cast<CXXMethodDecl>(L.function());
  if (Method && L.ir().ThisSlot != SlotId::None &&
      !isa<CXXConstructorDecl>(Method) &&
      llvm::any_of(Method->getParent()->fields(), IsHooked))
    Hook(L.ir().ThisSlot);
}

} // namespace spmd::lint::lower
