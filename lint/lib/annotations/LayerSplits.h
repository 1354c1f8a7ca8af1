//===- LayerSplits.h - What a split of a layer is of its parts --*- C++ -*-===//
//
// `[[spmd::type("tp: S(1)")]] torch::nn::Linear down` is about a dim of the
// weight: a bias has no such dim, and is left whole.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_ANNOTATIONS_LAYERSPLITS_H
#define SPMD_LINT_ANNOTATIONS_LAYERSPLITS_H

#include "spmd/types/TypeSpec.h"

#include "clang/AST/Type.h"

#include <string>

namespace spmd::lint {

/// \p Said of a value of type \p T, by parameter where that is a layer of which
/// some have no dim that is split. Whole is R as well as I: what the layer's
/// output becomes decides.
rules::TypeAnnotation splitByParameter(rules::TypeAnnotation Said,
                                       clang::QualType T);
/// Why what \p Said splits is no dim of any parameter of \p T; empty if there
/// is one, or nobody knows.
std::string splitsNothing(const rules::TypeAnnotation &Said, clang::QualType T);

} // namespace spmd::lint

#endif // SPMD_LINT_ANNOTATIONS_LAYERSPLITS_H
