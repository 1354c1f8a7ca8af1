//===- LowerCalls.cpp - From the AST to an effect program: calls ----------===//

#include "EffectLowering.h"

#include "lower/Recognisers.h"

#include "spmd/ops/NumberType.h"

#include "clang/Basic/Builtins.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::collectives;
using spmd::rules::CallRole;

namespace spmd::lint::effects {

//===--- Calls of communication libraries -----------------------------------//

/// The value that tells a receiver from others: of `pg` in `pg->allreduce()`.
const EffectLowering::Expr *
EffectLowering::handleOf(const clang::Expr *Receiver) {
  Receiver = Receiver->IgnoreParenImpCasts();
  if (const auto *X = dyn_cast<CXXOperatorCallExpr>(Receiver);
      X && (X->getOperator() == OO_Arrow || X->getOperator() == OO_Star))
    return handleOf(X->getArg(0));
  if (Receiver->getType()->isPointerType())
    return value(Receiver);
  return P.load(place(Receiver));
}

/// The number of less than 32 bits that a class of CUDA's or libtorch's is, as
/// tables of datatypes call it.
static llvm::StringRef reducedPrecision(QualType T) {
  return llvm::StringSwitch<llvm::StringRef>(className(T))
      .Cases({"__half", "half", "c10::Half"}, "__half")
      .Cases({"__nv_bfloat16", "nv_bfloat16", "c10::BFloat16"}, "__nv_bfloat16")
      .Cases({"__nv_fp8_e4m3", "c10::Float8_e4m3fn"}, "__nv_fp8_e4m3")
      .Cases({"__nv_fp8_e5m2", "c10::Float8_e5m2"}, "__nv_fp8_e5m2")
      .Default("");
}

/// Whether what points to \p Of is no buffer of the datatype \p Known.
static bool isOfOtherType(QualType Of, llvm::StringRef Known,
                          const std::optional<rules::NumberType> &Wanted,
                          const ASTContext &Ctx) {
  if (const llvm::StringRef Is = reducedPrecision(Of); !Is.empty())
    return Is != Known;
  if (!Of->isBuiltinType() || !Of->isArithmeticType() ||
      Of->isAnyCharacterType() || Ctx.getTypeSize(Of) < 32)
    return false;
  return Wanted ? Of->isRealFloatingType() != Wanted->isReal() ||
                      Ctx.getTypeSize(Of) != Wanted->Bits
                : Of->isRealFloatingType() && Known.starts_with("__");
}

/// A sum of floats that are taken for integers is no sum. Calls that only move
/// bytes may say what they like.
void EffectLowering::checkBuffers(const CallSite &C,
                                  const rules::CollectiveCall &Api,
                                  llvm::StringRef Name) {
  const auto TypeAt = Api.argument(CallRole::Type);
  if (!Api.has(CallRole::Op) || !TypeAt || !C.argument(*TypeAt))
    return;
  const std::string Said =
      lower::constantName(*Cfg.Apis, Ctx, C.argument(*TypeAt));
  const auto Known = Api.Api->Datatypes.find(Said);
  if (Known == Api.Api->Datatypes.end())
    return;
  const auto Wanted = rules::numberType(
      Known->second,
      {static_cast<unsigned>(Ctx.getTypeSize(Ctx.LongTy)),
       static_cast<unsigned>(Ctx.getTypeSize(Ctx.LongDoubleTy))});
  for (unsigned I = 0; I != Api.Arguments.size(); ++I) {
    const CallRole Role = Api.Arguments[I];
    if (!C.argument(I) || (Role != CallRole::Send && Role != CallRole::Recv &&
                           Role != CallRole::Buffer))
      continue;
    const clang::Expr *A = C.argument(I)->IgnoreParenImpCasts();
    const QualType T = A->getType();
    const QualType Of = T->isPointerType() ? T->getPointeeType()
                        : T->isArrayType() ? Ctx.getBaseElementType(T)
                                           : QualType();
    if (Of.isNull() || !isOfOtherType(Of, Known->second, Wanted, Ctx))
      continue;
    collectives::Finding F;
    F.Kind = FindingKind::Argument;
    F.At = site(C.Call->getBeginLoc());
    F.Call = Name.str();
    F.Argument = BadArgument::Buffer;
    F.Held = Of.getUnqualifiedType().getAsString();
    F.Said = Said;
    Mistyped.push_back(std::move(F));
    return;
  }
}

const EffectLowering::Expr *
EffectLowering::event(const CallSite &C, const rules::CollectiveCall &Api) {
  Event What;
  What.Call = &Api;
  const auto *Method = dyn_cast<CXXMethodDecl>(C.Callee);
  What.Name = Method ? (Method->getParent()->getName() +
                        "::" + C.Callee->getNameAsString())
                           .str()
                     : C.Callee->getNameAsString();
  if (C.Receiver && Api.Receiver != CallRole::None)
    What.Arguments.emplace_back(Api.Receiver, handleOf(C.Receiver));
  for (unsigned I = 0; I != Api.Arguments.size(); ++I) {
    const clang::Expr *A = C.argument(I);
    const CallRole Role = Api.Arguments[I];
    if (!A || Role == CallRole::None)
      continue;
    const bool IsCount = Role == CallRole::Count ||
                         Role == CallRole::SendCount ||
                         Role == CallRole::RecvCount;
    What.HasCountLists |= IsCount && !A->getType()->isIntegerType();
    if (Role == CallRole::Options) {
      addOptions(What, A);
      continue;
    }
    const clang::Expr *Stripped = A->IgnoreParenImpCasts();
    // NCCL and c10d take some outputs by reference.
    const bool IsHandle = Stripped->getType()->isRecordType();
    const Expr *Given = isTensor(A->getType()) ? storage(place(Stripped))
                        : IsHandle             ? handleOf(A)
                                               : value(A);
    What.Arguments.emplace_back(Role, Given);
  }
  checkBuffers(C, Api, What.Name);
  describe(C, Api, What);
  const Expr *Result = temporary();
  Stmt &S = emit(Kind::Event, C.Call->getBeginLoc());
  S.What = std::move(What);
  S.Target = Result;
  return C.Call->getType()->isRecordType() ? P.address(Result) : P.load(Result);
}

/// The op and the root of a call that takes them in a struct.
void EffectLowering::addOptions(Event &Of, const clang::Expr *Struct) {
  const rules::CollectiveApi &Api = *Of.Call->Api;
  const CXXRecordDecl *RD = Struct->getType()->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition())
    return;
  const Expr *At = place(Struct);
  for (const FieldDecl *F : RD->fields())
    if (F->getName() == Api.OpField)
      Of.Arguments.emplace_back(CallRole::Op, P.load(field(At, F->getName())));
    else if (F->getName() == Api.RootField)
      Of.Arguments.emplace_back(CallRole::Root,
                                P.load(field(At, F->getName())));
}

