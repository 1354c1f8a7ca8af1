//===- Universe.cpp - Collecting the axes of a module ---------------------===//

#include "Universe.h"

#include "spmd/inference/Axes.h"
#include "spmd/ir/Walk.h"

namespace spmd::rules::inference {

static bool isOfOneRank(llvm::StringRef Name, const MeshSpec *Mesh) {
  const MeshAxis *Axis = Mesh ? Mesh->find(Name) : nullptr;
  return Axis && Axis->Size == 1;
}

Universe::Universe(const Module &M, const MeshSpec *ConfiguredMesh) {
  addMesh(ConfiguredMesh);
  for (const Function *F : functionsInOrder(M)) {
    Adding = F;
    addMesh(F->Mesh.get());
    for (const Slot &S : F->Slots)
      addMesh(S.Mesh.get());
    forEachNamedAxis(
        *F, F->Mesh ? F->Mesh.get() : ConfiguredMesh,
        [this](llvm::StringRef Name, const MeshSpec *Of) { add(Name, Of); });
  }
  number();
}

/// The axes of what was added are numbered by name, whichever function
/// mentions them first.
void Universe::number() {
  for (const auto &[Name, By] : Mentioned) {
    if (Names.size() == Limits::Axes) {
      Overfull = By;
      break;
    }
    if (Ids.try_emplace(Name, size()).second)
      Names.push_back(Name);
  }
  Mentioned.clear();
}

void Universe::addMesh(const MeshSpec *Mesh) {
  if (Mesh)
    for (const MeshAxis &A : Mesh->Axes)
      if (A.Of.empty()) // annotations come with the parts of the others
        add(A.Name, Mesh);
}

void Universe::add(llvm::StringRef Name, const MeshSpec *Of) {
  if (isOfOneRank(Name, Of))
    return;
  if (Ids.contains(Name))
    return;
  Mentioned.try_emplace(Name.str(), Adding);
  if (!Adding) // of the configured mesh: in its order
    number();
}

void forEachNamedAxis(
    const Function &F, const MeshSpec *Mesh,
    llvm::function_ref<void(llvm::StringRef, const MeshSpec *)> Visit) {
  const auto VisitSpec = [&](const TypeSpec &T, const MeshSpec *Of) {
    for (const AxisAtom &A : T.Axes)
      Visit(A.Axis, Of);
  };
  const auto VisitAnnotation = [&](const TypeAnnotation *A,
                                   const MeshSpec *Of) {
    if (!A)
      return;
    VisitSpec(A->Entry, Of);
    if (A->Exit)
      VisitSpec(*A->Exit, Of);
  };
  const auto VisitAxes = [&](llvm::ArrayRef<std::string> Axes,
                             const MeshSpec *Of) {
    for (const std::string &A : Axes)
      Visit(A, Of);
  };
  VisitAnnotation(F.Result.get(), Mesh);
  VisitAxes(F.ResultAxes, Mesh);
  for (const Slot &S : F.Slots) {
    const MeshSpec *Of = S.Mesh ? S.Mesh.get() : Mesh;
    VisitAnnotation(S.Declared.get(), Of);
    VisitAxes(S.DeclaredAxes, Of);
  }
  for (const Block &B : F.Blocks)
    for (const Fact &Fact : B.Facts) {
      if (const auto *D = std::get_if<DefineFact>(&Fact)) {
        if (D->Type)
          VisitSpec(*D->Type, Mesh);
        VisitAxes(D->AxisNames, Mesh);
      } else if (const auto *A = std::get_if<AssertFact>(&Fact)) {
        if (A->Type)
          VisitSpec(*A->Type, A->Mesh ? A->Mesh.get() : Mesh);
      }
    }
}

std::optional<AxisId> Universe::find(llvm::StringRef Name) const {
  auto It = Ids.find(Name);
  if (It == Ids.end())
    return std::nullopt;
  return It->second;
}

} // namespace spmd::rules::inference

std::vector<std::string> spmd::rules::axesOf(const Module &M,
                                             const MeshSpec *Configured) {
  const inference::Universe All(M, Configured);
  std::vector<std::string> Out;
  for (unsigned A = 0; A != All.size(); ++A)
    Out.push_back(All.name(A));
  return Out;
}
