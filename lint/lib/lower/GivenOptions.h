//===- GivenOptions.h - What all objects of a class are made with -*- C++
//-*-===//
//
// `RowParallel(int in, int out, bool reduces) : reduces_(reduces)`: where all
// objects that the file makes are made with one value of such an option, its
// methods go no other way. Nor does a function that all calls in the file give
// one number.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_GIVENOPTIONS_H
#define SPMD_LINT_LOWER_GIVENOPTIONS_H

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace spmd::lint::lower {

class GivenOptions {
public:
  GivenOptions() = default;
  /// Of a file with these bodies.
  explicit GivenOptions(llvm::ArrayRef<const clang::FunctionDecl *> Bodies);

  /// The value of the condition \p E in a method, if options decide it.
  std::optional<bool> decide(const clang::Expr *E) const;
  /// What all calls give for the parameter that \p E names, if that is one
  /// number.
  std::optional<std::int64_t> givenFor(const clang::Expr *E) const;

private:
  using Parameter = const clang::ParmVarDecl *;
  /// What is known of a number: nothing yet, one value, or several.
  struct Value {
    std::optional<std::int64_t> Is;
    bool Several = false;
    void join(const Value &Other);
  };
  /// What is given for a parameter: a number, or another parameter.
  struct Given {
    Value Is;
    Parameter Same = nullptr;
  };
  friend class OptionVisitor;

  const clang::FunctionDecl *Context = nullptr; ///< that is being read

  Given givenBy(const clang::Expr *E) const;
  void noteMade(const clang::CXXRecordDecl *Class,
                llvm::ArrayRef<const clang::Expr *> Arguments);
  void noteConstructor(const clang::CXXConstructorDecl *Ctor);
  Value valueOf(Parameter P, llvm::DenseSet<Parameter> &Seen) const;

  llvm::DenseMap<Parameter, llvm::SmallVector<Given, 4>> GivenFor;
  llvm::DenseMap<const clang::FieldDecl *, llvm::SmallVector<Given, 2>> Set;
  llvm::DenseSet<const clang::FieldDecl *> Changed;
  llvm::DenseSet<Parameter> ChangedParameters;
  /// Functions that may be called elsewhere, by a pointer to them.
  llvm::DenseSet<const clang::FunctionDecl *> Pointed;
  llvm::DenseMap<const clang::FieldDecl *, std::int64_t> Known;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_GIVENOPTIONS_H
