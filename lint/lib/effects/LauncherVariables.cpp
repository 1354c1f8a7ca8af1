//===- LauncherVariables.cpp - Ranks that the environment gives -----------===//

#include "LauncherVariables.h"

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

/// What \p Text, a string of characters, reads of the environment; directly, or
/// by a variable that is nothing else.
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
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  if (!Callee || !Callee->getIdentifier() || Callee->getName() != "getenv" ||
      Call->getNumArgs() != 1)
    return std::nullopt;
  const auto *Name =
      dyn_cast<clang::StringLiteral>(Call->getArg(0)->IgnoreParenImpCasts());
  return Name ? toldBy(Name->getString()) : std::nullopt;
}

std::optional<rules::CallKind> toldByLauncher(const CallSite &C) {
  const bool Reads =
      llvm::StringSwitch<bool>(C.base())
          .Cases({"atoi", "atol", "stoi", "stol", "strtol"}, true)
          .Default(false);
  const clang::Expr *Text = Reads ? C.argument(0) : nullptr;
  return Text ? readOf(Text) : std::nullopt;
}

} // namespace spmd::lint::effects
