//===- CheckCollectives.cpp - Whether all ranks make the same calls -------===//

#include "CheckCollectives.h"
#include "EffectLowering.h"

#include "spmd/lint/CollectiveText.h"
#include "spmd/lint/OptionValues.h"

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

/// Where the operation is begun, and which way leads past its end.
static void noteHazard(const collectives::Finding &F,
                       const effects::EffectLowering &Lowering,
                       const ASTContext &Ctx, Diagnostic &D) {
  if (F.OtherAt.Id != F.At.Id)
    D.Notes.push_back({placeOf(Lowering.place(F.OtherAt), Ctx),
                       "the '" + F.Other + "' begins here" +
                           (F.Missing.empty() ? "" : ", and " + F.Missing)});
  if (F.Branch.Id)
    D.Notes.push_back({placeOf(Lowering.place(F.Branch), Ctx),
                       "on one of the ways from here"});
}

/// --strict: where not all is looked at.
static Diagnostic sayGivenUp(const collectives::GiveUp &G,
                             const collectives::Function &Root,
                             const effects::EffectLowering &Lowering,
                             const ASTContext &Ctx) {
  const CollectiveText *Text =
      collectiveText(G.OfAsynchrony ? collectives::FindingKind::Hazard
                                    : collectives::FindingKind::Divergent);
  Diagnostic D;
  D.Check = Text->Check.str();
  D.Level = Severity::Warning;
  D.Where = placeOf(Lowering.place(G.At.Id ? G.At : Root.At), Ctx);
  D.Message = (G.OfAsynchrony ? "not all that touches buffers too early is "
                                "found in '"
                              : "not all calls that cannot match are found in "
                                "'") +
              Root.Name + "', as " + collectives::describe(G);
  return D;
}

static void addGivenUp(llvm::ArrayRef<collectives::GiveUp> All, bool Strict,
                       const effects::EffectLowering &Lowering,
                       const collectives::EffectProgram &P,
                       const ASTContext &Ctx, LintResult &Result) {
  std::set<unsigned> Roots; ///< some are run twice
  for (const collectives::GiveUp &G : All) {
    const collectives::Function &Root = P.Functions[G.Root];
    Roots.insert(Root.At.Id);
    if (Strict)
      Result.Diagnostics.push_back(sayGivenUp(G, Root, Lowering, Ctx));
  }
  Result.Stats.NotFollowed = Roots.size();
}

/// Each once, however many instances of a template have it.
static void addCollectives(const collectives::Stmt &S,
                           llvm::DenseSet<unsigned> &Places) {
  if (S.Kind == collectives::StmtKind::Event && S.What.Call &&
      S.What.Call->Kind < rules::CallKind::Send)
    Places.insert(S.At.Id);
  for (const collectives::Stmt *Part : S.Body)
    if (Part)
      addCollectives(*Part, Places);
}

void checkCollectives(ASTContext &Ctx, const Config &Cfg,
                      const FileMatches &File, OwnFiles &Own,
                      llvm::ArrayRef<std::string> Axes,
                      const llvm::DenseSet<const clang::Stmt *> &Differing,
                      LintResult &Result) {
  effects::DeclaredVarying Declared(
      Ctx, Axes.size() == 1 ? Axes.front() : std::string(), Differing);
  effects::EffectLowering Lowering(Ctx, *Cfg.Apis, Own, Declared);
  const collectives::EffectProgram &P = Lowering.run(File);
  llvm::DenseSet<unsigned> Places;
  for (const collectives::Function &F : P.Functions)
    if (F.Body)
      addCollectives(*F.Body, Places);
  Result.Stats.Collectives = Places.size();
  collectives::Statistics Stats;
  std::vector<collectives::Finding> Found = collectives::findMismatches(
      P, {}, Stats, Cfg.number("spmd-divergent-collective.MinRanks"));
  llvm::append_range(Found, Lowering.mistyped());
  llvm::append_range(Found, collectives::findHazards(P, Stats));
  const std::vector<std::string> Ignored =
      optionNames(Cfg.option("spmd-varying-metadata.IgnoredArguments"));
  llvm::erase_if(Found, [&](const collectives::Finding &F) {
    return F.Kind == collectives::FindingKind::Metadata &&
           llvm::is_contained(Ignored, F.Differs);
  });
  addGivenUp(Stats.GivenUp, Cfg.Strict.Value, Lowering, P, Ctx, Result);
  for (const collectives::Finding &F : Found) {
    const CollectiveText *Text = collectiveText(F.Kind);
    if (!Text)
      continue;
    Diagnostic D;
    D.Check = Text->Check.str();
    D.Level = findCheck(Text->Check)->Default;
    D.Where = placeOf(Lowering.place(F.At), Ctx);
    D.Message = Text->Message(F);
    D.Witness = F.Witness;
    if (F.Kind == collectives::FindingKind::Hazard)
      noteHazard(F, Lowering, Ctx, D);
    else if (F.OtherAt.Id && F.OtherAt.Id != F.At.Id)
      D.Notes.push_back({placeOf(Lowering.place(F.OtherAt), Ctx),
                         "other ranks are in this " + F.Other});
    if (F.Branch.Id && F.Kind != collectives::FindingKind::Hazard)
      D.Notes.push_back({placeOf(Lowering.place(F.Branch), Ctx),
                         "the ways of the ranks part here"});
    Result.Diagnostics.push_back(std::move(D));
  }
}

} // namespace spmd::lint
