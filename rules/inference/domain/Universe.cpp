//===- Universe.cpp - Collecting the axes of a module ---------------------===//

#include "Universe.h"

#include "spmd/ir/Walk.h"

namespace spmd::rules::inference {

Universe::Universe(const Module &M, const MeshSpec *ConfiguredMesh) {
  auto NoteMesh = [&](const MeshSpec *Mesh) {
    if (!Mesh)
      return;
    for (const MeshAxis &A : Mesh->Axes)
      if (A.Size == 1)
        Singleton[A.Name] = true;
  };
  NoteMesh(ConfiguredMesh);
  for (const auto &F : M.Functions) {
    NoteMesh(F->Mesh.get());
    for (const Slot &S : F->Slots)
      NoteMesh(S.Mesh.get());
  }

  auto AddMesh = [&](const MeshSpec *Mesh) {
    if (Mesh)
      for (const MeshAxis &A : Mesh->Axes)
        if (A.Of.empty()) // annotations come with the parts of the others
          add(A.Name);
  };
  AddMesh(ConfiguredMesh);
  for (const Function *F : functionsInOrder(M)) {
    Adding = F;
    AddMesh(F->Mesh.get());
    for (const Slot &S : F->Slots)
      AddMesh(S.Mesh.get());
    addFunction(*F);
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

void Universe::add(llvm::StringRef Name) {
  if (Singleton.count(Name))
    return;
  if (Ids.contains(Name))
    return;
  Mentioned.try_emplace(Name.str(), Adding);
  if (!Adding) // of the configured mesh: in its order
    number();
}

void Universe::addSpec(const TypeSpec &T) {
  for (const AxisAtom &A : T.Axes)
    add(A.Axis);
}

void Universe::addFunction(const Function &F) {
  auto AddAnnotation = [&](const TypeAnnotation *A) {
    if (!A)
      return;
    addSpec(A->Entry);
    if (A->Exit)
      addSpec(*A->Exit);
  };
  AddAnnotation(F.Result.get());
  for (const std::string &A : F.ResultAxes)
    add(A);
  for (const Slot &S : F.Slots) {
    AddAnnotation(S.Declared.get());
    for (const std::string &A : S.DeclaredAxes)
      add(A);
  }
  for (const Block &B : F.Blocks)
    for (const Fact &Fact : B.Facts) {
      if (const auto *D = std::get_if<DefineFact>(&Fact)) {
        if (D->Type)
          addSpec(*D->Type);
        for (const std::string &A : D->AxisNames)
          add(A);
      } else if (const auto *A = std::get_if<AssertFact>(&Fact)) {
        if (A->Type)
          addSpec(*A->Type);
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
