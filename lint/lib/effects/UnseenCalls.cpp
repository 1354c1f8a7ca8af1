//===- UnseenCalls.cpp - Calls of what is not seen ----------------------===//

#include "UnseenCalls.h"

#include "annotations/FindAttribute.h"
#include "cxx/KnownTypes.h"

#include "clang/Basic/Builtins.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

/// Whether it is libtorch's, wherever its headers are.
static bool isOfTorch(const FunctionDecl *FD) {
  const DeclContext *Outer = nullptr;
  for (const DeclContext *DC = FD->getDeclContext(); !DC->isTranslationUnit();
       DC = DC->getParent())
    Outer = DC;
  const auto *Space = dyn_cast_or_null<NamespaceDecl>(Outer);
  return Space && llvm::StringSwitch<bool>(Space->getName())
                      .Cases({"torch", "at", "c10", "c10d"}, true)
                      .Default(false);
}

bool isLibrary(const FunctionDecl *FD) {
  const SourceManager &SM = FD->getASTContext().getSourceManager();
  return FD->getBuiltinID() || FD->isImplicit() || FD->isInStdNamespace() ||
         FD->isDefaulted() || isOfTorch(FD) ||
         SM.isInSystemHeader(SM.getExpansionLoc(FD->getLocation()));
}

