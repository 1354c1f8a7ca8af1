//===- StatementWriter.h - Writes statement after statement -----*- C++ -*-===//
//
// Calls in expressions become statements before the one that they are in.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_STATEMENTWRITER_H
#define SPMD_LINT_EFFECTS_STATEMENTWRITER_H

#include "spmd/collectives/EffectProgram.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::lint::effects {

using Expr = collectives::Expr;
using Stmt = collectives::Stmt;
using Kind = collectives::StmtKind;

/// What a callee may do if it is not seen.
struct Unseen {
  std::string Name;
  bool HasNoComms = false;   ///< it is given none
  bool SendsNothing = false; ///< it is declared so
  /// It is one of these functions; empty: nobody knows.
  std::vector<const Expr *> MayBe = {};
};

class StatementWriter {
public:
  StatementWriter(collectives::EffectProgram &P, const clang::ASTContext &Ctx)
      : P(P), Ctx(Ctx) {}

  collectives::EffectProgram &P;

  collectives::Site site(clang::SourceLocation Loc);
  unsigned numPlaces() const { return Places.size(); }
  clang::SourceLocation place(collectives::Site At) const {
    return Places[At.Id];
  }
  /// For messages; empty: too long.
  std::string spelled(const clang::Expr *E) const;

  //===--- Statements -------------------------------------------------------//

  /// The new statement, to be completed before the next is begun.
  Stmt &emit(Kind K, clang::SourceLocation At);
  void put(Stmt New);
  void assign(const Expr *Into, const Expr *Value, clang::SourceLocation At);
  void copy(const Expr *Into, const Expr *From, clang::SourceLocation At,
            bool Moves = false);
  void forget(const Expr *What, clang::SourceLocation At);
  Stmt &access(const Expr *Pointer, bool Writes, llvm::StringRef By,
               clang::SourceLocation At);
  Stmt &end(const Expr *Pointer, llvm::StringRef By, clang::SourceLocation At);
  void giveUp(const clang::Stmt *S);
  /// Returns the result.
  const Expr *call(const Expr *Callee, std::vector<const Expr *> Arguments,
                   clang::SourceLocation At, Unseen If = {});
  /// Returns the value of \p Call, or a pointer to the record that it is.
  const Expr *event(collectives::Event What, const clang::Expr *Call);
  /// New storage: the value of no statement yet.
  const Expr *allocation(clang::SourceLocation At, llvm::StringRef Name = "",
                         bool IsPinned = false);

  //===--- Sequences --------------------------------------------------------//

  /// The statements that \p By makes, apart from those around them.
  std::vector<const Stmt *> made(llvm::function_ref<void()> By);
  /// What \p By makes is left out.
  void apart(llvm::function_ref<void()> By);
  const Stmt *sequence(std::vector<const Stmt *> Body);
  void append(llvm::ArrayRef<const Stmt *> Made);
  /// How many there are in this sequence.
  std::size_t count();
  /// Those from \p First on are what is left by \p Label.
  void enclose(std::size_t First, unsigned Label);
  /// What stands nowhere in the source.
  const Stmt *assignment(const Expr *Into, const Expr *Value);

private:
  void flush();

  const clang::ASTContext &Ctx;
  std::vector<clang::SourceLocation> Places{clang::SourceLocation()};
  std::vector<const Stmt *> Out; ///< of the sequence that is being made
  std::optional<Stmt> Open;      ///< made last, and not yet in Out
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_STATEMENTWRITER_H
