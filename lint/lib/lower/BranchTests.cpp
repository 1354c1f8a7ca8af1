//===- BranchTests.cpp - Conditions that decide alike ---------------------===//

#include "BranchTests.h"
#include "Comparison.h"
#include "NameWords.h"
#include "NullTest.h"
#include "NumberReader.h"
#include "Strip.h"

#include "cxx/KnownTypes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace clang;
using spmd::rules::BranchTest;

namespace spmd::lint::lower {

namespace {

/// Whether \p T decides whether a number is more than one, and its name says
/// that it counts something else than ranks: with one token there is as much to
/// reduce as with two.
bool isMoreThanOne(const BranchTest &T) {
  using Relation = BranchTest::Relation;
  const bool AboutOne = T.R == Relation::Less ? T.To == 2 : T.To == 1;
  return AboutOne && isAny(T.Of, {"batch", "token", "step", "iter", "epoch",
                                  "layer", "micro", "seq", "sample"});
}

/// Whether \p T tells none apart from any.
bool tellsIfAny(const BranchTest &T) {
  return T.holdsFor(0) != T.holdsFor(1) && T.holdsFor(1) == T.holdsFor(2) &&
         T.holdsFor(1) == T.holdsFor(1'000'000);
}

std::string textOf(const Expr *E, const ASTContext &Ctx) {
  const std::string Out = printed(E, Ctx);
  return llvm::StringRef(Out).starts_with("this->") ? Out.substr(6) : Out;
}

/// As it is written: of 0.1f the printer makes 0.100000001F.
std::string writtenText(const Expr *E, const ASTContext &Ctx) {
  const SourceManager &SM = Ctx.getSourceManager();
  const llvm::StringRef Text = Lexer::getSourceText(
      Lexer::makeFileCharRange(
          CharSourceRange::getTokenRange(E->getSourceRange()), SM,
          Ctx.getLangOpts()),
      SM, Ctx.getLangOpts());
  return Text.empty() || Text.contains('\n') ? textOf(E, Ctx) : Text.str();
}

/// The parameter of \p Of that \p E names.
rules::SlotId parameterNamed(const Expr *E, const FunctionDecl *Of) {
  const auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const auto *P = D ? dyn_cast<ParmVarDecl>(D->getDecl()) : nullptr;
  return P && P->getDeclContext() == Of
             ? rules::SlotId(P->getFunctionScopeIndex())
             : rules::SlotId::None;
}

std::string nameOf(const Expr *E, const NumbersOfFile &All) {
  const std::optional<std::string> Setting = All.Chosen.nameOf(E);
  return Setting ? *Setting : textOf(E, All.Ctx);
}

/// Also of a member with a parameter for which all calls give one number.
std::optional<Comparison> comparedWithNumber(const BinaryOperator *B,
                                             const NumbersOfFile &All) {
  if (const auto C = comparedWithConstant(B, All.Ctx))
    return C;
  if (!B->isComparisonOp() || B->getOpcode() == BO_Cmp)
    return std::nullopt;
  const Expr *L = B->getLHS()->IgnoreParenImpCasts(),
             *R = B->getRHS()->IgnoreParenImpCasts();
  if (isa<MemberExpr>(L))
    if (const auto To = All.Given.givenFor(R))
      return Comparison{L, B->getOpcode(), *To};
  if (isa<MemberExpr>(R))
    if (const auto To = All.Given.givenFor(L))
      return Comparison{R, BinaryOperator::reverseComparisonOp(B->getOpcode()),
                        *To};
  return std::nullopt;
}

/// Whether \p Number, as it is called in \p Of, is \p To.
BranchTest equalTo(std::int64_t To, const Expr *Number, bool IsChoice,
                   const FunctionDecl *Of, const NumbersOfFile &All) {
  const QualType T = Number->IgnoreParenImpCasts()->getType();
  // A remainder says whose turn it is, and counts neither ranks nor elements.
  const auto *Computed =
      dyn_cast<BinaryOperator>(Number->IgnoreParenImpCasts());
  const bool IsTurn = Computed && Computed->getOpcode() == BO_Rem;
  BranchTest Out{T->isBooleanType() || T->isEnumeralType() || IsChoice || IsTurn
                     ? BranchTest::Kind::Flag
                     : BranchTest::Kind::Number,
                 nameOf(Number, All), BranchTest::Relation::Equal, To};
  Out.Parameter = parameterNamed(Number, Of);
  return Out;
}

std::optional<BranchTest> compared(const BinaryOperator *B,
                                   const FunctionDecl *Of,
                                   const NumbersOfFile &All) {
  using Relation = BranchTest::Relation;
  const std::optional<Comparison> C = comparedWithNumber(B, All);
  if (!C || C->To > 1'000'000'000 || C->To < -1'000'000'000)
    return std::nullopt;
  const bool IsIfAny = C->To == 0 && (C->Op == BO_EQ || C->Op == BO_NE);
  BranchTest Out = equalTo(C->To, C->Number,
                           !IsIfAny && All.Chosen.isChoice(C->Number), Of, All);
  switch (C->Op) {
  case BO_EQ:
    return Out;
  case BO_NE:
    return Out.negated();
  case BO_LT:
    Out.R = Relation::Less;
    return Out;
  case BO_GE:
    Out.R = Relation::Less;
    return Out.negated();
  case BO_GT:
    Out.R = Relation::Greater;
    return Out;
  case BO_LE:
    Out.R = Relation::Greater;
    return Out.negated();
  default:
    return std::nullopt;
  }
}

/// Of a local that keeps its value, `bool alone = ranks == 1`, what it is.
const Expr *comparisonIn(const Expr *E) {
  const auto *D = dyn_cast<DeclRefExpr>(E);
  const auto *VD = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  const Expr *Is = VD && VD->isLocalVarDecl() && VD->hasInit()
                       ? VD->getInit()->IgnoreParenImpCasts()
                       : nullptr;
  const auto *B = dyn_cast_or_null<BinaryOperator>(Is);
  return B && B->isComparisonOp() ? B : E;
}

/// `a < b` where \p E is `a >= b`: both are one fact. Empty where \p E does not
/// say that something is not so.
std::string denied(const Expr *E, const ASTContext &Ctx) {
  const auto *B = dyn_cast<BinaryOperator>(E);
  if (!B || (B->getOpcode() != BO_GE && B->getOpcode() != BO_LE &&
             B->getOpcode() != BO_NE))
    return {};
  const BinaryOperatorKind Is =
      BinaryOperator::negateComparisonOp(B->getOpcode());
  return (printed(B->getLHS(), Ctx) + " " + BinaryOperator::getOpcodeStr(Is) +
          " " + printed(B->getRHS(), Ctx))
      .str();
}

std::optional<BranchTest> read(const Expr *E, const FunctionDecl *In,
                               const NumbersOfFile &All) {
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_LNot) {
    const std::optional<BranchTest> Of = read(U->getSubExpr(), In, All);
    return Of ? std::optional(Of->negated()) : std::nullopt;
  }
  if (const auto *B = dyn_cast<BinaryOperator>(comparisonIn(E)))
    if (std::optional<BranchTest> Out = compared(B, In, All))
      return Out;
  // What callers switch is not one thing in all calls.
  if (All.Chosen.isSwitched(E, In))
    return std::nullopt;
  const bool IsNumber = !E->getType()->isBooleanType() &&
                        !E->getType()->isEnumeralType() &&
                        !isa<BinaryOperator>(E) && !All.Chosen.isChoice(E);
  BranchTest Out{IsNumber ? BranchTest::Kind::Number : BranchTest::Kind::Flag,
                 nameOf(E, All), BranchTest::Relation::Unequal, 0};
  Out.Parameter = parameterNamed(E, In);
  if (std::string Not = denied(E, All.Ctx); !Not.empty()) {
    Out = Out.negated();
    Out.Of = std::move(Not);
  }
  return Out;
}

/// What \p Reader has found of \p E, of which \p T decides.
void settleKind(BranchTest &T, const Expr *E, const NumberReader &Reader,
                const Amounts &Counts) {
  const bool AsOrder =
      T.R == BranchTest::Relation::Less || T.R == BranchTest::Relation::Greater;
  if (Reader.IsOfRanks)
    T.K = BranchTest::Kind::Number;
  else if (isMoreThanOne(T) ||
           (T.K == BranchTest::Kind::Number && !Counts.mayCount(E, AsOrder)))
    T.K = BranchTest::Kind::Flag;
}

/// Where temporaries live on behind `a && b`, its value is one condition: that
/// of its two which keeps its value, if only one does, decides a way alone.
const Expr *onlyKept(const Expr *E,
                     llvm::function_ref<bool(const Expr *)> Keeps) {
  const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
  if (!B || !B->isLogicalOp() || Keeps(E))
    return E;
  const Expr *L = B->getLHS(), *R = B->getRHS();
  return Keeps(L) == Keeps(R) ? E : onlyKept(Keeps(L) ? L : R, Keeps);
}

/// `if (l->update) l->update(l);`: where an element has no such function, there
/// is nothing to do.
std::optional<BranchTest> testOfFunction(const CFGBlock &B,
                                         const ASTContext &Ctx) {
  const auto [Pointer, IsNullIfTrue] = nullTest(B);
  if (!Pointer || !Pointer->getType()->isFunctionPointerType() ||
      !isMemberOfElement(Pointer))
    return std::nullopt;
  const BranchTest Out{BranchTest::Kind::Defined, textOf(Pointer, Ctx),
                       BranchTest::Relation::Unequal, 0};
  return IsNullIfTrue ? Out.negated() : Out;
}

} // namespace

