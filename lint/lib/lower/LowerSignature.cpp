//===- LowerSignature.cpp - What callers see of a function --------------===//

#include "LowerSignature.h"

#include "Slots.h"

#include "cxx/AutogradFunctions.h"

#include "spmd/types/AxisAlgebra.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// \p T of an alias that is declared on another mesh; null where it has no
/// equal form.
static std::shared_ptr<const TypeAnnotation>
onMesh(const TypeAnnotation &T, const MeshSpec &From, const MeshSpec &To) {
  const auto Mapped = [&]() -> llvm::Expected<TypeSpec> {
    llvm::Expected<RankMesh> There = RankMesh::of(From);
    if (!There)
      return There.takeError();
    llvm::Expected<RankMesh> Here = RankMesh::of(To);
    return Here ? remap(T.Entry, *There, *Here) : Here.takeError();
  };
  llvm::Expected<TypeSpec> Entry = Mapped();
  if (Entry)
    return std::make_shared<const TypeAnnotation>(
        TypeAnnotation{withParts(*Entry, To), std::nullopt});
  llvm::consumeError(Entry.takeError());
  return nullptr;
}

/// What annotations of structs say of their tensors is part of the contract;
/// where there is no body, nothing else names these.
static void lowerMembers(FactWriter &L, SlotTable &Slots) {
  const Function &F = L.ir();
  for (unsigned I = 0; I != F.NumParameters; ++I) {
    const QualType T =
        L.function()->getParamDecl(I)->getType().getNonReferenceType();
    const QualType Of = T->isPointerType() ? T->getPointeeType() : T;
    if (F.Slots[I].Declared && L.module().isOwnStruct(Of))
      for (const FieldDecl *Field : Of->getAsRecordDecl()->fields())
        Slots.field(SlotId(I), Field->getName(), Field);
  }
}

void lowerSignature(FactWriter &L) {
  const FunctionDecl *FD = L.function();
  ModuleLowering &M = L.module();
  Function &F = L.ir();
  SlotTable Slots(L);
  F.NumParameters = FD->getNumParams();
  for (const ParmVarDecl *P : FD->parameters())
    Slots.parameter(P);
  if (const auto *MD = dyn_cast<CXXMethodDecl>(FD); MD && !MD->isStatic())
    Slots.self();
  // The values that a forward pass of autograd's returns are no R nor I before
  // its backward pass is looked at: calls check the promise.
  const Annotation<TypeAnnotation> Result = isAutogradPass(FD, "forward")
                                                ? Annotation<TypeAnnotation>()
                                                : M.annotations().resultOf(FD);
  F.Result = Result.Value;
  if (Result)
    if (const auto Mesh = M.otherMesh(Result.Where, FD))
      F.Result = onMesh(*Result, *Mesh, *M.annotations().meshInForce(FD));
  F.ResultAxes = M.axesOf(FD);
  F.ResultAt = L.place(Result ? Result.Range : FD->getSourceRange());
  if (!FD->hasBody() || F.Trusted)
    lowerMembers(L, Slots);
}

} // namespace spmd::lint::lower
