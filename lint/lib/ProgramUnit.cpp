//===- ProgramUnit.cpp - What outlives a file's AST -----------------------===//

#include "ProgramUnit.h"

#include "spmd/ir/Walk.h"

namespace spmd::lint {

std::shared_ptr<const ProgramUnit>
keepUnit(std::string File, LoweredModule &&Lowered, const SourceView &View,
         std::optional<KeptEffects> Effects) {
  auto Out = std::make_shared<ProgramUnit>();
  Out->File = std::move(File);
  Out->Effects = std::move(Effects);
  for (const auto &F : Lowered.M.Functions) {
    const auto Source = Lowered.Sources.find(F.get());
    if (Source == Lowered.Sources.end())
      continue;
    KeptFunction &Kept = Out->Texts[F.get()];
    Kept.Handles = Source->second.Handles;
    Kept.IsIncluded = View.isIncluded(F.get());
    Kept.Places.resize(Source->second.Places.size());
    for (std::uint32_t I = 1; I < Kept.Places.size(); ++I) {
      const auto At = rules::PlaceId(I);
      KeptPlace &P = Kept.Places[I];
      P.Text = View.text(F.get(), At);
      P.Where = View.place(F.get(), At);
      P.IsTensor = View.isTensor(F.get(), At);
      P.Data = View.dataAt(F.get(), At);
      if (P.Text && !Out->Includes.contains(P.Text->File))
        Out->Includes[P.Text->File] = View.includeLibrary(P.Text->File);
    }
    // Only these can be all that a statement, or a function, does.
    for (const rules::Block &B : F->Blocks)
      for (const rules::Fact &X : B.Facts) {
        const auto *T = std::get_if<rules::TransferFact>(&X);
        if (!T && !std::holds_alternative<rules::CallFact>(X))
          continue;
        const rules::PlaceId At = rules::placeOf(X);
        KeptPlace &P = Kept.Places[rules::index(At)];
        P.Statement = View.statement(F.get(), At);
        P.IsWholeBody = View.isWholeBody(F.get(), At);
        P.SaysAll = T && View.saysAll(F.get(), *T);
      }
  }
  Out->M = std::move(Lowered.M);
  Out->Symbols = std::move(Lowered.Symbols);
  Out->Classes = std::move(Lowered.Classes);
  return Out;
}

} // namespace spmd::lint
