//===- Universe.h - The axes a module talks about ---------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_DOMAIN_UNIVERSE_H
#define SPMD_INFERENCE_DOMAIN_UNIVERSE_H

#include "Value.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace spmd::rules::inference {

/// All axis names of a module, numbered densely. Axes that are of size 1
/// wherever they are named are left out: on one rank all types are the same
/// thing.
/// The axes that \p F speaks of, and the mesh that each is of there; \p Mesh is
/// the function's.
void forEachNamedAxis(
    const Function &F, const MeshSpec *Mesh,
    llvm::function_ref<void(llvm::StringRef Name, const MeshSpec *Of)> Visit);

class Universe {
public:
  Universe(const Module &M, const MeshSpec *ConfiguredMesh);

  unsigned size() const { return static_cast<unsigned>(Names.size()); }
  std::optional<AxisId> find(llvm::StringRef Name) const;
  const std::string &name(AxisId A) const { return Names[A]; }
  /// A function that mentions an axis beyond Limits::Axes, if one does.
  const Function *overfull() const { return Overfull; }

private:
  void add(llvm::StringRef Name, const MeshSpec *Of);
  void number();
  void addMesh(const MeshSpec *Mesh);

  const Function *Adding = nullptr, *Overfull = nullptr;
  /// The axes that have no number yet, and a function with each.
  std::map<std::string, const Function *> Mentioned;
  std::vector<std::string> Names;
  llvm::StringMap<AxisId> Ids;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_DOMAIN_UNIVERSE_H