std::optional<BranchTest>
branchTest(const CFGBlock &B, const FunctionDecl *In, const NumbersOfBody &Here,
           const NumbersOfFile &All, bool OfElements,
           llvm::function_ref<rules::BlockId(const VarDecl *)> LoopOf) {
  const Stmt *At = B.getTerminatorStmt();
  if (!isa_and_nonnull<IfStmt, BinaryOperator, ConditionalOperator>(At) ||
      B.succ_size() != 2)
    return std::nullopt;
  if (OfElements)
    if (std::optional<BranchTest> Out = testOfFunction(B, All.Ctx))
      return Out;
  const auto Keeps = [&](const Expr *E) {
    return NumberReader(Here.Constant, All.Counted, OfElements, LoopOf)
        .keepsValue(E);
  };
  const Expr *E = B.getLastCondition();
  E = E ? onlyKept(E, Keeps) : nullptr;
  Expr::EvalResult Value;
  NumberReader Reader(Here.Constant, All.Counted, OfElements, LoopOf);
  if (!E || !Reader.keepsValue(E) || E->EvaluateAsInt(Value, All.Ctx))
    return std::nullopt;
  std::optional<BranchTest> Out = read(E, In, All);
  if (Out)
    settleKind(*Out, E, Reader, Here.Counts);
  if (Out && Reader.IsAmount && tellsIfAny(*Out)) {
    Out->K = BranchTest::Kind::Defined;
  } else if (Out && Reader.Counts && OfElements) {
    Out->K = BranchTest::Kind::Elements;
  } else if (Out && Reader.IsIfDefined) {
    Out->K = BranchTest::Kind::Defined;
  } else if (Out && Reader.Loop != rules::BlockId::None) {
    Out->K = BranchTest::Kind::Iterations;
    Out->Loop = Reader.Loop;
  }
  const bool IsOne = Out && (Out->K == BranchTest::Kind::Flag ||
                             Out->K == BranchTest::Kind::Number);
  if (Out && !IsOne) // another one in each iteration
    Out->Parameter = rules::SlotId::None;
  return Out;
}

