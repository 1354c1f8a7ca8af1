//===- Names.h - Functions, variables and labels by number ------*- C++ -*-===//

#ifndef SPMD_LINT_EFFECTS_NAMES_H
#define SPMD_LINT_EFFECTS_NAMES_H

#include "Recursion.h"

#include "spmd/lint/UserFiles.h"

namespace spmd::lint::effects {

/// What stands for it is a pointer to it.
bool isByReference(const clang::VarDecl *D);

class Names : PartLowering {
public:
  Names(const clang::ASTContext &Ctx, OwnFiles &Own, bool ForProgram,
        StatementWriter &Out, ExpressionLowering &Exprs)
      : PartLowering(Out, Exprs), Ctx(Ctx), Own(Own), ForProgram(ForProgram) {}

  /// None: its body is not the user's, or not seen, and in no other file.
  std::optional<unsigned> functionOf(const clang::FunctionDecl *FD);
  /// By their numbers; grows as bodies are lowered.
  const std::vector<const clang::FunctionDecl *> &functions() const {
    return All;
  }
  /// Whether functions of the file may be overridden, or called, in others.
  bool isPartOfProgram() const { return ForProgram; }
  const Expr *variable(const clang::VarDecl *D);
  unsigned label(const clang::LabelDecl *L);

  /// The function whose body is being lowered.
  void enter(const clang::FunctionDecl *FD) { Current = FD; }
  const clang::FunctionDecl *current() const { return Current; }
  /// The variable in which it has `this`.
  const Expr *self();

private:
  bool mayBeElsewhere(const clang::FunctionDecl *FD);
  void describe(const clang::FunctionDecl *FD, collectives::Function &F) const;

  const clang::ASTContext &Ctx;
  OwnFiles &Own;
  const bool ForProgram;
  llvm::DenseMap<const clang::FunctionDecl *, unsigned> Functions;
  std::vector<const clang::FunctionDecl *> All;
  llvm::DenseMap<const clang::VarDecl *, unsigned> Variables;
  llvm::DenseMap<const clang::DeclContext *, unsigned> This;
  llvm::DenseMap<const clang::LabelDecl *, unsigned> Labels;
  const clang::FunctionDecl *Current = nullptr;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_NAMES_H
