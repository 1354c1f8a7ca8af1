//===- EffectLowering.h - From the AST to an effect program -----*- C++ -*-===//
//
// Keeps of all functions of a file what decides which collectives each rank
// gets to, in which order, with which arguments.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_EFFECTLOWERING_H
#define SPMD_LINT_EFFECTS_EFFECTLOWERING_H

#include "Expressions.h"
#include "Statements.h"

#include "matchers/FileMatches.h"

namespace spmd::lint::effects {

class EffectLowering {
public:
  /// \p ForProgram: calls may lead to other files (Link.h).
  EffectLowering(clang::ASTContext &Ctx, const rules::CollectiveApis &Apis,
                 OwnFiles &Own, DeclaredVarying &Declared, bool ForProgram)
      : Apis(Apis), Out(P, Ctx), Named(Ctx, Own, ForProgram, Out, Exprs),
        Given(Ctx, Apis, Out, Exprs), User(Out, Named, Exprs),
        Called(Ctx, Apis, Out, Named, Exprs, Begin, Given, User),
        Begin(Ctx, Out, Exprs, Called),
        Exprs(Ctx, Apis, Out, Named, Declared, Called, Begin, Stmts),
        Stmts(Ctx, Out, Named, Declared, Given, Called, Exprs, Begin) {}

  const collectives::EffectProgram &run(const FileMatches &File);
  clang::SourceLocation place(collectives::Site At) const {
    return Out.place(At);
  }
  unsigned numPlaces() const { return Out.numPlaces(); }
  collectives::EffectProgram take() { return std::move(P); }
  /// Calls that reduce a buffer of one type as one of another.
  llvm::ArrayRef<collectives::Finding> mistyped() const {
    return Given.mistyped();
  }

private:
  const rules::CollectiveApis &Apis;
  collectives::EffectProgram P;
  StatementWriter Out;
  Names Named;
  Buffers Given;
  UserCalls User;
  Calls Called;
  Objects Begin;
  Expressions Exprs;
  Statements Stmts;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_EFFECTLOWERING_H
