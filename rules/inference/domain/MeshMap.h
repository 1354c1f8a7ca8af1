//===- MeshMap.h - Types on one mesh as types on another --------*- C++ -*-===//
//
// Code of two meshes over the same ranks meets where one calls the other or
// names its fields. There what is said on the axes of the one is said anew on
// those of the other: the same for every rank, or nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_DOMAIN_MESHMAP_H
#define SPMD_INFERENCE_DOMAIN_MESHMAP_H

#include "Universe.h"

#include "spmd/types/AxisAlgebra.h"

#include "llvm/ADT/BitVector.h"

namespace spmd::rules::inference {

class MeshMap {
public:
  /// Null where an axis is what it is called: on one mesh.
  static std::unique_ptr<MeshMap>
  between(const MeshSpec &From, const MeshSpec &To, const Universe &Names);

  /// The ranks of the meshes cannot be compared.
  bool isByName() const { return !Apart.empty(); }
  /// An axis has a type if all that it is made of has this type. The dim of
  /// shards on several axes is not kept: nobody says which shards first.
  std::vector<AxisState> states(llvm::ArrayRef<AxisState> Theirs) const;
  /// The axes of \p Now of which some part is \p Changed are as \p Theirs says.
  void update(llvm::MutableArrayRef<AxisState> Now,
              llvm::ArrayRef<AxisState> Theirs,
              const llvm::BitVector &Changed) const;
  /// Null, and \p Why, when it has no equal form.
  std::shared_ptr<const PartitionSpec>
  spec(const std::shared_ptr<const PartitionSpec> &Theirs,
       std::string *Why = nullptr) const;
  /// Empty when it is no group of whole axes.
  AxisList span(const AxisList &Theirs) const;
  /// A value that crosses, as storage of its own.
  AbstractValue cell(const AbstractValue &Theirs) const;

  /// Why \p Theirs says less here than there, of what \p Known has types for;
  /// empty when it says as much.
  std::string lost(llvm::ArrayRef<AxisState> Theirs,
                   llvm::ArrayRef<AxisState> Known) const;
  /// "ep: R": what of \p Theirs makes the type on \p Mine.
  std::string print(llvm::ArrayRef<AxisState> Theirs, AxisId Mine) const;

private:
  explicit MeshMap(const Universe &Names) : Names(Names) {}

  /// The axes that have a part in common with one of this mesh; all that it is
  /// made of is in them. None where that cannot be said.
  using Image = AxisList;
  AxisState stateOn(const Image &X, llvm::ArrayRef<AxisState> Theirs) const;
  bool hasNames(const RankMesh &M) const;

  const Universe &Names;
  MeshSpec Here; ///< without axes that are flattened of others
  RankMesh From, To;
  std::string Apart; ///< why the ranks cannot be compared: only names tell
  std::vector<Image> Images; ///< by axis of this mesh
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_DOMAIN_MESHMAP_H