std::optional<BranchTest>
iterationTest(const Expr *E, const FunctionDecl *In, const NumbersOfBody &Here,
              const NumbersOfFile &All,
              llvm::function_ref<rules::BlockId(const VarDecl *)> LoopOf) {
  const auto *Is = dyn_cast<BinaryOperator>(
      comparisonIn(E->IgnoreParenImpCasts())->IgnoreParenImpCasts());
  Expr::EvalResult Value;
  NumberReader Reader(Here.Constant, All.Counted, /*OfElements=*/false, LoopOf);
  if (!Is || !Is->isComparisonOp() || !Reader.keepsValue(Is) ||
      Reader.Loop == rules::BlockId::None || Is->EvaluateAsInt(Value, All.Ctx))
    return std::nullopt;
  std::optional<BranchTest> Out = read(Is, In, All);
  if (Out) {
    Out->K = BranchTest::Kind::Iterations;
    Out->Loop = Reader.Loop;
    Out->Parameter = rules::SlotId::None;
  }
  return Out;
}

std::optional<BranchTest> switchTest(const CFGBlock &B, const FunctionDecl *In,
                                     const NumbersOfBody &Here,
                                     const NumbersOfFile &All) {
  const auto *At = dyn_cast_or_null<SwitchStmt>(B.getTerminatorStmt());
  const Expr *E = At ? At->getCond() : nullptr;
  Expr::EvalResult Value;
  NumberReader Reader(Here.Constant, All.Counted, /*OfElements=*/false,
                      [](const VarDecl *) { return rules::BlockId::None; });
  if (!E || !Reader.keepsValue(E) || E->EvaluateAsInt(Value, All.Ctx) ||
      All.Chosen.isSwitched(E, In) || Reader.IsAmount)
    return std::nullopt;
  BranchTest Out = equalTo(0, E, All.Chosen.isChoice(E), In, All);
  settleKind(Out, E, Reader, Here.Counts);
  return Out;
}

static BranchTest testOfData(const Expr *E, const ASTContext &Ctx) {
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_LNot)
    return testOfData(U->getSubExpr(), Ctx).negated();
  return {BranchTest::Kind::Data, writtenText(E, Ctx),
          BranchTest::Relation::Unequal, 0};
}

BranchTest dataTest(const CFGBlock &B, const ASTContext &Ctx) {
  return testOfData(B.getLastCondition(), Ctx);
}

BranchTest boundTest(const Expr *Bound, const ASTContext &Ctx) {
  return {BranchTest::Kind::Elements, textOf(Bound, Ctx),
          BranchTest::Relation::Unequal, 0};
}

} // namespace spmd::lint::lower
