//===- Accesses.cpp - What calls of others do to storage ------------------===//

#include "Accesses.h"

#include "cxx/KnownTypes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

/// 'r' and 'w' for the pointers of functions that everybody knows.
static llvm::StringRef hostAccesses(llvm::StringRef Name) {
  return llvm::StringSwitch<llvm::StringRef>(Name)
      .Cases({"memcpy", "memmove", "strcpy", "strncpy"}, "wr")
      .Cases({"memset", "bzero", "fill", "fill_n", "iota", "sort", "fread"},
             "w")
      .Cases({"copy", "copy_n"}, "r-w")
      .Cases({"accumulate", "fwrite"}, "r")
      .Default("");
}

bool Accesses::host(const CallSite &C, llvm::StringRef Name,
                    llvm::ArrayRef<const Expr *> Values) {
  const SourceLocation At = C.Call->getBeginLoc();
  if (Name == "free" && C.Arguments.size() == 1) {
    Out.end(Values[0], "free", At);
    return true;
  }
  const llvm::StringRef Does = hostAccesses(Name);
  for (unsigned I = 0; I < Does.size() && I < C.Arguments.size(); ++I)
    if (C.Arguments[I]->getType()->isPointerType() && Does[I] != '-')
      Out.access(Values[I], Does[I] == 'w', Name, At);
  return !Does.empty();
}

void Accesses::tensors(const CallSite &C, llvm::ArrayRef<const Expr *> Values) {
  const auto Touches = [](llvm::StringRef Name) {
    return llvm::StringSwitch<bool>(Name)
        .Cases({"add", "add_", "sub", "sub_", "mul", "mul_", "div", "div_",
                "copy_", "zero_", "fill_", "sum", "mean"},
               true)
        .Cases({"matmul", "mm", "bmm", "linear", "relu", "relu_", "gelu",
                "softmax", "clone", "item", "norm", "max", "min"},
               true)
        .Cases({"cat", "sqrt", "exp", "abs", "clamp", "clamp_", "addcmul_",
                "addcdiv_", "add_out", "backward", "to", "cpu"},
               true)
        .Default(false);
  };
  const auto *Operator = dyn_cast<CXXOperatorCallExpr>(C.Call);
  const OverloadedOperatorKind Op =
      Operator ? Operator->getOperator() : OO_None;
  const bool InPlace = Op == OO_PlusEqual || Op == OO_MinusEqual ||
                       Op == OO_StarEqual || Op == OO_SlashEqual;
  const bool Computes = InPlace || Op == OO_Plus || Op == OO_Minus ||
                        Op == OO_Star || Op == OO_Slash;
  const llvm::StringRef Name =
      C.Callee->getIdentifier() ? C.Callee->getName() : "";
  if (!Computes && !Touches(Name))
    return;
  const auto Touch = [&](const Expr *Handle, bool Writes) {
    Out.access(P.storage(Handle), Writes, Computes ? "" : Name,
               C.Call->getBeginLoc());
  };
  if (C.Receiver && isLibraryTensor(C.Receiver->getType()))
    Touch(Exprs.place(C.Receiver->IgnoreParenImpCasts()),
          InPlace || Name.ends_with("_"));
  for (unsigned I = 0; I != C.Arguments.size(); ++I)
    if (isLibraryTensor(C.Arguments[I]->getType()) &&
        Values[I]->Kind == ExprKind::Load)
      Touch(Values[I]->Operands[0], false);
}

void Accesses::hand(const CallSite &C, llvm::ArrayRef<const Expr *> Values) {
  std::vector<const Expr *> Given;
  for (unsigned I = 0; I != C.Arguments.size(); ++I) {
    const clang::Expr *A = C.Arguments[I];
    const QualType T = A->IgnoreParenImpCasts()->getType();
    const bool InPlace = T->isRecordType() || A->isGLValue();
    if (InPlace && Values[I]->Kind == ExprKind::Load)
      Given.push_back(P.address(Values[I]->Operands[0]));
    else if (!InPlace && !isa<clang::StringLiteral>(A) &&
             (A->getType()->isPointerType() || T->getAs<TypedefType>()))
      Given.push_back(Values[I]);
  }
  if (!Given.empty())
    Out.emit(Kind::Hand, C.Call->getBeginLoc()).Arguments = std::move(Given);
}

//===--- Calls of communication libraries -----------------------------------//

//===--- Containers ---------------------------------------------------------//

} // namespace spmd::lint::effects
