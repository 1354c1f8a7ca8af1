//===- Contracts.cpp - Values that meet an annotation -------------------===//

#include "Contracts.h"
#include "Slots.h"

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

/// A value that meets an annotated variable or field.
void checkStore(FactWriter &L, SlotId Target, Operand Value, const Stmt *At,
                SlotId Element) {
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
  A.IsElement = Element != SlotId::None;
  A.Buffer = Element;
  // An element, say, has no name.
  A.Subject = S.Name.empty() ? memberText(S) : S.Name;
  A.At = L.place(At);
  A.DeclaredAt = S.DeclaredAt;
  L.emit(std::move(A));
}

} // namespace spmd::lint::lower
