//===- RenderEditsTest.cpp - Repairs in, changed text out -----------------===//

#include "spmd/fixits/Edits.h"
#include "spmd/fixits/RepairTrials.h"
#include "spmd/ir/IRText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace spmd::rules;
using namespace spmd::fixits;

namespace {

/// One line of text; a place is the column of a name or a call.
class OneLine : public SourceEnvironment {
public:
  OneLine(llvm::StringRef Text, bool Short) : Text(Text), Short(Short) {}

  std::optional<SourceText> text(const Function *F, PlaceId At) const override {
    const unsigned Column = F->Places[index(At)].Column;
    if (Column == 0)
      return std::nullopt;
    std::size_t End = Column - 1;
    int Depth = 0;
    while (End != Text.size() && (Depth || llvm::isAlnum(Text[End]) ||
                                  llvm::StringRef("_:(").contains(Text[End]))) {
      Depth += Text[End] == '(' ? 1 : Text[End] == ')' ? -1 : 0;
      ++End;
    }
    return SourceText{
        "f.cpp", Column - 1, static_cast<unsigned>(End) - Column + 1,
        1,       Column,     Text.slice(Column - 1, End).str()};
  }
  std::string axisSpelling(const Function *, llvm::StringRef,
                           llvm::StringRef) const override {
    return "axis";
  }
  std::string meshSpelling(const Function *) const override { return "mesh"; }
  bool isTensor(const Function *, PlaceId) const override { return true; }
  std::optional<SourceText> statement(const Function *,
                                      PlaceId) const override {
    return std::nullopt;
  }
  bool isWholeBody(const Function *, PlaceId) const override { return true; }
  std::optional<TextEdit> includeLibrary(llvm::StringRef) const override {
    return std::nullopt;
  }
  std::string qualifier() const override { return Short ? "" : "spmd::"; }

private:
  llvm::StringRef Text;
  bool Short;
};

/// A place that is written twice is one place, as it is to the front end.
void unifyPlaces(Function &F) {
  const auto First = [&](PlaceId At) {
    for (std::uint32_t I = 0; I != index(At); ++I)
      if (F.Places[I].Line == F.Places[index(At)].Line &&
          F.Places[I].Column == F.Places[index(At)].Column)
        return PlaceId(I);
    return At;
  };
  for (Block &B : F.Blocks)
    for (Fact &X : B.Facts)
      if (auto *T = std::get_if<TransferFact>(&X))
        T->At = First(T->At), T->Src.At = First(T->Src.At);
}

/// \p Text after the preferred repair of the one finding in \p IR, and what the
/// repair says.
std::pair<std::string, std::string>
repaired(std::string Text, llvm::StringRef IR, bool Short = false) {
  llvm::Expected<Module> M = parseModule(IR, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError()), ""};
  unifyPlaces(*M->Functions.front());
  InferenceOptions Options;
  Options.FindRedundant = true;
  const InferenceResult Result = inferModule(*M, Options);
  if (Result.Violations.size() != 1)
    return {std::to_string(Result.Violations.size()) + " findings", ""};
  const Violation &V = Result.Violations.front();
  const std::vector<Repair> Plan =
      RepairTrials(*M, Options, Result.Violations).plan(V);
  if (Plan.empty())
    return {"no repair", ""};
  const std::string Before = Text;
  const OneLine Source(Before, Short);
  std::vector<TextEdit> Edits = renderEdits(Plan.front(), V, Source);
  if (Edits.empty())
    return {"no edits", ""};
  llvm::sort(Edits, [](const TextEdit &A, const TextEdit &B) {
    return A.Offset > B.Offset;
  });
  for (const TextEdit &E : Edits)
    Text.replace(E.Offset, E.Length, E.Text);
  return {Text, describe(Plan.front(), V, Source)};
}

using Result = std::pair<std::string, std::string>;

TEST(RenderEdits, StatementsKeepTheirNames) {
  EXPECT_EQ(repaired("w = gather(x, tp); use(cast(w, tp));", R"ir(
func @f(%x: "tp: S(0)", %v: "tp: V", %tp axis "tp") {
  slot %w local
b0:
  %4 = all_gather %x !1:12 on %tp !1:15 from S(0) to I @1:5
  %w = bind %4
  %5 = reinterpret %w !1:29 on %tp !1:32 from I to R @1:24
  %6 = op mul(%5, %v)
  ->
})ir"),
            (Result{"w = spmd::all_gather(x, tp, spmd::S(0), spmd::R); use(w);",
                    "use all_gather from S(0) to R on 'tp' in place of both"}));
}

TEST(RenderEdits, NestedCallsBecomeOne) {
  constexpr const char *Nested = R"ir(
func @f(%x: "tp: P", %tp axis "tp") {
b0:
  %2 = all_reduce %x !1:13 on %tp !1:16 from P to R @1:5
  %3 = convert %2 !1:5 on %tp !1:21 from R to S(1) @1:1
  return %3
  ->
})ir";
  EXPECT_EQ(repaired("cut(all_red(x, tp), tp);", Nested).first,
            "spmd::reduce_scatter(x, tp, spmd::P, spmd::S(1));");
  EXPECT_EQ(repaired("cut(all_red(x, tp), tp);", Nested, true).first,
            "reduce_scatter(x, tp, P, S(1));");
}

TEST(RenderEdits, NothingIsLeftOfWhatGivesBackItsOperand) {
  EXPECT_EQ(repaired("all(cut(x, tp), tp);", R"ir(
func @f(%x: "tp: R" !1:9, %tp axis "tp") {
b0:
  %2 = convert %x !1:9 on %tp !1:12 from R to S(0) @1:5
  %3 = all_gather %2 !1:5 on %tp !1:17 from S(0) to R @1:1
  return %3
  ->
})ir"),
            (Result{"x;", "remove both: 'x' is R on 'tp'"}));
}

TEST(RenderEdits, EveryReaderIsChanged) {
  EXPECT_EQ(repaired("w = gather(x, tp); cast(w, tp) * cast(w, tp);", R"ir(
func @f(%x: "tp: S(0)", %tp axis "tp") {
  slot %w local
b0:
  %3 = all_gather %x !1:12 on %tp !1:15 from S(0) to I @1:5
  %w = bind %3
  %4 = reinterpret %w !1:25 on %tp !1:28 from I to R @1:20
  %5 = reinterpret %w !1:39 on %tp !1:42 from I to R @1:34
  %6 = op mul(%4, %5)
  ->
})ir"),
            (Result{"w = spmd::all_gather(x, tp, spmd::S(0), spmd::R); w * w;",
                    "use all_gather from S(0) to R on 'tp' in place of all "
                    "3"}));
}

TEST(RenderEdits, WhatHasNoTextOfItsOwnStays) {
  EXPECT_EQ(repaired("", R"ir(
func @f(%x: "tp: R", %tp axis "tp") {
b0:
  %2 = convert %x on %tp from R to S(0)
  %3 = all_gather %2 on %tp from S(0) to R
  return %3
  ->
})ir")
                .first,
            "no edits");
}

} // namespace
