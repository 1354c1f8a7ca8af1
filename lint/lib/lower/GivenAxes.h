//===- GivenAxes.h - Axes of communicators that nobody annotates -*- C++
//-*-===//
//
// `train(MPI_COMM_WORLD)`, where train's parameter is declared to be "dp", says
// that the world is "dp" in the caller, too: for the ranks it makes, the seeds
// it takes from them, and the branches.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_GIVENAXES_H
#define SPMD_LINT_LOWER_GIVENAXES_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace spmd::lint::lower {

class GivenAxes {
public:
  using Axes = std::vector<std::string>;
  using DeclaredFn = llvm::function_ref<Axes(const clang::NamedDecl *)>;
  /// The library's name of a communicator, as MPI_COMM_WORLD; else empty.
  using NameFn = llvm::function_ref<std::string(const clang::Expr *)>;

  GivenAxes() = default;
  /// Of a file with these bodies.
  GivenAxes(llvm::ArrayRef<const clang::FunctionDecl *> Bodies,
            DeclaredFn Declared, NameFn NameOf);

  /// Those of \p D, which says none itself; empty where nobody says any, or
  /// where two say different ones.
  Axes of(const clang::NamedDecl *D) const { return ByDecl.lookup(D); }
  Axes ofName(llvm::StringRef Name) const { return ByName.lookup(Name); }
  /// The axes over which \p D is the rank that a group is made with; empty:
  /// of none.
  Axes ofRank(const clang::NamedDecl *D) const { return Ranks.lookup(D); }

private:
  llvm::DenseMap<const clang::NamedDecl *, Axes> ByDecl, Ranks;
  llvm::StringMap<Axes> ByName;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_GIVENAXES_H
