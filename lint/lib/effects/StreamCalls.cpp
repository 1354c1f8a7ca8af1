//===- StreamCalls.cpp - From the AST to an effect program: streams -------===//

#include "StreamCalls.h"

#include "annotations/FindAttribute.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

/// Whether the kernel may write what \p Param points to.
static bool mayWrite(const FunctionDecl *Kernel, const ParmVarDecl *Param) {
  if (Param->getType()->getPointeeType().isConstQualified())
    return false;
  const FunctionDecl *Def = nullptr;
  if (!Kernel->hasBody(Def) || Def->isDependentContext())
    return true;
  Param = Def->getParamDecl(Param->getFunctionScopeIndex());
  // Elements that are only read are converted to values at once.
  class Uses : public RecursiveASTVisitor<Uses> {
  public:
    explicit Uses(const ParmVarDecl *Of) : Of(Of) {}
    bool TraverseImplicitCastExpr(ImplicitCastExpr *E) {
      if (E->getCastKind() == CK_LValueToRValue)
        if (const auto *X =
                dyn_cast<ArraySubscriptExpr>(E->getSubExpr()->IgnoreParens()))
          if (const auto *Ref =
                  dyn_cast<DeclRefExpr>(X->getBase()->IgnoreParenImpCasts());
              Ref && Ref->getDecl() == Of)
            return TraverseStmt(const_cast<clang::Expr *>(X->getIdx()));
      return RecursiveASTVisitor::TraverseImplicitCastExpr(E);
    }
    bool VisitDeclRefExpr(DeclRefExpr *E) {
      Other |= E->getDecl() == Of;
      return true;
    }
    const ParmVarDecl *Of;
    bool Other = false;
  };
  Uses In(Param);
  In.TraverseStmt(Def->getBody());
  return In.Other;
}

void StreamCalls::onStream(const CallSite &C, const Expr *On, bool OnHandle,
                           bool Blocks, llvm::ArrayRef<unsigned> Pointers,
                           llvm::function_ref<bool(unsigned)> Writes,
                           bool IsSeen) {
  // What they are first, which may take statements.
  std::vector<std::pair<const Expr *, unsigned>> Touched;
  for (const unsigned I : Pointers)
    if (const clang::Expr *A = C.argument(I))
      Touched.emplace_back(Exprs.value(A), I);
  llvm::StringRef Name = C.base();
  Name.consume_back("_v2");
  for (const auto &[Pointer, I] : Touched) {
    Stmt &S = Out.access(Pointer, Writes(I), Name, C.Call->getBeginLoc());
    S.What.Spelled[rules::CallRole::Buffer] = Out.spelled(C.argument(I));
    S.On = On;
    S.OnHandle = OnHandle;
    S.Blocks = Blocks;
    S.MayOnlyRead = !IsSeen;
  }
}

void StreamCalls::kernel(const CUDAKernelCallExpr *E) {
  const CallSite C(E);
  if (!C.Callee)
    return;
  const CallExpr *Config = E->getConfig();
  const Expr *On = Config && Config->getNumArgs() > 3
                       ? Exprs.value(Config->getArg(3))
                       : P.integer(0);
  std::vector<unsigned> Pointers;
  for (unsigned I = 0; I < C.Arguments.size() && I < C.Callee->getNumParams();
       ++I)
    if (C.Callee->getParamDecl(I)->getType()->isPointerType())
      Pointers.push_back(I);
  const FunctionDecl *Definition = nullptr;
  onStream(
      C, On, false, false, Pointers,
      [&](unsigned I) { return mayWrite(C.Callee, C.Callee->getParamDecl(I)); },
      C.Callee->hasBody(Definition) && !Definition->isDependentContext());
}

/// A number that an op without a stream returns is of what its operands hold
/// now.
void StreamCalls::read(const CallSite &C, llvm::ArrayRef<unsigned> Pointers) {
  if (!C.Call->getType()->isArithmeticType())
    return;
  std::vector<std::pair<const Expr *, unsigned>> Read;
  for (const unsigned I : Pointers)
    if (C.Callee->getParamDecl(I)
            ->getType()
            ->getPointeeType()
            .isConstQualified())
      Read.emplace_back(Exprs.value(C.argument(I)), I);
  for (const auto &[Pointer, I] : Read) {
    Stmt &S =
        Out.access(Pointer, /*Writes=*/false, C.base(), C.Call->getBeginLoc());
    S.What.Spelled[rules::CallRole::Buffer] = Out.spelled(C.argument(I));
    S.MayBeOnDevice = true;
  }
}

