//===- Statements.h - Bodies of functions, part by part -------*- C++ -*-===//

#ifndef SPMD_LINT_EFFECTS_STATEMENTS_H
#define SPMD_LINT_EFFECTS_STATEMENTS_H

#include "Calls.h"
#include "DeclaredVarying.h"
#include "OpenMp.h"

#include "lower/IteratorLoops.h"
#include "lower/RootCopies.h"

#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::lint::effects {

class Statements final : public StatementLowering, PartLowering {
public:
  Statements(clang::ASTContext &Ctx, StatementWriter &Out, Names &Named,
             DeclaredVarying &Declared, Buffers &Given, Calls &Called,
             ExpressionLowering &Exprs, ObjectLowering &Objects)
      : PartLowering(Out, Exprs), Ctx(Ctx), Named(Named), Declared(Declared),
        Given(Given), Called(Called), Objects(Objects), Threads(Ctx) {}

  void lowerBody(const clang::FunctionDecl *FD);
  void lower(const clang::Stmt *S) override;

private:
  /// As one thread runs it.
  void lowerAsIs(const clang::Stmt *S);
  void lowerForThreads(const clang::Stmt *S, const clang::Stmt *Body);
  const Stmt *inside(const clang::Stmt *S);
  void lowerInitialisers(const clang::CXXConstructorDecl *D);
  void lowerCompound(const clang::CompoundStmt *S);
  void lowerDecl(const clang::VarDecl *D);
  void varyIfDeclared(const clang::VarDecl *D);
  void lowerIf(const clang::IfStmt *S);
  void lowerSwitch(const clang::SwitchStmt *S);
  void lowerLoop(const clang::Stmt *At, const clang::Expr *Condition,
                 const clang::Stmt *Body, const clang::Expr *Step,
                 bool BodyFirst, const clang::VarDecl *Tested);
  void lowerEach(const clang::CXXForRangeStmt *S);
  const collectives::Expr *parametersOf(const clang::Expr *Range);
  const Expr *written(const clang::Expr *Range);
  void lowerEachOf(const clang::CXXForRangeStmt *S, const collectives::Expr *Of,
                   const collectives::Expr *Size = nullptr);
  void lowerIterators(const lower::IteratorLoop &Loop);
  /// A loop over the elements of \p Of, which \p Take takes one by one, from 0
  /// on or from the last one: \p Size of them, or as many as it says.
  void lowerElements(const clang::Stmt *Loop, const clang::Stmt *Body,
                     const collectives::Expr *Of, const collectives::Expr *Size,
                     bool Backwards,
                     llvm::function_ref<void(const collectives::Expr *)> Take);
  /// One of as many rounds as there are elements, which nobody knows.
  void lowerRounds(const clang::Stmt *Loop, const clang::Stmt *Body,
                   llvm::function_ref<void()> Take);
  /// How many elements an array of type \p T has; null of what is none.
  const collectives::Expr *sizeOf(clang::QualType T) const;
  void lowerTry(const clang::CXXTryStmt *S);
  void lowerReturn(const clang::ReturnStmt *S);
  void lowerGoto(const clang::GotoStmt *S);
  /// Ends the objects in \p Scoped from \p First on, the last first.
  void destroy(std::size_t First, clang::SourceLocation At);
  /// The storage of buffers that \p S declares ends with it.
  void endBuffers(const clang::CompoundStmt *S);

  clang::ASTContext &Ctx;
  Names &Named;
  DeclaredVarying &Declared;
  Buffers &Given;
  Calls &Called;
  ObjectLowering &Objects;
  OpenMp Threads;
  std::optional<spmd::lint::lower::RootCopies> Copies; ///< of this body
  /// Objects whose end is seen, and how many were there where the innermost
  /// loop begins.
  std::vector<const clang::VarDecl *> Scoped;
  std::size_t InLoop = 0;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_STATEMENTS_H
