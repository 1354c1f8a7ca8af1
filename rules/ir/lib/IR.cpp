//===- IR.cpp - Small queries on the IR -----------------------------------===//

#include "spmd/ir/IR.h"

#include "IRNames.h"

namespace spmd::rules {

std::string_view transferName(TransferKind K) {
  return TransferNames[static_cast<int>(K)];
}

bool reduces(TransferKind K) {
  return K == TransferKind::AllReduce || K == TransferKind::ReduceScatter ||
         K == TransferKind::Reduce;
}

bool communicates(TransferKind K) {
  return K != TransferKind::Reinterpret && K != TransferKind::Convert &&
         K != TransferKind::OutPartial && K != TransferKind::Keep;
}

TransferKind transferOf(OperatorKind Op) {
  switch (Op) {
  case OperatorKind::AllReduce:
    return TransferKind::AllReduce;
  case OperatorKind::AllGather:
    return TransferKind::AllGather;
  case OperatorKind::ReduceScatter:
    return TransferKind::ReduceScatter;
  case OperatorKind::AllToAll:
    return TransferKind::AllToAll;
  case OperatorKind::Reinterpret:
    return TransferKind::Reinterpret;
  case OperatorKind::Convert:
    return TransferKind::Convert;
  case OperatorKind::Permute:
    return TransferKind::Permute;
  case OperatorKind::Broadcast:
    return TransferKind::Broadcast;
  case OperatorKind::Reduce:
    return TransferKind::Reduce;
  case OperatorKind::Keep:
    return TransferKind::Keep;
  case OperatorKind::AllReduceMax:
  case OperatorKind::AllReduceMin:
    return TransferKind::AllReduce;
  case OperatorKind::Barrier:
    break;
  }
  llvm_unreachable("an operator of the table");
}

std::optional<OperatorKind> operatorOf(const TransferFact &T) {
  if (T.K == TransferKind::AllReduce &&
      T.Reduction == ReductionKind::Idempotent)
    return OperatorKind::AllReduceMax;
  return operatorOf(T.K);
}

std::optional<OperatorKind> operatorOf(TransferKind K) {
  for (int Op = 0; Op != NumOperatorKinds; ++Op)
    if (transferOf(static_cast<OperatorKind>(Op)) == K)
      return static_cast<OperatorKind>(Op);
  return std::nullopt;
}

PlaceId placeOf(const Fact &F) {
  return std::visit([](const auto &X) { return X.At; }, F);
}

bool Function::hasContract() const {
  if (Result || !ResultAxes.empty() || Trusted)
    return true;
  for (unsigned I = 0; I != NumParameters; ++I)
    if (Slots[I].Declared)
      return true;
  return false;
}

void inheritAnnotation(Slot &Field, const Slot &Of) {
  if (!Of.Declared)
    return;
  const llvm::StringRef Bare =
      llvm::StringRef(Field.Member).rsplit("::").second;
  const llvm::StringRef Member = Bare.empty() ? Field.Member : Bare;
  // What is said of one object's member goes before what all objects have.
  const bool IsByName =
      Field.IsTensor && !Of.Inherited && Of.Declared->findMember(Member);
  if (Field.Declared && !IsByName)
    return;
  // An object in it passes on what is said of its own members.
  Field.Declared =
      Field.IsTensor ? memberAnnotation(Of.Declared, Member) : Of.Declared;
  Field.Inherited = Field.Declared != nullptr;
  if (!Field.Inherited)
    return;
  Field.DeclaredAt = Of.DeclaredAt;
  Field.Mesh = Of.Mesh;
}

bool BranchTest::holdsFor(std::int64_t Value) const {
  switch (R) {
  case Relation::Equal:
    return Value == To;
  case Relation::Unequal:
    return Value != To;
  case Relation::Less:
    return Value < To;
  case Relation::Greater:
    return Value > To;
  }
  return true;
}

BranchTest BranchTest::negated() const {
  BranchTest Out = *this;
  switch (R) {
  case Relation::Equal:
    Out.R = Relation::Unequal;
    break;
  case Relation::Unequal:
    Out.R = Relation::Equal;
    break;
  case Relation::Less:
    Out.R = Relation::Greater;
    --Out.To;
    break;
  case Relation::Greater:
    Out.R = Relation::Less;
    ++Out.To;
    break;
  }
  return Out;
}

bool Function::isOwnCopy(const Slot &Field) const {
  const Slot *S = &Field;
  while (S->Kind == SlotKind::Field && S->Base != SlotId::None) {
    S = &slot(S->Base);
    if (!S->InPlace)
      return false;
  }
  return S->Kind == SlotKind::Parameter;
}

const Function *Module::find(llvm::StringRef Symbol) const {
  for (const auto &F : Functions)
    if (F->Symbol == Symbol)
      return F.get();
  return nullptr;
}

} // namespace spmd::rules
