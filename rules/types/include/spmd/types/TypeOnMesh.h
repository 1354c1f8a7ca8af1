//===- TypeOnMesh.h - Payloads where the mesh is known ----------*- C++ -*-===//

#ifndef SPMD_TYPES_TYPEONMESH_H
#define SPMD_TYPES_TYPEONMESH_H

#include "spmd/types/TypeSpec.h"

namespace spmd::rules {

/// As without a mesh, but that an axis of size 1 on \p Mesh, which cuts
/// nothing, may be named in several dims.
llvm::Expected<TypeAnnotation> parseTypeAnnotation(llvm::StringRef Payload,
                                                   const MeshSpec *Mesh);
llvm::Expected<TypeSpec> parseTypeSpec(llvm::StringRef Payload,
                                       const MeshSpec *Mesh);

} // namespace spmd::rules

#endif // SPMD_TYPES_TYPEONMESH_H
