//===- CollectInsight.cpp - Types of places, and collectives --------------===//

#include "CollectInsight.h"

#include "TypeText.h"

#include "spmd/fixits/Repair.h"
#include "spmd/ir/Walk.h"
#include "spmd/lint/Render.h"
#include "spmd/planner/Explain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace spmd::lint {

using namespace rules;
using Role = TypedSlot::Role;

void CollectInsight::add(const TypedSlot &T) {
  SeenType S;
  S.As = T.As;
  S.At = T.At;
  S.Slot = T.Slot;
  S.Of = T.Of;
  S.Types = T.Types;
  S.From = T.From;
  S.Spec = T.Spec;
  S.Text = typeText(T);
  if (T.Slot != SlotId::None)
    S.Name = T.In->slot(T.Slot).Name;
  S.ByItself = T.ByItself;
  Seen &Of = All[T.In];
  const auto Index = static_cast<unsigned>(Of.All.size());
  if (T.Of)
    Of.ByFact[T.Of].push_back(Index);
  if (T.Of && T.As == Role::Taken && std::holds_alternative<OpFact>(*T.Of))
    Of.OperandsAt[placeOf(*T.Of)].push_back(Index);
  Of.All.push_back(std::move(S));
}

Insight CollectInsight::finish(const Module &M,
                               std::vector<std::string> Axes) const {
  Insight Out;
  Out.Axes = std::move(Axes);
  for (const auto &F : M.Functions) {
    addNames(*F, Out);
    if (F->Blocks.empty())
      continue;
    addTypes(*F, Out);
    addCollectives(*F, Out);
    addContract(*F, Out);
    addFlow(*F, Out);
  }
  llvm::sort(Out.Types, [](const TypedPlace &A, const TypedPlace &B) {
    return std::tie(A.Where, A.Name) < std::tie(B.Where, B.Name);
  });
  return Out;
}

void CollectInsight::addNames(const Function &F, Insight &Out) const {
  const auto Add = [&](const std::shared_ptr<const TypeAnnotation> &A) {
    for (const TypeSpec *T :
         {A ? &A->Entry : nullptr, A && A->Exit ? &*A->Exit : nullptr})
      if (T && T->Global)
        for (const DimSpec &D : T->Global->Dims)
          if (!D.Extent.empty() && D.Extent != "_" &&
              !llvm::isDigit(D.Extent.front()) &&
              !llvm::is_contained(Out.Dims, D.Extent))
            Out.Dims.push_back(D.Extent);
  };
  Add(F.Result);
  for (const Slot &S : F.Slots)
    Add(S.Declared);
}

const CollectInsight::Seen &CollectInsight::of(const Function &F) const {
  static const Seen None;
  const auto It = All.find(&F);
  return It == All.end() ? None : It->second;
}

const SeenType *CollectInsight::at(const Function &F, const Fact &Of, Role As,
                                   SlotId Slot) const {
  const Seen &In = of(F);
  const auto It = In.ByFact.find(&Of);
  if (It != In.ByFact.end())
    for (const unsigned I : It->second)
      if (const SeenType &S = In.All[I];
          S.As == As && (Slot == SlotId::None || S.Slot == Slot))
        return &S;
  return nullptr;
}

/// "result of this 'mul' of 'x' (R) and 'w' (S(0))".
std::string CollectInsight::whyOf(const Function &F, const SeenType &Is,
                                  std::size_t Axis) const {
  const rules::Origin &From = Is.From[Axis];
  std::string Out = reasonOf(From, Is.Types[Axis].second.Set);
  if (From.K != rules::Origin::Kind::Op || From.In != &F || Out.empty())
    return Out;
  llvm::SmallVector<std::string, 4> Operands;
  const Fact *Made = nullptr;
  const Seen &In = of(F);
  const auto It = In.OperandsAt.find(From.At);
  for (const unsigned I :
       It == In.OperandsAt.end() ? std::vector<unsigned>() : It->second) {
    const SeenType &S = In.All[I];
    if ((Made && Made != S.Of) || !isKnown(S.Types[Axis].second))
      continue;
    Made = S.Of;
    const auto Text = View.text(&F, S.At);
    if (!Text || Text->Text.size() > 24)
      continue;
    std::string Operand = "'" + onOneLine(Text->Text) + "' (" +
                          printAxisType(S.Types[Axis].second) + ")";
    if (!llvm::is_contained(Operands, Operand))
      Operands.push_back(std::move(Operand));
  }
  if (!Operands.empty())
    Out += " of " + llvm::join(Operands, " and ");
  return Out;
}

/// The end of the last \p Name that stands by itself in \p Text.
static std::optional<std::size_t> endOfWord(llvm::StringRef Text,
                                            llvm::StringRef Name) {
  const auto IsPart = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  for (std::size_t At = Text.rfind(Name); At != llvm::StringRef::npos;
       At = At ? Text.take_front(At + Name.size() - 1).rfind(Name)
               : llvm::StringRef::npos) {
    const std::size_t End = At + Name.size();
    if ((At == 0 || !IsPart(Text[At - 1])) &&
        (End == Text.size() || !IsPart(Text[End])))
      return End;
  }
  return std::nullopt;
}

