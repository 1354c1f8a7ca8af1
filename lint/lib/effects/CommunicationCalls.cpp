//===- CommunicationCalls.cpp - Calls of the tables ---------------------===//

#include "EffectLowering.h"

#include "lower/Recognisers.h"

using namespace clang;
using namespace spmd::collectives;
using spmd::rules::CallRole;

namespace spmd::lint::effects {

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

} // namespace spmd::lint::effects
