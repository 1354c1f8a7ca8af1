//===- StatementWriter.cpp - Writes statement after statement -----------===//

#include "StatementWriter.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

/// Longer expressions are not named in messages.
static constexpr std::size_t MaxSpelled = 40;

Site StatementWriter::site(SourceLocation Loc) {
  Places.push_back(Loc);
  const SourceManager &SM = Ctx.getSourceManager();
  return {static_cast<unsigned>(Places.size() - 1),
          SM.getExpansionLineNumber(Loc)};
}

std::string StatementWriter::spelled(const clang::Expr *E) const {
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

void StatementWriter::flush() {
  if (Open)
    Out.push_back(P.add(*std::exchange(Open, std::nullopt)));
}

Stmt &StatementWriter::emit(Kind K, SourceLocation At) {
  flush();
  Open.emplace();
  Open->Kind = K;
  Open->At = site(At);
  return *Open;
}

void StatementWriter::put(Stmt New) {
  flush();
  Open = std::move(New);
}

const Stmt *StatementWriter::sequence(std::vector<const Stmt *> Body) {
  if (Body.size() == 1)
    return Body.front();
  Stmt S;
  S.Body = std::move(Body);
  return P.add(std::move(S));
}

std::vector<const Stmt *> StatementWriter::made(llvm::function_ref<void()> By) {
  flush();
  std::vector<const Stmt *> Around = std::exchange(Out, {});
  By();
  flush();
  return std::exchange(Out, std::move(Around));
}

void StatementWriter::apart(llvm::function_ref<void()> By) {
  std::vector<const Stmt *> Around = std::exchange(Out, {});
  std::optional<Stmt> Last = std::exchange(Open, std::nullopt);
  By();
  Out = std::move(Around);
  Open = std::move(Last);
}

void StatementWriter::append(llvm::ArrayRef<const Stmt *> Made) {
  flush();
  llvm::append_range(Out, Made);
}

std::size_t StatementWriter::count() {
  flush();
  return Out.size();
}

void StatementWriter::enclose(std::size_t First, unsigned Label) {
  flush();
  Stmt Above;
  Above.Kind = Kind::Block;
  Above.Label = Label;
  Above.Body.assign(Out.begin() + First, Out.end());
  Out.resize(First);
  Out.push_back(P.add(std::move(Above)));
}

void StatementWriter::giveUp(const clang::Stmt *S) {
  emit(Kind::GiveUp, S->getBeginLoc()).Name = S->getStmtClassName();
}

void StatementWriter::assign(const Expr *Into, const Expr *Value,
                             SourceLocation At) {
  Stmt &S = emit(Kind::Assign, At);
  S.Target = Into;
  S.Value = Value;
}

const Stmt *StatementWriter::assignment(const Expr *Into, const Expr *Value) {
  Stmt S;
  S.Kind = Kind::Assign;
  S.Target = Into;
  S.Value = Value;
  return P.add(std::move(S));
}

void StatementWriter::copy(const Expr *Into, const Expr *From,
                           SourceLocation At, bool Moves) {
  Stmt &S = emit(Kind::Copy, At);
  S.Target = Into;
  S.Value = From;
  S.Moves = Moves;
}

void StatementWriter::forget(const Expr *What, SourceLocation At) {
  emit(Kind::Forget, At).Target = What;
}

Stmt &StatementWriter::access(const Expr *Pointer, bool Writes,
                              llvm::StringRef By, SourceLocation At) {
  Stmt &S = emit(Kind::Access, At);
  S.Value = Pointer;
  S.Writes = Writes;
  S.Name = By.str();
  return S;
}

Stmt &StatementWriter::end(const Expr *Pointer, llvm::StringRef By,
                           SourceLocation At) {
  Stmt &S = emit(Kind::End, At);
  S.Value = Pointer;
  S.Name = By.str();
  return S;
}

const Expr *StatementWriter::call(const Expr *Callee,
                                  std::vector<const Expr *> Arguments,
                                  SourceLocation At, Unseen If) {
  const Expr *Result = P.temporary();
  Stmt &S = emit(Kind::Call, At);
  S.Name = std::move(If.Name);
  S.HasNoComms = If.HasNoComms;
  S.SendsNothing = If.SendsNothing;
  S.MayBe = std::move(If.MayBe);
  S.Value = Callee;
  S.Arguments = std::move(Arguments);
  S.Target = Result;
  return P.load(Result);
}

const Expr *StatementWriter::event(Event What, const clang::Expr *Call) {
  const Expr *Result = P.temporary();
  Stmt &S = emit(Kind::Event, Call->getBeginLoc());
  S.What = std::move(What);
  S.Target = Result;
  return Call->getType()->isRecordType() ? P.address(Result) : P.load(Result);
}

const Expr *StatementWriter::allocation(SourceLocation At, llvm::StringRef Name,
                                        bool IsPinned) {
  Expr New;
  New.Kind = ExprKind::Allocate;
  New.Number = site(At).Id;
  New.Name = Name.str();
  New.IsPinned = IsPinned;
  return P.add(std::move(New));
}

} // namespace spmd::lint::effects
