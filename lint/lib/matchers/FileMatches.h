//===- FileMatches.h - What the matchers find in a file ---------*- C++ -*-===//
//
// One MatchFinder goes once over the user's declarations; all that follows
// reads what it found.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_MATCHERS_FILEMATCHES_H
#define SPMD_LINT_MATCHERS_FILEMATCHES_H

#include "spmd/lint/Annotations.h"
#include "spmd/lint/UserFiles.h"

#include "llvm/ADT/SetVector.h"

namespace spmd::lint {

/// Each in the order of the file.
struct FileMatches {
  template <typename T> using List = llvm::SmallSetVector<const T *, 8>;

  AnnotatedCode Annotated;
  /// Instantiations of templates among them, and the bodies of lambdas.
  List<clang::FunctionDecl> Bodies;
  List<clang::CXXMethodDecl> Overriders; ///< with a body or without
  List<clang::VarDecl> AxisGlobals;      ///< meshes among them
  List<clang::CallExpr> LocalMaps;
  bool Communicates = false;
};

/// What is in Ctx's traversal scope and in own files.
FileMatches matchOwnDecls(clang::ASTContext &Ctx,
                          const rules::CollectiveApis &Apis, OwnFiles &Own);

} // namespace spmd::lint

#endif // SPMD_LINT_MATCHERS_FILEMATCHES_H
