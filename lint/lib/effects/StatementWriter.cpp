//===- StatementWriter.cpp - Writes statement after statement -----------===//

#include "EffectLowering.h"

#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

/// Longer expressions are not named in messages.
static constexpr std::size_t MaxSpelled = 40;

Site EffectLowering::site(SourceLocation Loc) {
  Places.push_back(Loc);
  const SourceManager &SM = Ctx.getSourceManager();
  return {static_cast<unsigned>(Places.size() - 1),
          SM.getExpansionLineNumber(Loc)};
}

std::string EffectLowering::spelled(const clang::Expr *E) const {
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_AddrOf)
    E = U->getSubExpr()->IgnoreParenImpCasts();
  const SourceManager &SM = Ctx.getSourceManager();
  const CharSourceRange Range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(E->getSourceRange()), SM,
      Ctx.getLangOpts());
  const llvm::StringRef Text =
      Lexer::getSourceText(Range, SM, Ctx.getLangOpts());
  return Text.size() <= MaxSpelled && !Text.contains('\n') ? Text.str() : "";
}

void EffectLowering::flush() {
  if (Open)
    Out.push_back(P.add(*std::exchange(Open, std::nullopt)));
}

/// The new statement, to be completed before the next is begun.
EffectLowering::Stmt &EffectLowering::emit(Kind K, SourceLocation At) {
  flush();
  Open.emplace();
  Open->Kind = K;
  Open->At = site(At);
  return *Open;
}

const EffectLowering::Stmt *
EffectLowering::sequence(std::vector<const Stmt *> Body) {
  if (Body.size() == 1)
    return Body.front();
  Stmt S;
  S.Body = std::move(Body);
  return P.add(std::move(S));
}

std::vector<const EffectLowering::Stmt *>
EffectLowering::made(llvm::function_ref<void()> By) {
  flush();
  std::vector<const Stmt *> Around = std::exchange(Out, {});
  By();
  flush();
  return std::exchange(Out, std::move(Around));
}

void EffectLowering::giveUp(const clang::Stmt *S) {
  emit(Kind::GiveUp, S->getBeginLoc()).Name = S->getStmtClassName();
}

void EffectLowering::assign(const Expr *Into, const Expr *Value,
                            SourceLocation At) {
  Stmt &S = emit(Kind::Assign, At);
  S.Target = Into;
  S.Value = Value;
}

/// What stands nowhere in the source.
const EffectLowering::Stmt *EffectLowering::assignment(const Expr *Into,
                                                       const Expr *Value) {
  Stmt S;
  S.Kind = Kind::Assign;
  S.Target = Into;
  S.Value = Value;
  return P.add(std::move(S));
}

void EffectLowering::forget(const Expr *What, SourceLocation At) {
  emit(Kind::Forget, At).Target = What;
}

EffectLowering::Stmt &EffectLowering::access(const Expr *Pointer, bool Writes,
                                             llvm::StringRef By,
                                             SourceLocation At) {
  Stmt &S = emit(Kind::Access, At);
  S.Value = Pointer;
  S.Writes = Writes;
  S.Name = By.str();
  return S;
}

void EffectLowering::end(const Expr *Pointer, llvm::StringRef By,
                         SourceLocation At) {
  Stmt &S = emit(Kind::End, At);
  S.Value = Pointer;
  S.Name = By.str();
}

} // namespace spmd::lint::effects
