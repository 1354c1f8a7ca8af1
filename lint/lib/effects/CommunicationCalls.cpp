//===- CommunicationCalls.cpp - Calls of the tables ---------------------===//

#include "CommunicationCalls.h"

#include "cxx/KnownTypes.h"

#include "clang/AST/DeclCXX.h"

using namespace clang;
using namespace spmd::collectives;
using spmd::rules::CallRole;

namespace spmd::lint::effects {

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

const Expr *CommunicationCalls::lower(const CallSite &C) {
  const rules::CollectiveCall *Api = Apis.find(C.Name);
  if (!Api)
    Api = madeBy(Apis, C.Callee);
  return Api ? event(C, *Api) : nullptr;
}

const Expr *CommunicationCalls::event(const CallSite &C,
                                      const rules::CollectiveCall &Api) {
  Event What;
  What.Call = &Api;
  const auto *Method = dyn_cast<CXXMethodDecl>(C.Callee);
  What.Name = Method ? (Method->getParent()->getName() +
                        "::" + C.Callee->getNameAsString())
                           .str()
                     : C.Callee->getNameAsString();
  if (C.Receiver && Api.Receiver != CallRole::None)
    What.Arguments.emplace_back(Api.Receiver, Exprs.handle(C.Receiver));
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
    const Expr *Value = isLibraryTensor(A->getType())
                            ? P.storage(Exprs.place(Stripped))
                        : IsHandle ? Exprs.handle(A)
                                   : Exprs.value(A);
    What.Arguments.emplace_back(Role, Value);
  }
  Given.check(C, Api, What.Name);
  Given.describe(C, Api, What);
  return Out.event(std::move(What), C.Call);
}

void CommunicationCalls::addOptions(Event &Of, const clang::Expr *Struct) {
  const rules::CollectiveApi &Api = *Of.Call->Api;
  const CXXRecordDecl *RD = Struct->getType()->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition())
    return;
  const Expr *At = Exprs.place(Struct);
  for (const FieldDecl *F : RD->fields())
    if (F->getName() == Api.OpField)
      Of.Arguments.emplace_back(CallRole::Op,
                                P.load(P.field(At, F->getName())));
    else if (F->getName() == Api.RootField)
      Of.Arguments.emplace_back(CallRole::Root,
                                P.load(P.field(At, F->getName())));
}

} // namespace spmd::lint::effects
