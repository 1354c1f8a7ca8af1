//===- Specs.h - Layouts from annotations, and as text ----------*- C++ -*-===//

#ifndef SPMD_PLANNER_SPECS_H
#define SPMD_PLANNER_SPECS_H

#include "spmd/planner/Layout.h"
#include "spmd/types/TypeSpec.h"

namespace spmd::planner {

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

} // namespace spmd::planner

#endif // SPMD_PLANNER_SPECS_H
