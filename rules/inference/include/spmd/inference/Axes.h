//===- Axes.h - The axes that a module talks about --------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_AXES_H
#define SPMD_INFERENCE_AXES_H

#include "spmd/ir/IR.h"

namespace spmd::rules {

/// Those of annotations, communicators and meshes, \p Configured among them,
/// without those of one rank.
std::vector<std::string> axesOf(const Module &M, const MeshSpec *Configured);

} // namespace spmd::rules

#endif // SPMD_INFERENCE_AXES_H