void StreamCalls::declared(const CallSite &C) {
  if (!findAttribute(C.Callee, "spmd::op"))
    return;
  std::optional<unsigned> StreamAt;
  std::vector<unsigned> Pointers;
  for (unsigned I = 0; I < C.Arguments.size() && I < C.Callee->getNumParams();
       ++I) {
    const QualType T = C.Callee->getParamDecl(I)->getType();
    if (T.getAsString().find("cudaStream_t") != std::string::npos) {
      if (StreamAt)
        return;
      StreamAt = I;
    } else if (T->isPointerType()) {
      Pointers.push_back(I);
    }
  }
  if (!StreamAt)
    return read(C, Pointers);
  onStream(C, Exprs.value(C.argument(*StreamAt)), false, false, Pointers,
           [&](unsigned I) {
             return !C.Callee->getParamDecl(I)
                         ->getType()
                         ->getPointeeType()
                         .isConstQualified();
           });
}

void StreamCalls::act(const CallSite &C, StreamAction A,
                      llvm::ArrayRef<const clang::Expr *> Of) {
  std::vector<const Expr *> Arguments;
  for (const clang::Expr *E : Of)
    Arguments.push_back(E ? Exprs.value(E) : P.integer(0));
  std::string Name = Of.empty() || !Of[0] ? "" : Out.spelled(Of[0]);
  Stmt &S = Out.emit(Kind::Stream, C.Call->getBeginLoc());
  S.Action = A;
  S.Arguments = std::move(Arguments);
  S.Name = std::move(Name);
}

const Expr *StreamCalls::blas(const CallSite &C, llvm::StringRef Name) {
  Name.consume_back("_v2");
  if (Name == "SetStream" && C.Arguments.size() == 2) {
    act(C, StreamAction::SetStream, {C.argument(0), C.argument(1)});
    return P.integer(0);
  }
  if (C.Arguments.size() < 5 || !C.argument(0)->getType()->isPointerType())
    return nullptr;
  const auto PointsToConst = [&](unsigned I) {
    return C.Callee->getParamDecl(I)
        ->getType()
        ->getPointeeType()
        .isConstQualified();
  };
  std::vector<unsigned> Pointers;
  for (unsigned I = 1; I < C.Arguments.size() && I < C.Callee->getNumParams();
       ++I)
    if (C.Callee->getParamDecl(I)->getType()->isPointerType())
      Pointers.push_back(I);
  onStream(C, Exprs.value(C.argument(0)), true, false, Pointers,
           [&](unsigned I) { return !PointsToConst(I); });
  return P.integer(0);
}

/// A number of the host's: the scale of an operand.
static bool isAddressOfNumber(const clang::Expr *E) {
  const auto *U = dyn_cast<UnaryOperator>(E->IgnoreParenCasts());
  return U && U->getOpcode() == UO_AddrOf &&
         U->getSubExpr()->getType()->isArithmeticType();
}

const Expr *StreamCalls::dnn(const CallSite &C, llvm::StringRef Name) {
  if (Name == "SetStream" && C.Arguments.size() == 2) {
    act(C, StreamAction::SetStream, {C.argument(0), C.argument(1)});
    return P.integer(0);
  }
  // What is found or asked for is tried, and waited for.
  if (Name.starts_with("Get") || Name.starts_with("Find") ||
      C.Arguments.size() < 3 || !C.argument(0)->getType()->isPointerType())
    return nullptr;
  // Tensors are `void *`, descriptors are not.
  const auto Tensor = [&](unsigned I) {
    const QualType T = C.Callee->getParamDecl(I)->getType();
    return T->isVoidPointerType() ? T->getPointeeType() : QualType();
  };
  std::vector<unsigned> Pointers;
  bool Writes = false;
  for (unsigned I = 1; I < C.Arguments.size() && I < C.Callee->getNumParams();
       ++I)
    if (const QualType T = Tensor(I);
        !T.isNull() && !isAddressOfNumber(C.argument(I))) {
      Pointers.push_back(I);
      Writes |= !T.isConstQualified();
    }
  if (!Writes)
    return nullptr;
  onStream(C, Exprs.value(C.argument(0)), true, false, Pointers,
           [&](unsigned I) { return !Tensor(I).isConstQualified(); });
  return P.integer(0);
}

/// What is said of its first argument, or of the device.
static std::optional<StreamAction> actionOf(llvm::StringRef Name) {
  return llvm::StringSwitch<std::optional<StreamAction>>(Name)
      .Case("StreamCreate", StreamAction::Create)
      .Cases({"EventCreate", "EventCreateWithFlags"}, StreamAction::CreateEvent)
      .Cases({"StreamSynchronize", "StreamQuery"}, StreamAction::SyncStream)
      .Cases({"EventSynchronize", "EventQuery"}, StreamAction::SyncEvent)
      .Case("DeviceSynchronize", StreamAction::SyncDevice)
      // They wait for the device.
      .Cases({"Free", "FreeHost", "HostFree", "StreamDestroy"},
             StreamAction::SyncDevice)
      .Default(std::nullopt);
}

