//===- StreamCalls.cpp - From the AST to an effect program: streams -------===//
//
// The CUDA runtime, which HIP has under other names, and cuBLAS: what is put on
// which stream, and who waits for whom.
//
//===----------------------------------------------------------------------===//

#include "EffectLowering.h"

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

void EffectLowering::onStream(const CallSite &C, const Expr *On, bool OnHandle,
                              bool Blocks, llvm::ArrayRef<unsigned> Pointers,
                              llvm::function_ref<bool(unsigned)> Writes) {
  std::vector<std::pair<const Expr *, bool>> Touched;
  for (const unsigned I : Pointers)
    if (const clang::Expr *A = C.argument(I))
      Touched.emplace_back(value(A), Writes(I));
  llvm::StringRef Name = C.base();
  Name.consume_back("_v2");
  for (const auto &[Pointer, IsWrite] : Touched) {
    Stmt &S = access(Pointer, IsWrite, Name, C.Call->getBeginLoc());
    S.On = On;
    S.OnHandle = OnHandle;
    S.Blocks = Blocks;
  }
}

void EffectLowering::kernel(const CUDAKernelCallExpr *E) {
  const CallSite C(E);
  if (!C.Callee)
    return;
  const CallExpr *Config = E->getConfig();
  const Expr *On = Config && Config->getNumArgs() > 3 ? value(Config->getArg(3))
                                                      : P.integer(0);
  std::vector<unsigned> Pointers;
  for (unsigned I = 0; I < C.Arguments.size() && I < C.Callee->getNumParams();
       ++I)
    if (C.Callee->getParamDecl(I)->getType()->isPointerType())
      Pointers.push_back(I);
  onStream(C, On, false, false, Pointers, [&](unsigned I) {
    return mayWrite(C.Callee, C.Callee->getParamDecl(I));
  });
}

void EffectLowering::streamAction(const CallSite &C, StreamAction A,
                                  llvm::ArrayRef<const clang::Expr *> Of) {
  std::vector<const Expr *> Arguments;
  for (const clang::Expr *E : Of)
    Arguments.push_back(E ? value(E) : P.integer(0));
  std::string Name = Of.empty() || !Of[0] ? "" : spelled(Of[0]);
  Stmt &S = emit(Kind::Stream, C.Call->getBeginLoc());
  S.Action = A;
  S.Arguments = std::move(Arguments);
  S.Name = std::move(Name);
}

/// cuBLAS: on its handle's stream.
const EffectLowering::Expr *EffectLowering::blasCall(const CallSite &C,
                                                     llvm::StringRef Name) {
  Name.consume_back("_v2");
  if (Name == "SetStream" && C.Arguments.size() == 2) {
    streamAction(C, StreamAction::SetStream, {C.argument(0), C.argument(1)});
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
  onStream(C, value(C.argument(0)), true, false, Pointers,
           [&](unsigned I) { return !PointsToConst(I); });
  return P.integer(0);
}

/// The status of a call of the runtime that is known; null for others.
/// Memory that the host can reach, too.
const EffectLowering::Expr *EffectLowering::allocateShared(const CallSite &C) {
  Expr New;
  New.Kind = ExprKind::Allocate;
  New.Number = site(C.Call->getBeginLoc()).Id;
  New.Name = C.Name;
  assign(target(value(C.argument(0))), P.add(std::move(New)),
         C.Call->getBeginLoc());
  return P.integer(0);
}

const EffectLowering::Expr *EffectLowering::streamCall(const CallSite &C) {
  if (!C.Callee->getIdentifier() || isa<CXXMethodDecl>(C.Callee))
    return nullptr;
  llvm::StringRef Name = C.Callee->getName();
  if (Name.consume_front("cublas"))
    return blasCall(C, Name);
  if (!Name.consume_front("cuda") && !Name.consume_front("hip"))
    return nullptr;
  if (llvm::StringSwitch<bool>(Name)
          .Cases({"MallocManaged", "MallocHost", "HostAlloc", "HostMalloc"},
                 true)
          .Default(false))
    return allocateShared(C);
  const auto Action =
      llvm::StringSwitch<std::optional<StreamAction>>(Name)
          .Case("StreamCreate", StreamAction::Create)
          .Cases({"EventCreate", "EventCreateWithFlags"},
                 StreamAction::CreateEvent)
          .Cases({"StreamSynchronize", "StreamQuery"}, StreamAction::SyncStream)
          .Cases({"EventSynchronize", "EventQuery"}, StreamAction::SyncEvent)
          .Case("DeviceSynchronize", StreamAction::SyncDevice)
          // They wait for the device.
          .Cases({"Free", "FreeHost", "HostFree", "StreamDestroy"},
                 StreamAction::SyncDevice)
          .Default(std::nullopt);
  if (Action) {
    if (*Action == StreamAction::SyncDevice)
      streamAction(C, *Action, {});
    else
      streamAction(C, *Action, {C.argument(0)});
    return P.integer(0);
  }
  if (Name == "StreamCreateWithFlags" || Name == "StreamCreateWithPriority") {
    clang::Expr::EvalResult R;
    const clang::Expr *Flags = C.argument(1);
    if (!Flags || !Flags->EvaluateAsInt(R, Ctx))
      return nullptr;
    streamAction(C,
                 R.Val.getInt().getExtValue() & 1 ? StreamAction::CreateApart
                                                  : StreamAction::Create,
                 {C.argument(0)});
    return P.integer(0);
  }
  if (Name == "EventRecord" || Name == "StreamWaitEvent") {
    const bool Records = Name == "EventRecord";
    streamAction(C, Records ? StreamAction::Record : StreamAction::WaitEvent,
                 {C.argument(Records ? 0 : 1), C.argument(Records ? 1 : 0)});
    return P.integer(0);
  }
  if (Name == "FreeAsync") {
    const Expr *On = value(C.argument(1));
    end(value(C.argument(0)), "cudaFreeAsync", C.Call->getBeginLoc());
    Open->On = On;
    return P.integer(0);
  }
  const bool Copies = Name.starts_with("Memcpy"),
             Sets = Name.starts_with("Memset");
  const bool IsAsync = Name.consume_back("Async");
  if (!(Copies && Name == "Memcpy") && !(Sets && Name == "Memset"))
    return nullptr;
  const unsigned StreamAt = Copies ? 4 : 3;
  const Expr *On = IsAsync && C.argument(StreamAt) ? value(C.argument(StreamAt))
                                                   : P.integer(0);
  onStream(C, On, false, !IsAsync,
           Copies ? llvm::ArrayRef<unsigned>({1, 0})
                  : llvm::ArrayRef<unsigned>({0}),
           [](unsigned I) { return I == 0; });
  if (Copies && C.argument(0) && C.argument(0)->getType()->isPointerType())
    forget(target(value(C.argument(0))), C.Call->getBeginLoc());
  return P.integer(0);
}

} // namespace spmd::lint::effects
