//===- Layout.h - Where the elements of a tensor are ------------*- C++ -*-===//
//
// A partition spec on a mesh with known sizes, and the block of the tensor that
// each rank holds. Shards may be uneven (ShardRange.h): sets of elements
// decide, not products.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_PLANNER_LAYOUT_H
#define SPMD_PLANNER_LAYOUT_H

#include "spmd/rules/ShardRange.h"
#include "spmd/rules/TypeSpec.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace spmd::planner {

using AxisIndex = unsigned;
using Axes = llvm::SmallVector<AxisIndex, 3>;
using Shape = llvm::SmallVector<std::int64_t, 4>;

/// What a collective costs, and an element that a rank receives, in seconds.
struct Link {
  double Latency = 10e-6;
  double PerElement = 4 / 100e9;
};

struct DeviceMesh {
  struct Axis {
    std::string Name;
    int Size = 1;
    /// Between ranks that differ on it; empty: as everywhere.
    std::optional<Link> Own = std::nullopt;
  };
  llvm::SmallVector<Axis, 4> All; ///< outermost first, as ranks are numbered

  int ranks() const;
  int coordinate(int Rank, AxisIndex A) const;
  int sizeOf(llvm::ArrayRef<AxisIndex> Of) const; ///< of the flattened axis
};

struct Layout {
  llvm::SmallVector<Axes, 4> Dims; ///< axes of each dim, outermost first
  Axes Partial;                    ///< in the order of the mesh

  bool shards(AxisIndex A) const;
  bool isPartial(AxisIndex A) const;
  friend bool operator==(const Layout &, const Layout &) = default;
};

/// "dp=2, tp=4"; an error when a size is not given.
llvm::Expected<DeviceMesh> meshOf(const rules::MeshSpec &M);
/// "f32[8@dp, 4]{tp: P}" on \p M; an error when an axis is not of the mesh or
/// has no layout (V without a dim).
llvm::Expected<Layout> layoutOf(const rules::TypeSpec &T, const DeviceMesh &M);
/// The sizes of its dims; an error when one is only a name.
llvm::Expected<Shape> shapeOf(const rules::TypeSpec &T);
/// \p Sizes as they are to be written, one for each dim.
std::string print(const Layout &L, llvm::ArrayRef<std::string> Sizes,
                  const DeviceMesh &M);
std::string print(const Layout &L, const Shape &S, const DeviceMesh &M);

/// Elements [Begin, End) of each dim.
struct Block {
  llvm::SmallVector<rules::ElementRange, 4> Dims;

  std::int64_t size() const;
  bool contains(const Block &Inner) const;
  friend bool operator==(const Block &, const Block &) = default;
};
/// How many elements are in both.
std::int64_t overlap(const Block &A, const Block &B);

/// What each rank holds, by rank.
using Blocks = std::vector<Block>;
Blocks blocksOf(const Layout &L, const Shape &S, const DeviceMesh &M);
std::int64_t largestBlock(const Layout &L, const Shape &S, const DeviceMesh &M);

} // namespace spmd::planner

#endif // SPMD_PLANNER_LAYOUT_H