std::optional<unsigned> CollectInsight::nameEnd(const Function &F,
                                                const SeenType &Is) const {
  const auto *Bind = Is.Of ? std::get_if<BindFact>(Is.Of) : nullptr;
  if (!Bind || Is.As != Role::Made || Is.Name.empty() ||
      F.slot(Is.Slot).Kind != SlotKind::Local || F.slot(Is.Slot).Declared)
    return std::nullopt;
  const auto Text = View.text(&F, Is.At);
  const auto From = View.text(&F, Bind->Src.At);
  if (!Text || !From || From->File != Text->File ||
      From->Offset <= Text->Offset ||
      From->Offset > Text->Offset + Text->Length)
    return std::nullopt;
  const auto End = endOfWord(
      llvm::StringRef(Text->Text).take_front(From->Offset - Text->Offset),
      Is.Name);
  // An assignment begins with the name.
  if (!End || *End == Is.Name.size())
    return std::nullopt;
  return Text->Offset + static_cast<unsigned>(*End);
}

void CollectInsight::addTypes(const Function &F, Insight &Out) const {
  // Of one expression: by itself, else with the types of some call.
  std::map<std::pair<Place, std::string>, std::pair<bool, TypedPlace>> Here;
  for (const SeenType &S : of(F).All) {
    if (!S.saysSomething() || S.As == Role::Returned)
      continue;
    TypedPlace P;
    P.Where = View.place(&F, S.At);
    if (!P.Where.Line)
      continue;
    P.Name = S.Name;
    P.Type = S.Text;
    for (std::size_t A = 0; A != S.Types.size(); ++A)
      if (isKnown(S.Types[A].second))
        P.Axes.push_back({S.Types[A].first, printAxisType(S.Types[A].second),
                          whyOf(F, S, A),
                          View.place(S.From[A].In, S.From[A].At)});
    P.NameEnd = nameEnd(F, S);
    auto [It, New] = Here.try_emplace({P.Where, P.Name}, S.ByItself, P);
    if (!New && S.ByItself && !It->second.first)
      It->second = {true, std::move(P)};
  }
  for (auto &[Of, P] : Here)
    Out.Types.push_back(std::move(P.second));
}

std::string CollectInsight::axesOf(const Function &F,
                                   const TransferFact &T) const {
  if (T.Axis.Slot == SlotId::None)
    return "";
  const std::vector<std::string> &Axes = F.slot(T.Axis.Slot).DeclaredAxes;
  if (!Axes.empty())
    return Axes.size() == 1 ? Axes[0] : "(" + llvm::join(Axes, ",") + ")";
  const auto Text = View.text(&F, T.Axis.At);
  return Text ? onOneLine(Text->Text) : "";
}

/// "4096 bytes": what a rank sends, where the sizes of all that counts are
/// known; else empty.
std::string CollectInsight::bytesOf(const Function &F, const TransferFact &T,
                                    llvm::StringRef Spec,
                                    llvm::StringRef Axes) const {
  const auto Op = operatorOf(T.K);
  const std::string Element = fixits::elementType(&F);
  const MeshSpec &On = F.Mesh ? *F.Mesh : Mesh;
  const MeshAxis *Axis = On.find(Axes);
  if (!Op || Element.empty() || !Axis || Axis->Size < 2)
    return "";
  auto Type = parseTypeSpec(Spec);
  auto Device = planner::meshOf(On);
  if (!Type || !Device) {
    llvm::consumeError(Type.takeError());
    llvm::consumeError(Device.takeError());
    return "";
  }
  auto Sizes = planner::TensorSizes::of(*Type, *Device);
  if (!Sizes) {
    llvm::consumeError(Sizes.takeError());
    return "";
  }
  double Elements = 1;
  for (std::int64_t Size : Sizes->sample())
    Elements *= static_cast<double>(Size);
  for (const DimSpec &D : Type->Global->Dims)
    for (const std::string &Name : D.Axes)
      if (const MeshAxis *By = On.find(Name); By && By->Size)
        Elements /= By->Size;
  const double N = Axis->Size;
  const double Share = *Op == OperatorKind::AllReduce   ? 2 * (N - 1) / N
                       : *Op == OperatorKind::AllGather ? N - 1
                                                        : (N - 1) / N;
  return Sizes->bytes(Elements * Share, planner::elementSize(Element)) +
         " bytes";
}

std::string CollectInsight::detailOf(const Function &F, const Fact &X,
                                     const TransferFact &T) const {
  const SeenType *Given = at(F, X, Role::Taken, T.Src.Slot);
  std::string Out;
  if (T.From && T.To)
    Out = printAtom(*T.From) + " -> " + printAtom(*T.To);
  else if (const SeenType *Made = at(F, X, Role::Made, SlotId::None);
           Given && Made && Given->saysSomething() && Made->saysSomething())
    Out = Given->Text + " -> " + Made->Text;
  const std::string Bytes =
      Given ? bytesOf(F, T, Given->Spec, axesOf(F, T)) : "";
  std::string Moves;
  if (!Bytes.empty())
    Moves = "sends " + Bytes;
  else if (const auto Op = operatorOf(T.K))
    Moves = "moves " + std::string(fixits::bytesMoved(*Op)) + " of it";
  return Out + (Out.empty() || Moves.empty() ? "" : ", ") + Moves;
}

void CollectInsight::addCollectives(const Function &F, Insight &Out) const {
  for (const Fact &X : factsOf(F)) {
    const auto *T = std::get_if<TransferFact>(&X);
    if (!T || !communicates(T->K))
      continue;
    CollectiveSite Site;
    Site.Where = View.place(&F, T->At);
    Site.Function = F.DisplayName;
    const std::string Axes = axesOf(F, *T);
    Site.Name =
        std::string(transferName(T->K)) + (Axes.empty() ? "" : " on " + Axes);
    Site.Detail = detailOf(F, X, *T);
    if (Site.Where.Line)
      Out.Collectives.push_back(std::move(Site));
  }
}

} // namespace spmd::lint
