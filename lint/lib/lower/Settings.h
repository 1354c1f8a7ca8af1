//===- Settings.h - Members that choose for a whole run ---------*- C++ -*-===//
//
// `config->stage` in one function and `dist.stage` in another are one number
// where each program has one object of the class, and nobody changes the member
// once it has been asked for.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_SETTINGS_H
#define SPMD_LINT_LOWER_SETTINGS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <optional>
#include <string>

namespace spmd::lint::lower {

class Settings {
public:
  Settings() = default;
  /// Of a file with these bodies.
  explicit Settings(llvm::ArrayRef<const clang::FunctionDecl *> Bodies);

  /// "Config::stage", if \p E is such a member and has other names elsewhere.
  std::optional<std::string> nameOf(const clang::Expr *E) const;
  /// Whether \p E is a member that says which of several ways is gone, and
  /// counts nothing: no code does more than set it, print it and ask for it.
  bool isChoice(const clang::Expr *E) const;
  /// Whether \p E, in a condition of \p In, is a member that other code sets to
  /// one constant before it calls that and to another one later.
  bool isSwitched(const clang::Expr *E, const clang::FunctionDecl *In) const;
  /// Whether some code takes tensors out of those that get gradients.
  bool freezes() const { return Freezes; }

private:
  llvm::DenseMap<const clang::FieldDecl *, std::string> Names;
  llvm::DenseSet<const clang::FieldDecl *> Choices;
  /// The functions that set those that are asked for before.
  llvm::DenseMap<const clang::FieldDecl *,
                 llvm::SmallPtrSet<const clang::FunctionDecl *, 2>>
      SetBy;
  bool Freezes = false;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_SETTINGS_H