/// The constructor's entry in the tables for what makes an object of the class
/// that it is told, on the heap.
static const rules::CollectiveCall *madeBy(const rules::CollectiveApis &Apis,
                                           const FunctionDecl *FD) {
  const auto *Arguments = FD->getTemplateSpecializationArgs();
  if (!FD->getIdentifier() || !FD->getName().starts_with("make_") ||
      !Arguments || Arguments->size() == 0 ||
      Arguments->get(0).getKind() != TemplateArgument::Type)
    return nullptr;
  const CXXRecordDecl *RD = Arguments->get(0).getAsType()->getAsCXXRecordDecl();
  return RD && RD->getIdentifier() ? Apis.find(RD->getQualifiedNameAsString() +
                                               "::" + RD->getNameAsString())
                                   : nullptr;
}

//===--- Calls of functions that are seen -----------------------------------//

const EffectLowering::Expr *EffectLowering::argument(const clang::Expr *E,
                                                     QualType To) {
  if (To->isReferenceType() || To->isRecordType())
    return P.address(place(E));
  return value(E);
}

const EffectLowering::Expr *
EffectLowering::ownCall(const CallSite &C, unsigned Callee, const Expr *This) {
  std::vector<const Expr *> Arguments;
  if (This)
    Arguments.push_back(This);
  for (unsigned I = 0; I != C.Arguments.size(); ++I)
    Arguments.push_back(
        argument(C.Arguments[I], I < C.Callee->getNumParams()
                                     ? C.Callee->getParamDecl(I)->getType()
                                     : C.Arguments[I]->getType()));
  return emitCall(C, Callee, std::move(Arguments));
}

const EffectLowering::Expr *
EffectLowering::emitCall(const CallSite &C, unsigned Callee,
                         std::vector<const Expr *> Arguments) {
  const Expr *Result = temporary();
  Stmt &S = emit(Kind::Call, C.Call->getBeginLoc());
  S.Value = function(Callee);
  S.Arguments = std::move(Arguments);
  S.Target = Result;
  return P.load(Result);
}

