//===- CallConstants.cpp - Named constants of communication libraries -----===//
//
// MPI's are macros over casts that differ between implementations, some by
// other macros: their name is what is portable.
//
//===----------------------------------------------------------------------===//

#include "../Recognisers.h"

#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// The outermost wrapper of one value: `ReduceOp(ReduceOp::SUM)`, `{kSum}`.
static const Expr *unwrapped(const Expr *E) {
  for (unsigned Depth = 0; Depth != 8; ++Depth) {
    E = strip(E->IgnoreParenImpCasts());
    if (const auto *D = dyn_cast<CXXDefaultArgExpr>(E))
      E = D->getExpr();
    else if (const auto *X = dyn_cast<CXXFunctionalCastExpr>(E))
      E = X->getSubExpr();
    else if (const auto *C = dyn_cast<CXXConstructExpr>(E);
             C && C->getNumArgs() && !isa<CXXDefaultArgExpr>(C->getArg(0)))
      E = C->getArg(0);
    else if (const auto *I = dyn_cast<InitListExpr>(E);
             I && I->getNumInits() == 1)
      E = I->getInit(0);
    else
      break;
  }
  return E;
}

/// A constant or a datatype of some library's.
static bool isName(const CollectiveApis &Apis, llvm::StringRef Name) {
  return Apis.constant(Name) ||
         llvm::any_of(Apis.all(), [&](const CollectiveApi &Api) {
           return Api.Datatypes.contains(Name);
         });
}

std::string constantName(const CollectiveApis &Apis, const ASTContext &Ctx,
                         const Expr *E) {
  const SourceManager &SM = Ctx.getSourceManager();
  E = unwrapped(E);
  if (!isa<AbstractConditionalOperator, BinaryOperator>(E)) {
    SourceLocation Begin = E->getBeginLoc();
    while (Begin.isMacroID()) {
      if (!SM.isMacroBodyExpansion(Begin)) {
        Begin = SM.getImmediateSpellingLoc(Begin);
        continue;
      }
      const llvm::StringRef Name =
          Lexer::getImmediateMacroName(Begin, SM, Ctx.getLangOpts());
      if (isName(Apis, Name))
        return Name.str();
      Begin = SM.getImmediateExpansionRange(Begin).getBegin();
    }
  }
  if (const ValueDecl *D = namedBy(E))
    return D->getNameAsString();
  const StringLiteral *Text = stringOf(E);
  return Text && Text->isOrdinary() ? Text->getString().str() : std::string();
}

std::string constantName(ExprLowering &L, const Expr *E) {
  return constantName(L.module().apis(), L.context(), E);
}

std::optional<CallConstant> callConstant(ExprLowering &L, const Expr *E) {
  if (!E)
    return std::nullopt;
  const std::string Name = constantName(L, E);
  return Name.empty() ? std::nullopt : L.module().apis().constant(Name);
}

/// A communicator that its library has a name for. The ranks of the world are
/// those of the whole mesh in force, unless it is said to span some axes.
Recognised namedCommunicator(ExprLowering &L, const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const bool Global = Ref && isa<VarDecl>(Ref->getDecl()) &&
                      cast<VarDecl>(Ref->getDecl())->hasGlobalStorage();
  if ((Ref && !Global) || !commKind(E->getType()) ||
      (Ref && !L.module().axesOf(Ref->getDecl()).empty()))
    return std::nullopt;
  const std::string Name = constantName(L, E);
  const auto Meaning = L.module().apis().constant(Name);
  if (!Meaning)
    return std::nullopt;
  std::vector<std::string> Axes = L.module().configuredAxes(Name);
  if (Axes.empty() && *Meaning == CallConstant::World)
    if (const MeshSpec *Mesh =
            L.module().annotations().meshInForce(L.function()))
      for (const MeshAxis &A : Mesh->Axes)
        if (A.Of.empty())
          Axes.push_back(A.Name);
  if (Axes.empty())
    Axes = L.module().givenAxes().ofName(Name);
  if (Axes.empty() && *Meaning == CallConstant::Self)
    return L.define(DefineFact::Kind::OneRank, E);
  if (Axes.empty())
    return std::nullopt;
  return L.defineAxes(E, std::move(Axes));
}

} // namespace spmd::lint::lower
