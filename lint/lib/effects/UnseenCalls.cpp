//===- UnseenCalls.cpp - Calls of what is not seen ----------------------===//

#include "EffectLowering.h"

#include "cxx/KnownTypes.h"

#include "clang/Basic/Builtins.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

bool EffectLowering::isLibrary(const FunctionDecl *FD) const {
  return FD->getBuiltinID() || FD->isImplicit() || FD->isInStdNamespace() ||
         FD->isDefaulted() ||
         Ctx.getSourceManager().isInSystemHeader(
             Ctx.getSourceManager().getExpansionLoc(FD->getLocation()));
}

/// What code that is not seen may have written.
void EffectLowering::forgetArgument(const clang::Expr *A, QualType To) {
  const QualType Given = A->IgnoreParenImpCasts()->getType();
  if (To->isReferenceType()) {
    if (!To->getPointeeType().isConstQualified() && A->isGLValue())
      forget(place(A), A->getBeginLoc());
    return;
  }
  const QualType Object =
      To->isPointerType() ? To->getPointeeType() : QualType();
  if (Object.isNull() || Object.isConstQualified() ||
      Object->isFunctionType() ||
      A->isNullPointerConstant(Ctx, clang::Expr::NPC_ValueDependentIsNull))
    return;
  const clang::Expr *Inner = A->IgnoreParenCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(Inner);
      U && U->getOpcode() == UO_AddrOf)
    forget(place(U->getSubExpr()), A->getBeginLoc());
  else if (Given->isArrayType() && A->IgnoreParenImpCasts()->isLValue())
    forget(place(A->IgnoreParenImpCasts()), A->getBeginLoc());
  else
    forget(target(value(A)), A->getBeginLoc());
}

/// Functions of which all is in what they return, besides those that say so.
static bool isPure(const FunctionDecl *FD) {
  if (FD->hasAttr<PureAttr>() || FD->hasAttr<ConstAttr>())
    return true;
  if (const unsigned Id = FD->getBuiltinID())
    if (FD->getASTContext().BuiltinInfo.isConst(Id) ||
        FD->getASTContext().BuiltinInfo.isPure(Id))
      return true;
  return llvm::StringSwitch<bool>(FD->getIdentifier() ? FD->getName() : "")
      .Cases({"atoi", "atol", "atoll", "atof", "strtol", "strtoul", "strtod",
              "strcmp", "strncmp", "strlen", "isnan", "isinf", "isfinite"},
             true)
      .Cases({"stoi", "stol", "stod", "abs", "fabs", "sqrt", "min", "max",
              "floor", "ceil", "fmin", "fmax", "pow"},
             true)
      .Default(false);
}

/// An enumeration in which 0 says that all went well.
static bool isStatus(QualType T) {
  const auto *ET = T->getAs<EnumType>();
  const EnumDecl *D = ET ? ET->getDecl()->getDefinition() : nullptr;
  return D && llvm::any_of(D->enumerators(), [](const EnumConstantDecl *E) {
           return E->getInitVal().isZero() &&
                  E->getName().ends_with_insensitive("success");
         });
}

static llvm::StringRef libraryName(const FunctionDecl *FD) {
  llvm::StringRef Name = FD->getIdentifier() ? FD->getName() : "operator";
  Name.consume_front("__builtin_");
  return Name;
}

const EffectLowering::Expr *EffectLowering::libraryCall(const CallSite &C) {
  const FunctionDecl *FD = C.Callee;
  const llvm::StringRef Name = libraryName(FD);
  if (FD->isNoReturn()) {
    emit(Kind::Stop, C.Call->getBeginLoc());
    return P.unknown(Trust::Unknown);
  }
  Expr Out;
  const bool Library = isLibrary(FD);
  std::vector<const Expr *> Values;
  for (const clang::Expr *A : C.Arguments)
    Values.push_back(A->getType()->isRecordType() ? P.load(place(A))
                                                  : value(A));
  if (Library && FD->getReturnType()->isPointerType() &&
      llvm::StringSwitch<bool>(Name)
          .Cases({"malloc", "calloc", "realloc", "aligned_alloc", "alloca"},
                 true)
          .Default(false)) {
    const Expr *At = temporary();
    Out.Kind = ExprKind::Allocate;
    Out.Number = site(C.Call->getBeginLoc()).Id;
    assign(At, P.add(std::move(Out)), C.Call->getBeginLoc());
    return P.load(At);
  }
  const bool Pure = Library && isPure(FD);
  if (!Pure && (!Library || !hostCall(C, Name, Values)))
    hand(C, Values);
  tensorAccesses(C, Values);
  bool TakesComm = false;
  for (unsigned I = 0; I != C.Arguments.size(); ++I) {
    const clang::Expr *A = C.Arguments[I];
    TakesComm |= bool(commKind(A->IgnoreParenImpCasts()->getType()));
    if (!Pure)
      forgetArgument(A, I < FD->getNumParams() ? FD->getParamDecl(I)->getType()
                                               : A->getType());
  }
  const auto *MD = dyn_cast<CXXMethodDecl>(FD);
  if (C.Receiver && MD && MD->isInstance() && !MD->isConst()) {
    const clang::Expr *Object = C.Receiver->IgnoreParenImpCasts();
    if (!FD->getReturnType()->isReferenceType() &&
        !FD->getReturnType()->isPointerType())
      forget(Object->getType()->isPointerType() ? target(value(Object))
                                                : place(Object),
             C.Call->getBeginLoc());
  }
  if (!Library || TakesComm)
    emit(Kind::Opaque, C.Call->getBeginLoc()).Name = C.Name;
  // Nobody who goes on checks for errors in vain.
  if (FD->getReturnType()->isVoidType() ||
      (Library && isStatus(FD->getReturnType())))
    return P.integer(0);
  const Expr *At = temporary();
  if ((Pure || (Library && !MD)) && !Values.empty()) {
    Out.Kind = ExprKind::Apply;
    Out.Trust = Pure ? Trust::Input : Trust::Unknown;
    Out.Name = Name.str();
    Out.Operands.append(Values.begin(), Values.end());
    assign(At, P.add(std::move(Out)), C.Call->getBeginLoc());
  } else {
    assign(At, P.unknown(Trust::Unknown), C.Call->getBeginLoc());
  }
  return P.load(At);
}

} // namespace spmd::lint::effects
