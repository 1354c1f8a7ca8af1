//===- CheckCollectives.cpp - Whether all ranks make the same calls -------===//

#include "CheckCollectives.h"
#include "EffectLowering.h"

#include "spmd/collectives/Link.h"
#include "spmd/lint/CollectiveText.h"
#include "spmd/lint/OptionValues.h"
#include "spmd/lint/Stopwatch.h"

#include "clang/Lex/Lexer.h"

#include <set>

using namespace clang;

namespace spmd::lint {

/// The place of the token at \p Loc, or of the macro's use that wrote it.
static Place placeOf(SourceLocation Loc, const ASTContext &Ctx) {
  Place Out;
  if (Loc.isInvalid())
    return Out;
  const SourceManager &SM = Ctx.getSourceManager();
  Loc = SM.getExpansionLoc(Loc);
  const OptionalFileEntryRef Ref = SM.getFileEntryRefForID(SM.getFileID(Loc));
  if (!Ref)
    return Out;
  Out.File = absolutePath(SM.getFileManager(), Ref->getName());
  Out.Offset = SM.getFileOffset(Loc);
  Out.Length = Lexer::MeasureTokenLength(Loc, SM, Ctx.getLangOpts());
  Out.Line = SM.getExpansionLineNumber(Loc);
  Out.Column = SM.getExpansionColumnNumber(Loc);
  return Out;
}

/// What comes too early, or never, on one rank.
static bool isOfOneRank(const collectives::Finding &F) {
  return F.Kind == collectives::FindingKind::Hazard ||
         F.Kind == collectives::FindingKind::Leak;
}

/// Where the operation is begun, and which way leads past its end.
static void noteHazard(const collectives::Finding &F,
                       llvm::ArrayRef<Place> Places, Diagnostic &D) {
  if (F.OtherAt.Id != F.At.Id)
    D.Notes.push_back({Places[F.OtherAt.Id],
                       "the '" + F.Other + "' begins here" +
                           (F.Missing.empty() ? "" : ", and " + F.Missing)});
  if (F.Branch.Id)
    D.Notes.push_back({Places[F.Branch.Id], "on one of the ways from here"});
}

/// --strict: where not all is looked at.
static Diagnostic sayGivenUp(const collectives::GiveUp &G,
                             const collectives::Function &Root,
                             llvm::ArrayRef<Place> Places) {
  const CollectiveText *Text =
      collectiveText(G.OfAsynchrony ? collectives::FindingKind::Hazard
                                    : collectives::FindingKind::Divergent);
  Diagnostic D;
  D.Check = Text->Check.str();
  D.Level = Severity::Warning;
  D.Where = Places[(G.At.Id ? G.At : Root.At).Id];
  D.Message = (G.OfAsynchrony ? "not all that touches buffers too early is "
                                "found in '"
                              : "not all calls that cannot match are found in "
                                "'") +
              Root.Name + "', as " + collectives::describe(G);
  return D;
}

/// What nobody could follow in \p Root, the function that was run.
static void noteGivenUp(const collectives::Function &Root, const Place &Where,
                        Coverage &Covered) {
  auto Of = llvm::find_if(Covered.Functions, [&](const FunctionCoverage &F) {
    return F.Function == Root.Name && F.Where.File == Where.File;
  });
  if (Of == Covered.Functions.end()) {
    FunctionCoverage New;
    New.Function = Root.Name;
    New.Where = Where;
    Covered.Functions.push_back(std::move(New));
    Of = std::prev(Covered.Functions.end());
  }
  ++Of->GivenUp;
}

static void addGivenUp(llvm::ArrayRef<collectives::GiveUp> All, bool Strict,
                       llvm::ArrayRef<Place> Places,
                       const collectives::EffectProgram &P,
                       LintResult &Result) {
  std::set<unsigned> Roots; ///< some are run twice
  for (const collectives::GiveUp &G : All) {
    const collectives::Function &Root = P.Functions[G.Root];
    Roots.insert(Root.At.Id);
    noteGivenUp(Root, Places[Root.At.Id], Result.Covered);
    if (Strict)
      Result.Diagnostics.push_back(sayGivenUp(G, Root, Places));
  }
  Result.Stats.NotFollowed = Roots.size();
}

static Diagnostic rendered(const collectives::Finding &F,
                           const CollectiveText &Text,
                           llvm::ArrayRef<Place> Places) {
  Diagnostic D;
  D.Check = Text.Check.str();
  D.Level = findCheck(Text.Check)->Default;
  D.Where = Places[F.At.Id];
  D.Message = Text.Message(F);
  D.Witness = F.Witness;
  if (isOfOneRank(F)) {
    noteHazard(F, Places, D);
    return D;
  }
  if (F.OtherAt.Id && F.OtherAt.Id != F.At.Id)
    D.Notes.push_back(
        {Places[F.OtherAt.Id], F.Kind == collectives::FindingKind::Argument
                                   ? "this '" + F.Other + "' takes more"
                                   : "other ranks are in this " + F.Other});
  if (F.Branch.Id)
    D.Notes.push_back({Places[F.Branch.Id], "the ways of the ranks part here"});
  return D;
}

KeptEffects lowerEffects(ASTContext &Ctx, const Config &Cfg,
                         const FileMatches &File, OwnFiles &Own,
                         llvm::ArrayRef<std::string> Axes,
                         const TypedNodes &Typed, bool ForProgram) {
  effects::DeclaredVarying Declared(
      Ctx, Axes.size() == 1 ? Axes.front() : std::string(), Typed);
  effects::EffectLowering Lowering(Ctx, *Cfg.Apis, Own, Declared, ForProgram);
  Lowering.run(File);
  KeptEffects Out;
  Out.P = Lowering.take();
  Out.Mistyped = Lowering.mistyped();
  Out.Typed = Declared.takeTyped();
  Out.P.Differs.resize(Out.Typed.size());
  for (unsigned I = 0; I != Lowering.numPlaces(); ++I)
    Out.Places.push_back(placeOf(Lowering.place({I, 0}), Ctx));
  // Each once, however many instances of a template have it.
  llvm::DenseSet<unsigned> Places;
  for (const collectives::Function &F : Out.P.Functions)
    for (const collectives::Stmt *S : collectives::collectivesOf(F))
      Places.insert(S->At.Id);
  Out.Collectives = Places.size();
  return Out;
}

void settle(KeptEffects &Of, llvm::function_ref<bool(TypeAt)> Differs) {
  for (std::size_t I = 0; I != Of.Typed.size(); ++I)
    Of.P.Differs[I] = llvm::all_of(Of.Typed[I], Differs);
}

void checkCollectives(const KeptEffects &Of, const Config &Cfg,
                      LintResult &Result) {
  const Stopwatch Run;
  collectives::Statistics Stats;
  std::vector<collectives::Finding> Found = collectives::findMismatches(
      Of.P, {}, Stats, Cfg.number("spmd-divergent-collective.MinRanks"));
  llvm::append_range(Found, Of.Mistyped);
  llvm::append_range(Found, collectives::findHazards(Of.P, Stats));
  Result.Stats.CollectivesSeconds = Run.seconds();
  const std::vector<std::string> Ignored =
      optionNames(Cfg.option("spmd-varying-metadata.IgnoredArguments"));
  llvm::erase_if(Found, [&](const collectives::Finding &F) {
    return F.Kind == collectives::FindingKind::Metadata &&
           llvm::is_contained(Ignored, F.Differs);
  });
  addGivenUp(Stats.GivenUp, Cfg.Strict.Value, Of.Places, Of.P, Result);
  for (const collectives::Finding &F : Found)
    if (const CollectiveText *Text = collectiveText(F.Kind))
      Result.Diagnostics.push_back(rendered(F, *Text, Of.Places));
}

KeptEffects linkEffects(llvm::ArrayRef<const KeptEffects *> Files) {
  KeptEffects Out;
  Out.Places.emplace_back();
  std::vector<const collectives::EffectProgram *> Programs;
  std::vector<unsigned> FirstSite;
  for (const KeptEffects *F : Files) {
    // Their first place is nowhere.
    const unsigned First = Out.Places.size() - 1;
    Programs.push_back(&F->P);
    FirstSite.push_back(First);
    llvm::append_range(Out.Typed, F->Typed);
    Out.Places.insert(Out.Places.end(), F->Places.begin() + 1, F->Places.end());
    for (collectives::Finding M : F->Mistyped) {
      M.At.Id += First;
      if (M.OtherAt.Id)
        M.OtherAt.Id += First;
      Out.Mistyped.push_back(std::move(M));
    }
  }
  Out.P = collectives::link(Programs, FirstSite);
  return Out;
}

} // namespace spmd::lint
