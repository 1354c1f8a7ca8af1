//===- Contracts.cpp - Values that meet an annotation -------------------===//

#include "Contracts.h"
#include "Slots.h"

#include "cxx/OwnTensor.h"
#include "cxx/TypeClass.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// \p Value, at \p At, is to be what the result of \p Of is declared to be.
static void requireResult(FactWriter &L, const TypeAnnotation &Declared,
                          PlaceId DeclaredAt, llvm::StringRef Of, Operand Value,
                          const Expr *At) {
  AssertFact A;
  A.Value = Value;
  A.Type = std::make_shared<TypeSpec>(Declared.Entry);
  A.K = AssertFact::Kind::Return;
  A.Subject = Of.str();
  A.At = L.place(At);
  A.DeclaredAt = DeclaredAt;
  L.emit(std::move(A));
}

/// One of several values of which a return takes one: on its path there is no
/// other that could be what the function promises.
void checkReturn(FactWriter &L, Operand Value, const Expr *At) {
  if (L.ir().Result && !isa<AbstractConditionalOperator>(At))
    requireResult(L, *L.ir().Result, L.ir().ResultAt, L.ir().DisplayName, Value,
                  At);
}

void checkResult(FactWriter &L, const FunctionDecl *Callee, Operand Value,
                 const Expr *At) {
  if (const auto T = L.module().annotations().resultOf(Callee))
    requireResult(L, *T, L.place(T.Range), Callee->getName(), Value, At);
}

void checkArgument(FactWriter &L, const ParmVarDecl *P, Operand Value,
                   const Expr *At) {
  const auto T = L.module().annotations().typeOf(P);
  if (!T || T->isOutput() || Value.Slot == SlotId::None)
    return;
  AssertFact A;
  A.Value = Value;
  A.Type = std::make_shared<TypeSpec>(T->Entry);
  A.Mesh = L.module().otherMesh(P, L.function());
  A.K = AssertFact::Kind::Argument;
  A.Subject = P->getNameAsString();
  A.At = L.place(At);
  A.DeclaredAt = L.place(T.Range);
  L.emit(std::move(A));
}

/// A new value of which \p Type is known.
static SlotId declared(FactWriter &L, const TypeSpec &Type, const Expr *At) {
  DefineFact D;
  D.Dst = L.temporary();
  D.K = DefineFact::Kind::Declared;
  D.Type = std::make_shared<TypeSpec>(Type);
  D.At = L.place(At);
  const SlotId Out = D.Dst;
  L.emit(std::move(D));
  return Out;
}

SlotId declaredResult(FactWriter &L, const FunctionDecl *Callee,
                      const Expr *Call) {
  const auto T = L.module().annotations().resultOf(Callee);
  return T ? declared(L, T->Entry, Call) : SlotId::None;
}

SlotId declaredOutput(FactWriter &L, const ParmVarDecl *P, const Expr *Call) {
  const auto T = L.module().annotations().typeOf(P);
  return T && T->Exit ? declared(L, *T->Exit, Call) : SlotId::None;
}

/// A value that meets an annotated variable or field.
static void check(FactWriter &L, SlotId Target, Operand Value, const Stmt *At,
                  SlotId Element, bool IsNumber) {
  const Slot &S = L.slot(Target);
  // What changes from entry to exit is checked at the exit.
  if (!S.Declared || S.Declared->Exit || Value.Slot == SlotId::None ||
      Value.Slot == Target)
    return;
  AssertFact A;
  A.Value = Value;
  A.Type = std::make_shared<TypeSpec>(S.Declared->Entry);
  A.Mesh = S.Mesh;
  A.K = S.Kind == SlotKind::Field ? AssertFact::Kind::Field
                                  : AssertFact::Kind::Variable;
  A.IsElement = IsNumber || Element != SlotId::None;
  A.Buffer = Element;
  // An element, say, has no name.
  A.Subject = S.Name.empty() ? memberText(S) : S.Name;
  A.At = L.place(At);
  A.DeclaredAt = S.DeclaredAt;
  L.emit(std::move(A));
}

void checkStore(FactWriter &L, SlotId Target, Operand Value, const Stmt *At,
                SlotId Element) {
  check(L, Target, Value, At, Element, /*IsNumber=*/false);
}

void checkStore(FactWriter &L, SlotId Target, QualType T, Operand Value,
                const Stmt *At) {
  check(L, Target, Value, At, SlotId::None,
        !T->isReferenceType() &&
            (classify(T) == TypeClass::Scalar || isContainerOfNumbers(T)));
}

} // namespace spmd::lint::lower
