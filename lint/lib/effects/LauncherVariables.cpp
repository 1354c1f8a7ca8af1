//===- LauncherVariables.cpp - Ranks that the environment gives -----------===//

#include "LauncherVariables.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace spmd::lint::effects {

/// What the variable \p Name says; none of what is no launcher's.
static std::optional<rules::CallKind> toldBy(llvm::StringRef Name) {
  using rules::CallKind;
  using Told = std::optional<CallKind>;
  return llvm::StringSwitch<Told>(Name)
      .Cases({"RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMI_RANK",
              "PMIX_RANK", "SLURM_PROCID"},
             CallKind::Rank)
      .Cases({"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE",
              "PMI_SIZE", "SLURM_NTASKS"},
             CallKind::Size)
      .Default(std::nullopt);
}

static bool isGetenv(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  return Callee && Callee->getIdentifier() && Callee->getName() == "getenv" &&
         Call->getNumArgs() == 1;
}

namespace {

/// The parameter whose name a function asks the environment for.
class Asked : public ConstDynamicRecursiveASTVisitor {
public:
  const ParmVarDecl *For = nullptr;
  unsigned Times = 0;

  bool VisitCallExpr(const CallExpr *Call) override {
    if (!isGetenv(Call))
      return true;
    ++Times;
    if (const auto *Ref =
            dyn_cast<DeclRefExpr>(Call->getArg(0)->IgnoreParenImpCasts()))
      For = dyn_cast<ParmVarDecl>(Ref->getDecl());
    return true;
  }
};

} // namespace

static std::optional<rules::CallKind> namedBy(const clang::Expr *Name) {
  const auto *Text =
      dyn_cast<clang::StringLiteral>(Name->IgnoreParenImpCasts());
  return Text ? toldBy(Text->getString()) : std::nullopt;
}

/// What a function of the user's gives that reads the variable which its caller
/// names, `env_int("RANK", 0)`.
static std::optional<rules::CallKind> helped(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  const FunctionDecl *Defined = nullptr;
  if (!Callee || isa<CXXMethodDecl>(Callee) || !Callee->hasBody(Defined) ||
      llvm::none_of(Call->arguments(), namedBy))
    return std::nullopt;
  Asked In;
  In.TraverseStmt(Defined->getBody());
  if (In.Times != 1 || !In.For || In.For->getDeclContext() != Defined)
    return std::nullopt;
  const unsigned I = In.For->getFunctionScopeIndex();
  return I < Call->getNumArgs() ? namedBy(Call->getArg(I)) : std::nullopt;
}

/// What \p Text, a string of characters, reads of the environment; directly, by
/// a function, or by a variable that is nothing else.
static std::optional<rules::CallKind> readOf(const clang::Expr *Text) {
  Text = Text->IgnoreImplicit()->IgnoreParenImpCasts();
  if (const auto *Made = dyn_cast<CXXConstructExpr>(Text);
      Made && Made->getNumArgs())
    return readOf(Made->getArg(0));
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Text)) {
    const auto *Of = dyn_cast<VarDecl>(Ref->getDecl());
    return Of && Of->isLocalVarDecl() && Of->hasInit() &&
                   Of->getType()->isPointerType()
               ? readOf(Of->getInit())
               : std::nullopt;
  }
  const auto *Call = dyn_cast<CallExpr>(Text);
  if (!Call)
    return std::nullopt;
  return isGetenv(Call) ? namedBy(Call->getArg(0)) : helped(Call);
}

std::optional<rules::CallKind> toldByLauncher(const CallSite &C) {
  if (const auto *Call = dyn_cast_or_null<CallExpr>(C.Call);
      Call && C.Callee && C.Callee->getReturnType()->isIntegerType())
    if (const auto Told = helped(Call))
      return Told;
  const bool Reads =
      llvm::StringSwitch<bool>(C.base())
          .Cases({"atoi", "atol", "stoi", "stol", "strtol"}, true)
          .Default(false);
  const clang::Expr *Text = Reads ? C.argument(0) : nullptr;
  return Text ? readOf(Text) : std::nullopt;
}

} // namespace spmd::lint::effects
