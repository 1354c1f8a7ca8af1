//===- LearningRate.cpp - What an optimizer is told to use ----------------===//

#include "LearningRate.h"

#include "../Recognisers.h"

#include "cxx/KnownTypes.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace spmd::lint::lower {

/// `torch::optim::SGDOptions`, `AdamOptions` and their like.
static bool isOptions(QualType T) {
  const std::string Name = className(T);
  return llvm::StringRef(Name).starts_with("torch::optim::") &&
         llvm::StringRef(Name).ends_with("Options");
}

static bool setsRate(const CallSite &C) {
  return (C.base() == "lr" || C.base() == "set_lr") && C.Receiver &&
         C.Arguments.size() == 1 && isOptions(C.Receiver->getType());
}

const Expr *learningRateIn(const Expr *Options) {
  while (Options && isOptions(Options->getType())) {
    Options = strip(strip(Options)->IgnoreParenCasts());
    if (const auto *Made = dyn_cast<CXXConstructExpr>(Options)) {
      const Expr *First = Made->getNumArgs() ? Made->getArg(0) : nullptr;
      if (First && First->getType()->isArithmeticType())
        return First;
      Options = First;
    } else if (const auto *Call = dyn_cast<CXXMemberCallExpr>(Options)) {
      const CallSite C(Call);
      if (setsRate(C))
        return C.Arguments[0];
      Options = C.Receiver;
    } else if (const auto *Ref = dyn_cast<DeclRefExpr>(Options)) {
      const auto *D = dyn_cast<VarDecl>(Ref->getDecl());
      Options = D && D->isLocalVarDecl() ? D->getInit() : nullptr;
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

const Expr *groupOfNewRate(const CallSite &C) {
  if (!setsRate(C))
    return nullptr;
  const auto *Call =
      dyn_cast<CXXMemberCallExpr>(strip(strip(C.Receiver)->IgnoreParenCasts()));
  return Call && CallSite(Call).base() == "options" ? CallSite(Call).Receiver
                                                    : nullptr;
}

} // namespace spmd::lint::lower
