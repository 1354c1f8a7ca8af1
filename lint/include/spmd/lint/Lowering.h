//===- Lowering.h - From the Clang AST to the SPMD IR -----------*- C++ -*-===//

#ifndef SPMD_LINT_LOWERING_H
#define SPMD_LINT_LOWERING_H

#include "spmd/ir/Link.h"
#include "spmd/lint/Annotations.h"
#include "spmd/lint/AxisHandle.h"
#include "spmd/lint/Config.h"

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace clang {
class ASTContext;
class FunctionDecl;
class Stmt;
} // namespace clang

namespace spmd::lint {

struct FileMatches;
class OwnFiles;

/// What a PlaceId stands for in the source.
struct PlaceSource {
  clang::SourceRange Range;
  const clang::Stmt *Node = nullptr; ///< null for declarations
};

/// The source side of one lowered function.
struct FunctionSource {
  const clang::FunctionDecl *Decl = nullptr;
  /// The functions that it is handed, by parameter, where it is lowered for
  /// these alone.
  std::vector<const clang::FunctionDecl *> Handed;
  std::vector<PlaceSource> Places{PlaceSource{}}; ///< by PlaceId
  std::vector<AxisHandle> Handles;
};

/// An annotation whose payload does not parse.
struct MalformedPayload {
  clang::SourceLocation At;
  std::string Message;
};

struct LoweredModule {
  rules::Module M;
  llvm::DenseMap<const rules::Function *, FunctionSource> Sources;
  std::vector<MalformedPayload> Malformed;
  std::vector<Allowance> Allowances;
  rules::Linkages Symbols; ///< LoweringOptions::ForProgram
  rules::ClassFamilies Classes;
  unsigned NumFacts = 0;
};

struct LoweringOptions {
  /// To be linked with other files: calls of the user's functions that are
  /// defined elsewhere, and virtual calls, are left for the linker to resolve.
  bool ForProgram = false;
};

/// Lowers the bodies in \p Found. Empty, at the cost of a look-up, when the
/// file does not mention spmd at all and the configuration types nothing.
LoweredModule lowerTranslationUnit(clang::ASTContext &Ctx, const Config &Cfg,
                                   const FileMatches &Found, OwnFiles &Own,
                                   const LoweringOptions &Options);

} // namespace spmd::lint

#endif // SPMD_LINT_LOWERING_H