void UnseenCalls::forgetArgument(const clang::Expr *A, QualType To) {
  const QualType Given = A->IgnoreParenImpCasts()->getType();
  if (To->isReferenceType()) {
    if (!To->getPointeeType().isConstQualified() && A->isGLValue())
      Out.forget(Exprs.place(A), A->getBeginLoc());
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
    Out.forget(Exprs.place(U->getSubExpr()), A->getBeginLoc());
  else if (Given->isArrayType() && A->IgnoreParenImpCasts()->isLValue())
    Out.forget(Exprs.place(A->IgnoreParenImpCasts()), A->getBeginLoc());
  else
    Out.forget(P.target(Exprs.value(A)), A->getBeginLoc());
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

/// Whether a communicator may be in what has this type, or be reached from it.
/// What only code that is not seen has put there is that code's own.
static bool mayHoldComm(QualType T, llvm::SmallPtrSetImpl<const Decl *> &Met) {
  T = T.getNonReferenceType();
  // By its name: to some libraries MPI_Comm is a number.
  if (commKind(T) || T->isVoidPointerType() || T->isFunctionPointerType())
    return true;
  if (T->isPointerType())
    return mayHoldComm(T->getPointeeType(), Met);
  if (const ArrayType *A = T->getAsArrayTypeUnsafe())
    return mayHoldComm(A->getElementType(), Met);
  const auto *RD = T->getAsCXXRecordDecl();
  if (!RD)
    return T->isRecordType();
  if (!Met.insert(RD->getCanonicalDecl()).second || !RD->hasDefinition())
    return false;
  const std::string Name = className(T);
  if (Name == "std::function" || Name == "std::any")
    return true;
  if (const auto *Of = dyn_cast<ClassTemplateSpecializationDecl>(RD))
    for (const TemplateArgument &A : Of->getTemplateArgs().asArray())
      if (A.getKind() == TemplateArgument::Type &&
          mayHoldComm(A.getAsType(), Met))
        return true;
  const SourceManager &SM = RD->getASTContext().getSourceManager();
  if (SM.isInSystemHeader(SM.getExpansionLoc(RD->getLocation())))
    return false;
  return llvm::any_of(RD->getDefinition()->fields(),
                      [&](const FieldDecl *F) {
                        return mayHoldComm(F->getType(), Met);
                      }) ||
         llvm::any_of(RD->getDefinition()->bases(),
                      [&](const CXXBaseSpecifier &B) {
                        return mayHoldComm(B.getType(), Met);
                      });
}

/// The same of what a call is given, or is a method of.
static bool mayHoldComm(const CallSite &C) {
  llvm::SmallPtrSet<const Decl *, 16> Met;
  return (C.Receiver && mayHoldComm(C.Receiver->getType(), Met)) ||
         llvm::any_of(C.Arguments, [&](const clang::Expr *A) {
           return mayHoldComm(A->IgnoreParenImpCasts()->getType(), Met);
         });
}

Unseen unseen(const CallSite &C) {
  return {C.Name, !mayHoldComm(C),
          // What is declared to be an op.
          findAttribute(C.Callee, "spmd::op") != nullptr};
}

/// Whether it returns new storage.
static bool allocates(const FunctionDecl *FD) {
  return FD->getReturnType()->isPointerType() &&
         llvm::StringSwitch<bool>(libraryName(FD))
             .Cases({"malloc", "calloc", "realloc", "aligned_alloc", "alloca"},
                    true)
             .Default(false);
}

const Expr *UnseenCalls::lower(const CallSite &C) {
  const FunctionDecl *FD = C.Callee;
  const SourceLocation At = C.Call->getBeginLoc();
  if (FD->isNoReturn()) {
    Out.emit(Kind::Stop, At);
    return P.unknown(Trust::Unknown);
  }
  std::vector<const Expr *> Values;
  for (const clang::Expr *A : C.Arguments)
    Values.push_back(A->getType()->isRecordType() ? P.load(Exprs.place(A))
                                                  : Exprs.value(A));
  if (!isLibrary(FD) || !allocates(FD)) {
    touch(C, Values);
    return result(C, Values);
  }
  const Expr *New = P.temporary();
  Out.assign(New, Out.allocation(At), At);
  return P.load(New);
}

void UnseenCalls::touch(const CallSite &C,
                        llvm::ArrayRef<const Expr *> Values) {
  const FunctionDecl *FD = C.Callee;
  const bool Library = isLibrary(FD), Pure = Library && isPure(FD);
  if (!Pure && !findAttribute(C.Callee, "spmd::op") &&
      (!Library || !Touched.host(C, libraryName(FD), Values)))
    Touched.hand(C, Values);
  Touched.tensors(C, Values);
  bool TakesComm = false;
  for (unsigned I = 0; I != C.Arguments.size(); ++I) {
    const clang::Expr *A = C.Arguments[I];
    TakesComm |= bool(commKind(A->IgnoreParenImpCasts()->getType()));
    if (!Pure)
      forgetArgument(A, I < FD->getNumParams() ? FD->getParamDecl(I)->getType()
                                               : A->getType());
  }
  const auto *MD = dyn_cast<CXXMethodDecl>(FD);
  if (C.Receiver && MD && MD->isInstance() && !MD->isConst() &&
      !FD->getReturnType()->isReferenceType() &&
      !FD->getReturnType()->isPointerType()) {
    Out.forget(object(C.Receiver->IgnoreParenImpCasts()),
               C.Call->getBeginLoc());
  }
  if (Unseen If = unseen(C); (!Library || TakesComm) && !If.SendsNothing) {
    Stmt &S = Out.emit(Kind::Opaque, C.Call->getBeginLoc());
    S.Name = std::move(If.Name);
    S.HasNoComms = If.HasNoComms;
  }
}

const Expr *UnseenCalls::result(const CallSite &C,
                                llvm::ArrayRef<const Expr *> Values) {
  const FunctionDecl *FD = C.Callee;
  const bool Library = isLibrary(FD), Pure = Library && isPure(FD);
  // Nobody who goes on checks for errors in vain.
  if (FD->getReturnType()->isVoidType() ||
      (Library && isStatus(FD->getReturnType())))
    return P.integer(0);
  const Expr *At = P.temporary();
  const bool Follows =
      (Pure || (Library && !isa<CXXMethodDecl>(FD))) && !Values.empty();
  Out.assign(At,
             Follows ? P.apply(libraryName(FD),
                               Pure ? Trust::Input : Trust::Unknown, Values)
                     : P.unknown(Trust::Unknown),
             C.Call->getBeginLoc());
  // The smaller of two numbers is one of them: nobody writes it there.
  const bool IsReference = FD->getReturnType()->isReferenceType();
  return Pure && IsReference ? P.address(At) : P.load(At);
}

} // namespace spmd::lint::effects