void EffectLowering::construct(const Expr *Into, const CXXConstructExpr *E) {
  const CXXConstructorDecl *D = E->getConstructor();
  if (D->isCopyOrMoveConstructor() && E->getNumArgs() >= 1) {
    const Expr *From = place(E->getArg(0));
    Stmt &S = emit(Kind::Copy, E->getBeginLoc());
    S.Target = Into;
    S.Value = From;
    S.Moves = D->isMoveConstructor();
    return;
  }
  if (const auto Callee = functionOf(D)) {
    ownCall(CallSite(E), *Callee, P.address(Into));
    return;
  }
  if (const Expr *Held = heldFunction(E))
    return assign(Into, Held, E->getBeginLoc());
  const CallSite C(E);
  if (const rules::CollectiveCall *Api = Cfg.Apis->find(C.Name))
    return assign(Into, P.load(target(event(C, *Api))), E->getBeginLoc());
  if (constructContainer(Into, E) || constructRuntime(Into, E))
    return;
  // What is made of a number alone stands for it.
  if (D->getNumParams() == 1 && E->getNumArgs() == 1 &&
      D->isConvertingConstructor(false) &&
      D->getParamDecl(0)->getType()->isIntegralOrEnumerationType())
    return assign(Into, value(E->getArg(0)), E->getBeginLoc());
  for (const clang::Expr *A : E->arguments())
    value(A);
  if (D->isDefaulted() && E->getNumArgs() == 0)
    if (const CXXRecordDecl *RD = D->getParent())
      for (const FieldDecl *F : RD->fields())
        if (F->hasInClassInitializer() && F->getInClassInitializer())
          initialise(field(Into, F->getName()), F->getInClassInitializer());
  if (!D->isDefaulted() || E->getNumArgs())
    forget(Into, E->getBeginLoc());
}

//===--- Calls of others ----------------------------------------------------//

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

/// Once, however often its value is asked for.
const EffectLowering::Expr *EffectLowering::call(const clang::Expr *E) {
  if (const auto Done = Called.find(E); Done != Called.end())
    return Done->second;
  const Expr *Result = lowerCall(E);
  Called[E] = Result;
  return Result;
}

const EffectLowering::Expr *EffectLowering::lowerCall(const clang::Expr *E) {
  const CallSite C(E);
  if (const auto *Launch = dyn_cast<CUDAKernelCallExpr>(E)) {
    kernel(Launch);
    return P.integer(0);
  }
  if (!C.Callee) {
    const auto *X = dyn_cast<CallExpr>(E);
    return X ? indirectCall(
                   E, value(X->getCallee()),
                   llvm::SmallVector<const clang::Expr *>(X->arguments()))
             : visited(E);
  }
  if (const rules::CollectiveCall *Api = Cfg.Apis->find(C.Name))
    return event(C, *Api);
  if (const rules::CollectiveCall *Api = madeBy(*Cfg.Apis, C.Callee))
    return event(C, *Api);
  if (const Expr *Given = runtimeCall(C))
    return Given;
  if (const Expr *Status = streamCall(C))
    return Status;
  if (const Expr *Given = containerCall(C))
    return Given;
  if (const Expr *Number = launcherNumber(C))
    return Number;
  const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E);
  if (const Expr *Output = forwardCall(C))
    return Output;
  const std::optional<unsigned> Callee = calleeOf(C);
  if (!Callee && Operator && C.Receiver) {
    switch (Operator->getOperator()) {
    case OO_Call:
      if (isFunctionObject(C.Receiver->getType()))
        return indirectCall(E, P.load(place(C.Receiver)), C.Arguments);
      break;
    case OO_Subscript: // of a container: its own array
      return P.address(element(place(C.Receiver), value(C.argument(0)), false));
    case OO_Arrow:
    case OO_Star: { // of a smart pointer, or an iterator
      const Expr *Held = handleOf(C.Receiver);
      return Held;
    }
    case OO_Equal:
      if (E->getType()->isReferenceType() || E->isGLValue())
        if (const clang::Expr *From = C.argument(0)) {
          const Expr *Into = place(C.Receiver);
          if (From->getType()->isRecordType()) {
            const Expr *Source = place(From);
            Stmt &S = emit(Kind::Copy, E->getExprLoc());
            S.Target = Into;
            S.Value = Source;
          } else {
            forget(Into, E->getExprLoc());
          }
          return P.address(Into);
        }
      break;
    default:
      break;
    }
  }
  if (Callee) {
    const auto *MD = dyn_cast<CXXMethodDecl>(C.Callee);
    const Expr *This = nullptr;
    if (MD && MD->isInstance() && !MD->getParent()->isLambda() && C.Receiver)
      This = C.Receiver->getType()->isPointerType()
                 ? value(C.Receiver)
                 : P.address(place(C.Receiver));
    return ownCall(C, *Callee, This);
  }
  // What a container holds, and how many.
  const auto *MD = dyn_cast<CXXMethodDecl>(C.Callee);
  if (MD && C.Receiver && isLibrary(MD) && MD->getIdentifier() &&
      C.Arguments.empty()) {
    if (MD->getName() == "data")
      return P.address(element(place(C.Receiver), P.integer(0), false));
    if (MD->getName() == "size" && !C.Receiver->getType()->isPointerType())
      return P.load(field(place(C.Receiver), "size()"));
    if (MD->getName() == "get")
      return handleOf(C.Receiver);
  }
  return libraryCall(C);
}

} // namespace spmd::lint::effects
