//===- DeclaredParameters.h - What all parameters are declared --*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_APIS_DECLAREDPARAMETERS_H
#define SPMD_LINT_LOWER_APIS_DECLAREDPARAMETERS_H

#include "../ModuleLowering.h"

#include "spmd/ops/LayerCatalogue.h"

namespace spmd::lint::lower {

/// What the annotations of the members of the module \p T, and of the modules
/// in it, say of all of them alike; the place is that of one of these. None
/// where there is nothing in common, or some parameter has no annotation.
///
/// \p Whole is what is said of the module as a whole: it is about those that
/// have no annotation of their own. \p Differ is set if more is said of some.
Annotation<rules::TypeAnnotation>
declaredParameters(ModuleLowering &M, clang::QualType T,
                   const Annotation<rules::TypeAnnotation> &Whole,
                   bool &Differ);

/// The class that the module, holder or pointer \p T is of; null for none.
const clang::CXXRecordDecl *moduleClass(clang::QualType T);
/// What the layer of libtorch that \p RD is does; null if it is none.
const rules::LayerRule *layerOf(const clang::CXXRecordDecl *RD);
/// Whether a layer of libtorch has no parameters.
bool hasNoParameters(const clang::CXXRecordDecl *RD);
/// Whether the parameters of the layer \p T begin with ones and zeros, on all
/// ranks.
bool beginsWithConstants(clang::QualType T);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_DECLAREDPARAMETERS_H
