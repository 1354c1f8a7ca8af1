//===- LinkNames.h - What tells functions of several files apart -*- C++ -*-==//

#ifndef SPMD_LINT_CXX_LINKNAMES_H
#define SPMD_LINT_CXX_LINKNAMES_H

#include "clang/AST/Decl.h"

#include <string>

namespace spmd::lint {

/// Empty where it has none.
std::string usrOf(const clang::FunctionDecl *FD);

/// Where a class, or a function that many files define, is written: programs in
/// one folder have different ones of one name. Empty for what one file defines.
std::string homeOf(const clang::FunctionDecl *FD);

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_LINKNAMES_H