static bool allocatesPinned(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"MallocHost", "HostAlloc", "HostMalloc"}, true)
      .Default(false);
}

/// Calls of the runtime that surely wait for nothing, of those that are not
/// known otherwise.
static bool waitsForNothing(llvm::StringRef Name) {
  return Name.starts_with("Get") || Name.starts_with("Set") ||
         llvm::StringSwitch<bool>(Name)
             .Cases({"Malloc", "MallocAsync", "MemGetInfo", "PeekAtLastError",
                     "EventElapsedTime", "EventDestroy", "LaunchKernel",
                     "FuncSetAttribute", "DeviceGetAttribute",
                     "PointerGetAttributes"},
                    true)
             .Default(false);
}

const Expr *StreamCalls::lower(const CallSite &C) {
  if (!C.Callee->getIdentifier() || isa<CXXMethodDecl>(C.Callee))
    return nullptr;
  llvm::StringRef Name = C.Callee->getName();
  if (Name.consume_front("cublas"))
    return blas(C, Name);
  if (Name.consume_front("cudnn"))
    return dnn(C, Name);
  const bool IsOfRuntime =
      Name.consume_front("cuda") || Name.consume_front("hip");
  if (IsOfRuntime && (onStreams(C, Name) || onMemory(C, Name)))
    return P.integer(0);
  const bool MayWait = IsOfRuntime
                           ? !waitsForNothing(Name)
                           : llvm::StringRef(C.Name).starts_with("thrust::");
  if (MayWait) { // for any stream
    Stmt &S = Out.emit(Kind::Stream, C.Call->getBeginLoc());
    S.Action = StreamAction::SyncStream;
    S.Arguments = {P.unknown(Trust::Unknown)};
  }
  return nullptr;
}

bool StreamCalls::onStreams(const CallSite &C, llvm::StringRef Name) {
  if (const std::optional<StreamAction> Action = actionOf(Name)) {
    if (*Action == StreamAction::SyncDevice)
      act(C, *Action, {});
    else
      act(C, *Action, {C.argument(0)});
    return true;
  }
  if (Name == "StreamCreateWithFlags" || Name == "StreamCreateWithPriority") {
    clang::Expr::EvalResult R;
    const clang::Expr *Flags = C.argument(1);
    if (!Flags || !Flags->EvaluateAsInt(R, Ctx))
      return false;
    act(C, R.Val.getInt()[0] ? StreamAction::CreateApart : StreamAction::Create,
        {C.argument(0)});
    return true;
  }
  const bool Records = Name == "EventRecord";
  if (!Records && Name != "StreamWaitEvent")
    return false;
  act(C, Records ? StreamAction::Record : StreamAction::WaitEvent,
      {C.argument(Records ? 0 : 1), C.argument(Records ? 1 : 0)});
  return true;
}

bool StreamCalls::onMemory(const CallSite &C, llvm::StringRef Name) {
  const SourceLocation At = C.Call->getBeginLoc();
  if (const bool IsPinned = allocatesPinned(Name);
      IsPinned || Name == "MallocManaged") {
    const Expr *New = Out.allocation(At, C.Name, IsPinned);
    Out.assign(P.target(Exprs.value(C.argument(0))), New, At);
    return true;
  }
  if (Name == "FreeAsync") {
    const Expr *On = Exprs.value(C.argument(1));
    Out.end(Exprs.value(C.argument(0)), "cudaFreeAsync", At).On = On;
    return true;
  }
  const bool Copies = Name.starts_with("Memcpy");
  const bool IsAsync = Name.consume_back("Async");
  if (Name != "Memcpy" && Name != "Memset")
    return false;
  const unsigned StreamAt = Copies ? 4 : 3;
  const Expr *On = IsAsync && C.argument(StreamAt)
                       ? Exprs.value(C.argument(StreamAt))
                       : P.integer(0);
  onStream(C, On, false, !IsAsync,
           Copies ? llvm::ArrayRef<unsigned>({1, 0})
                  : llvm::ArrayRef<unsigned>({0}),
           [](unsigned I) { return I == 0; });
  if (Copies && C.argument(0) && C.argument(0)->getType()->isPointerType())
    Out.forget(P.target(Exprs.value(C.argument(0))), At);
  return true;
}

} // namespace spmd::lint::effects
