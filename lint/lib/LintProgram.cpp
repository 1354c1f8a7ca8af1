//===- LintProgram.cpp - The analysis of several files as one program -----===//

#include "ProgramUnit.h"

#include "spmd/lint/Lint.h"

using namespace spmd;
using namespace spmd::lint;

namespace {

/// The text of linked functions, by what their files kept.
class LinkedText : public ProgramText {
public:
  LinkedText(const rules::Program &Linked,
             llvm::ArrayRef<std::shared_ptr<const ProgramUnit>> Units)
      : Linked(Linked), Units(Units) {
    for (const auto &U : Units)
      for (const auto &[F, Kept] : U->Texts)
        Texts[F] = &Kept;
  }

  std::optional<fixits::SourceText> text(const rules::Function *F,
                                         rules::PlaceId At) const override {
    const KeptPlace *P = find(F, At);
    return P ? P->Text : std::nullopt;
  }
  std::optional<fixits::SourceText>
  statement(const rules::Function *F, rules::PlaceId At) const override {
    const KeptPlace *P = find(F, At);
    return P ? P->Statement : std::nullopt;
  }
  bool isTensor(const rules::Function *F, rules::PlaceId At) const override {
    const KeptPlace *P = find(F, At);
    return P && P->IsTensor;
  }
  Place definition(const rules::Function *) const override { return {}; }
  bool isIncluded(const rules::Function *F) const override {
    const KeptFunction *Kept = kept(F);
    return Kept && Kept->IsIncluded;
  }
  DataKind dataAt(const rules::Function *F, rules::PlaceId At) const override {
    const KeptPlace *P = find(F, At);
    return P ? P->Data : DataKind::None;
  }
  bool isWholeBody(const rules::Function *F, rules::PlaceId At) const override {
    const KeptPlace *P = find(F, At);
    return P && P->IsWholeBody;
  }
  Place place(const rules::Function *F, rules::PlaceId At) const override {
    const KeptPlace *P = find(F, At);
    return P ? P->Where : Place();
  }
  bool saysAll(const rules::Function *F,
               const rules::TransferFact &T) const override {
    const KeptPlace *P = find(F, T.At);
    return P && P->SaysAll;
  }
  std::string axisSpelling(const rules::Function *F, llvm::StringRef Axis,
                           llvm::StringRef Like) const override {
    return axisHandle(handlesOf(F), Axis, Like);
  }
  std::string meshSpelling(const rules::Function *F) const override {
    return meshHandle(handlesOf(F));
  }
  std::optional<fixits::TextEdit>
  includeLibrary(llvm::StringRef File) const override {
    for (const auto &U : Units)
      if (auto It = U->Includes.find(File.str()); It != U->Includes.end())
        return It->second;
    return std::nullopt;
  }

private:
  const KeptFunction *kept(const rules::Function *F) const {
    // All of a function's places but copied ones are of one function.
    const auto It = Texts.find(Linked.original(F, rules::PlaceId::None).In);
    return It == Texts.end() ? nullptr : It->second;
  }
  llvm::ArrayRef<AxisHandle> handlesOf(const rules::Function *F) const {
    const KeptFunction *Kept = kept(F);
    return Kept ? llvm::ArrayRef(Kept->Handles) : llvm::ArrayRef<AxisHandle>();
  }
  const KeptPlace *find(const rules::Function *F, rules::PlaceId At) const {
    const rules::OriginalPlace Was = Linked.original(F, At);
    const auto It = Texts.find(Was.In);
    if (Was.At == rules::PlaceId::None || It == Texts.end() ||
        rules::index(Was.At) >= It->second->Places.size())
      return nullptr;
    return &It->second->Places[rules::index(Was.At)];
  }

  const rules::Program &Linked;
  llvm::ArrayRef<std::shared_ptr<const ProgramUnit>> Units;
  llvm::DenseMap<const rules::Function *, const KeptFunction *> Texts;
};

} // namespace

/// The files' places that differ between the ranks of the program's only axis,
/// wherever linking has put them.
static llvm::DenseMap<TypeAt, bool>
differing(const rules::InferenceResult &Inferred,
          const rules::Program &Linked) {
  llvm::DenseMap<TypeAt, bool> Out;
  if (Inferred.Axes.size() != 1)
    return Out;
  for (const auto &[At, Known] : Inferred.Known) {
    const rules::OriginalPlace Was =
        Linked.original(At.first, rules::PlaceId(At.second));
    const bool Differs = Known.Differs & 1;
    if (const auto [It, IsNew] =
            Out.try_emplace(TypeAt(Was.In, Was.At), Differs);
        !IsNew)
      It->second &= Differs;
  }
  return Out;
}

LintResult spmd::lint::lintProgram(
    llvm::ArrayRef<std::shared_ptr<const ProgramUnit>> Units, const Config &Cfg,
    const LintRequest &Req) {
  std::vector<rules::LinkUnit> Parts;
  for (const auto &U : Units)
    Parts.push_back({&U->M, &U->Symbols, U->File, &U->Classes});
  rules::Program Linked = rules::linkModules(std::move(Parts));
  const LinkedText Text(Linked, Units);
  LintResult Out;
  std::vector<const KeptEffects *> Effects;
  for (const auto &U : Units)
    if (U->Effects) {
      Effects.push_back(&*U->Effects);
      Out.Stats.Collectives += U->Effects->Collectives;
    }
  const rules::InferenceResult Inferred =
      analyse(Linked.M, Text, Cfg, Req, Out);
  if (Out.Stats.Collectives) {
    KeptEffects All = linkEffects(Effects);
    const auto Differs = differing(Inferred, Linked);
    settle(All, [&](TypeAt At) { return Differs.lookup(At); });
    checkCollectives(All, Cfg, Out);
    sortAndDeduplicate(Out.Diagnostics);
  }
  if (!Inferred.Axes.empty())
    Out.Stats.Collectives = 0; // coverage says more
  return Out;
}
