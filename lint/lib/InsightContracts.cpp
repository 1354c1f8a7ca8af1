//===- InsightContracts.cpp - What a body asks and returns ----------------===//

#include "CollectInsight.h"

#include "TypeText.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::lint {

using namespace rules;
using Role = TypedSlot::Role;

namespace {

/// The types that an annotation can say: one on an axis. Empty: none.
std::string annotationOf(const SeenType &S) {
  std::string Out;
  for (const auto &[Axis, Type] : S.Types)
    if (Type.Set.isSingle())
      Out += (Out.empty() ? "" : ", ") + Axis + ": " + printAxisType(Type);
  return Out;
}

/// Puts \p Payload where the declaration at \p Begin starts.
std::optional<Edit> annotate(const std::optional<fixits::SourceText> &Decl,
                             llvm::StringRef Payload) {
  if (!Decl || llvm::StringRef(Decl->Text).starts_with("template"))
    return std::nullopt;
  return Edit{Decl->File, Decl->Offset, 0,
              ("[[spmd::type(\"" + Payload + "\")]] ").str()};
}

} // namespace

/// The slots of tensors that \p F computes with.
static llvm::DenseSet<SlotId> dataOf(const Function &F,
                                     const ProgramText &View) {
  llvm::DenseSet<SlotId> Out;
  for (const Fact &X : factsOf(F))
    forEachOperand(X, [&](const Operand &O) {
      if (O.Slot != SlotId::None && View.dataAt(&F, O.At) != DataKind::None)
        Out.insert(O.Slot);
    });
  return Out;
}

void CollectInsight::addContract(const Function &F, Insight &Out) const {
  if (F.Trusted || F.IsConstructor || F.DisplayName.empty())
    return;
  InferredContract C;
  bool Inferred = false, Complete = true;
  const llvm::DenseSet<SlotId> Data = dataOf(F, View);
  const auto Find = [&](Role As, SlotId Slot) -> const SeenType * {
    for (const SeenType &S : of(F).All)
      if (S.As == As && S.Slot == Slot)
        return &S;
    return nullptr;
  };
  const auto Write = [&](PlaceId At, llvm::StringRef Payload) {
    if (auto E = annotate(View.text(&F, At), Payload))
      C.Edits.push_back(std::move(*E));
    else
      Complete = false;
  };
  const auto Say = [&](llvm::StringRef Name, llvm::StringRef Type) {
    C.Text += (C.Text.empty() ? "" : "; ") + Name.str() + ": " + Type.str();
  };
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    if (!Data.contains(SlotId(I)))
      continue;
    // What a body knows of members and globals depends on who calls it.
    if (I >= F.NumParameters) {
      Complete &= S.Declared || S.Inherited ||
                  (S.Kind != SlotKind::Field && S.Kind != SlotKind::Global);
      continue;
    }
    if (S.Declared) {
      Say(S.Name, printTypeAnnotation(*S.Declared));
      continue;
    }
    const SeenType *Is = Find(Role::Parameter, SlotId(I));
    const std::string Payload = Is ? annotationOf(*Is) : "";
    Complete &= !Payload.empty();
    if (Payload.empty())
      continue;
    Inferred = true;
    Say(S.Name, Payload);
    Write(S.DeclaredAt, Payload);
  }
  std::string Result = F.Result ? printTypeAnnotation(*F.Result) : "";
  if (const SeenType *Is = Find(Role::Returned, SlotId::None);
      Is && Result.empty()) {
    Result = annotationOf(*Is);
    Complete &= !Result.empty();
    if (!Result.empty()) {
      Inferred = true;
      Write(F.ResultAt, Result);
    }
  }
  if (!Inferred)
    return;
  C.Function = F.DisplayName;
  C.Where = View.definition(&F);
  if (!Result.empty())
    C.Text += (C.Text.empty() ? "-> " : " -> ") + Result;
  if (!Complete)
    C.Edits.clear();
  llvm::sort(C.Edits);
  if (C.Where.Line && llvm::none_of(Out.Contracts, [&](const auto &Other) {
        return Other.Where == C.Where; // an instance of the same template
      }))
    Out.Contracts.push_back(std::move(C));
}

} // namespace spmd::lint
