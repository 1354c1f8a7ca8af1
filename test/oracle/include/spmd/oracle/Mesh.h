//===- Mesh.h - Values on the ranks of a mesh -------------------*- C++ -*-===//
//
// Axes compose independently: a value has a type on each, and what it means is
// found axis by axis. Meanings are kept on all ranks: each rank's entry is what
// the value stands for there, the same for ranks that differ only on axes on
// which it does not vary.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_MESH_H
#define SPMD_ORACLE_MESH_H

#include "spmd/oracle/Ranks.h"
#include "spmd/types/TypeSpec.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <random>

namespace spmd::oracle {

struct Mesh {
  struct Axis {
    std::string Name;
    int Size = 1;
  };
  std::vector<Axis> Axes; ///< outermost first

  int ranks() const;
  std::optional<unsigned> find(llvm::StringRef Axis) const;
  /// The groups of ranks that differ on \p Of only, each in rank order.
  std::vector<std::vector<int>> groups(llvm::ArrayRef<unsigned> Of) const;
};

/// The type on each axis of a mesh. Nothing is known of the others: such a
/// value is drawn the same on all their ranks, and means what each holds.
using MeshTypes = llvm::SmallVector<std::optional<rules::LocalType>, 2>;
MeshTypes typesOn(const Mesh &M, const rules::TypeSpec &T);
MeshTypes dual(const MeshTypes &T);

bool isLegal(const Mesh &M, const MeshTypes &T, const Ranks &X);
Ranks meaning(const Mesh &M, const MeshTypes &T, Ranks X);

/// Small numbers, drawn from \p Random alone for equal axes that vary.
Ranks randomMeaning(const Mesh &M, const MeshTypes &T, const Shape &Dims,
                    std::mt19937 &Random);
/// A legal value of type \p T that means \p Meaning.
Ranks distribute(const Mesh &M, const MeshTypes &T, Ranks Meaning,
                 std::mt19937 &Random);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_MESH_H
