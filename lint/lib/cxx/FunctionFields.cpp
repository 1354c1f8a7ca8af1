//===- FunctionFields.cpp - Functions in members of structs ---------------===//

#include "FunctionFields.h"

#include "PutFunctions.h"

using namespace clang;

namespace spmd::lint {

const FieldDecl *calledField(const Expr *Call) {
  const auto *C = dyn_cast<CallExpr>(Call);
  if (!C)
    return nullptr;
  const Expr *Callee = C->getCallee()->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(Callee);
      U && U->getOpcode() == UO_Deref)
    Callee = U->getSubExpr();
  return functionFieldOf(Callee);
}

FunctionFields::FunctionFields(llvm::ArrayRef<const FunctionDecl *> Bodies) {
  forEachPut(Bodies, [this](const FieldDecl *Field, const FunctionDecl *Is,
                            const FunctionDecl *) {
    if (Is)
      Put[Field].insert(Is);
    else
      Open.insert(Field);
  });
}

llvm::ArrayRef<const FunctionDecl *>
FunctionFields::calledBy(const Expr *Call) const {
  const FieldDecl *Field = calledField(Call);
  const auto At = Field && !Open.contains(Field) ? Put.find(Field) : Put.end();
  if (At == Put.end())
    return {};
  return At->second.getArrayRef();
}

} // namespace spmd::lint
