//===- Layout.h - Where the elements of a tensor are ------------*- C++ -*-===//
//
// A partition spec on a mesh with known sizes, and the block of the tensor that
// each rank holds. Shards may be uneven (ShardRange.h): sets of elements
// decide, not products. Standard library alone, as all of the planner's core:
// the runtime plans with it too. Specs.h reads layouts from annotations.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_PLANNER_LAYOUT_H
#define SPMD_PLANNER_LAYOUT_H

#include "spmd/planner/ShortVector.h"
#include "spmd/types/ShardRange.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spmd::planner {

using AxisIndex = unsigned;
using Axes = ShortVector<AxisIndex, 3>;
using Shape = ShortVector<std::int64_t, 4>;

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
  ShortVector<Axis, 4> All; ///< outermost first, as ranks are numbered

  int ranks() const;
  int coordinate(int Rank, AxisIndex A) const;
  int sizeOf(const Axes &Of) const; ///< of the flattened axis
};

struct Layout {
  ShortVector<Axes, 4> Dims; ///< axes of each dim, outermost first
  Axes Partial;              ///< in the order of the mesh

  bool shards(AxisIndex A) const;
  bool isPartial(AxisIndex A) const;
  friend bool operator==(const Layout &A, const Layout &B) {
    return A.Dims == B.Dims && A.Partial == B.Partial;
  }
};

/// Elements [Begin, End) of each dim.
struct Block {
  ShortVector<rules::ElementRange, 4> Dims;

  std::int64_t size() const;
  bool contains(const Block &Inner) const;
  friend bool operator==(const Block &A, const Block &B) {
    return A.Dims == B.Dims;
  }
};
/// How many elements are in both.
std::int64_t overlap(const Block &A, const Block &B);

/// What each rank holds, by rank.
using Blocks = std::vector<Block>;
Blocks blocksOf(const Layout &L, const Shape &S, const DeviceMesh &M);
std::int64_t largestBlock(const Layout &L, const Shape &S, const DeviceMesh &M);

} // namespace spmd::planner

#endif // SPMD_PLANNER_LAYOUT_H
