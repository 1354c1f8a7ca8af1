//===- Constancy.h - What keeps its value in a function ---------*- C++ -*-===//
//
// A size that a variable holds is named by the variable, or is what the
// variable was initialised with: only where nothing changes it in between.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_CONSTANCY_H
#define SPMD_LINT_LOWER_CONSTANCY_H

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace spmd::lint::lower {

class Constancy {
public:
  /// Reads the body of the function around \p FD, if that is a lambda, with the
  /// bodies of all its lambdas.
  explicit Constancy(const clang::FunctionDecl *FD);

  /// A variable or member that nothing in the function assigns, passes to be
  /// written, or calls a changing method of.
  bool isConstant(const clang::ValueDecl *D) const;
  /// Nothing in the function itself changes \p D; what it calls may.
  bool isKeptHere(const clang::ValueDecl *D) const;
  /// The same up to \p At alone: it is changed behind that, and in no loop.
  bool isKeptUntil(const clang::ValueDecl *D, clang::SourceLocation At) const;
  /// A variable or member that a communicator's number of ranks is written to,
  /// as in `ncclCommCount(comm, &n)`, and nothing else.
  bool isNumberOfRanks(const clang::ValueDecl *D) const;
  /// Declared in a loop: has one value in each turn.
  bool isPerTurn(const clang::VarDecl *D) const { return InLoop.contains(D); }
  /// The name, with a number behind it where others of the function have it.
  std::string nameOf(const clang::VarDecl *D) const;
  /// Whether a variable of the function has the name.
  bool isTaken(llvm::StringRef Name) const { return Names.contains(Name); }

private:
  friend class ConstancyVisitor;
  llvm::DenseSet<const clang::ValueDecl *> Changed;
  /// Where what is changed is changed first; nowhere: in a loop.
  llvm::DenseMap<const clang::ValueDecl *, clang::SourceLocation> FirstChange;
  llvm::DenseSet<const clang::ValueDecl *> NumbersOfRanks;
  llvm::DenseSet<const clang::VarDecl *> InLoop;
  llvm::DenseMap<const clang::VarDecl *, unsigned> Namesakes;
  llvm::StringMap<unsigned> Names;
  /// `this` is passed on, or to a method that may change it.
  bool ChangesThis = false;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_CONSTANCY_H
