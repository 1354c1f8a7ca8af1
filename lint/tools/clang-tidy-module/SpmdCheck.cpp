//===- SpmdCheck.cpp - Findings as clang-tidy diagnostics -----------------===//

#include "SpmdCheck.h"

#include "spmd/lint/ConfigFile.h"

using namespace clang;
using namespace clang::ast_matchers;

namespace spmd::lint {

namespace {

/// What the checks of one translation unit share. They run one after another on
/// one thread, so the thread is the scope; the last one to end clears it.
struct SharedResult {
  const ASTContext *Of = nullptr;
  std::vector<Diagnostic> Diagnostics;
  std::string ConfigError;
  std::string AsErrors; ///< the check whose findings are errors just now
};
thread_local SharedResult Shared;

std::string mainFilePath(const SourceManager &SM) {
  OptionalFileEntryRef Main = SM.getFileEntryRefForID(SM.getMainFileID());
  if (!Main)
    return {};
  llvm::SmallString<256> Path(Main->getName());
  SM.getFileManager().makeAbsolutePath(Path);
  return std::string(Path);
}

/// What clang-tidy's own configuration says about our checks.
ConfigOverrides overridesOf(const tidy::ClangTidyOptions &Options) {
  ConfigOverrides Out;
  for (const auto &Option : Options.CheckOptions)
    if (Option.getKey().starts_with("spmd-"))
      Out.CheckOptions[Option.getKey().str()] = Option.getValue().Value;
  return Out;
}

void analyse(ASTContext &Ctx, const tidy::ClangTidyOptions &Options) {
  Shared = SharedResult();
  Shared.Of = &Ctx;
  const SourceManager &SM = Ctx.getSourceManager();
  ConfigLoader Loader(&SM.getFileManager().getVirtualFileSystem(),
                      overridesOf(Options));
  auto Cfg = Loader.load(mainFilePath(SM));
  if (!Cfg) {
    const std::string Text = llvm::toString(Cfg.takeError());
    Shared.ConfigError = llvm::StringRef(Text).rtrim().str();
    return;
  }
  LintRequest Req;
  Req.Describe = OnAnalysis != nullptr;
  LintResult Result = lintTranslationUnit(Ctx, **Cfg, Req);
  // Comments are clang-tidy's to honour; the attribute is ours.
  SuppressionPolicy Policy;
  Policy.IsEnabled = [&](llvm::StringRef, llvm::StringRef Check) {
    return (*Cfg)->isEnabled(Check);
  };
  Policy.IsComplete = [&](llvm::StringRef) {
    return !Ctx.getDiagnostics().hasUncompilableErrorOccurred();
  };
  Policy.IsOn = [&](llvm::StringRef, llvm::StringRef Option) {
    return (*Cfg)->flag(Option);
  };
  applySuppressions(Result.Diagnostics, std::move(Result.Allows), {}, Policy);
  for (Diagnostic &D : Result.Diagnostics)
    D.Level = (*Cfg)->levelOf(D);
  if (OnAnalysis)
    OnAnalysis(Ctx, **Cfg, Result);
  for (Diagnostic &D : Result.Diagnostics) {
    if (D.Level != Severity::Off)
      Shared.Diagnostics.push_back(std::move(D));
  }
}

FileID fileOf(SourceManager &SM, llvm::StringRef Path) {
  if (auto Main = SM.getFileEntryRefForID(SM.getMainFileID()))
    if (mainFilePath(SM) == Path)
      return SM.getMainFileID();
  if (auto File = SM.getFileManager().getOptionalFileRef(Path))
    return SM.translateFile(*File);
  return {};
}

SourceLocation locate(SourceManager &SM, llvm::StringRef File,
                      unsigned Offset) {
  const FileID Id = fileOf(SM, File);
  if (Id.isInvalid())
    return {};
  return SM.getLocForStartOfFile(Id).getLocWithOffset(
      static_cast<SourceLocation::IntTy>(Offset));
}

void attach(DiagnosticBuilder &Out, const Fix &F, SourceManager &SM) {
  for (const Edit &E : F.Edits) {
    const SourceLocation Begin = locate(SM, E.File, E.Offset);
    if (Begin.isInvalid())
      continue;
    Out << FixItHint::CreateReplacement(
        CharSourceRange::getCharRange(
            Begin, Begin.getLocWithOffset(
                       static_cast<SourceLocation::IntTy>(E.Length))),
        E.Text);
  }
}

/// The finding's range, as far as it is on the finding's own line.
CharSourceRange rangeOf(const Diagnostic &D, SourceLocation At,
                        SourceManager &SM) {
  const llvm::StringRef Text =
      SM.getBufferData(SM.getFileID(At)).substr(D.Where.Offset, D.Where.Length);
  const std::size_t Length =
      Text.take_until([](char C) { return C == '\n' || C == '\r'; }).size();
  return CharSourceRange::getCharRange(
      At, At.getLocWithOffset(static_cast<SourceLocation::IntTy>(Length)));
}

bool isOnFinding(const Fix &F) {
  return F.Preferred && F.Safe && !EveryFixOnNote;
}

} // namespace

/// For --dump-config.
void SpmdCheck::storeOptions(tidy::ClangTidyOptions::OptionMap &Into) {
  if (const CheckInfo *Info = findCheck(getID()))
    for (const CheckOption &O : Info->Options)
      Options.store(Into, O.Name, Options.get(O.Name, O.Default));
}

void SpmdCheck::registerMatchers(MatchFinder *Finder) {
  Finder->addMatcher(translationUnitDecl(), this);
}

void SpmdCheck::check(const MatchFinder::MatchResult &Match) {
  ASTContext &Ctx = *Match.Context;
  if (Shared.Of != &Ctx)
    analyse(Ctx, Context->getOptions());
  SourceManager &SM = Ctx.getSourceManager();
  // A configuration that cannot be read is said once, by the check whose page
  // is about what users write.
  if (!Shared.ConfigError.empty() && getID() == "spmd-annotation") {
    treatAsErrors(true);
    diag(SM.getLocForStartOfFile(SM.getMainFileID()), "%0")
        << Shared.ConfigError;
  }
  for (const Diagnostic &D : Shared.Diagnostics)
    if (D.Check == getID())
      show(D, SM);
}

void SpmdCheck::show(const Diagnostic &D, SourceManager &SM) {
  const SourceLocation At = locate(SM, D.Where.File, D.Where.Offset);
  if (At.isInvalid())
    return;
  {
    treatAsErrors(D.Level == Severity::Error);
    DiagnosticBuilder Out =
        diag(At, "%0",
             D.Level == Severity::Note ? LeastLevel : DiagnosticIDs::Warning)
        << D.Message;
    if (D.Where.Length)
      Out << rangeOf(D, At, SM);
    for (const Fix &F : D.Fixes)
      if (isOnFinding(F))
        attach(Out, F, SM);
  }
  for (const Note &N : D.Notes)
    diag(locate(SM, N.Where.File, N.Where.Offset), "%0", DiagnosticIDs::Note)
        << N.Message;
  if (EveryFixOnNote && !D.Witness.empty())
    diag(At, "for example, %0", DiagnosticIDs::Note) << D.Witness;
  // Alternatives travel on notes: clangd offers each as an action of its own.
  for (const Fix &F : D.Fixes)
    if (!F.Edits.empty() && !isOnFinding(F)) {
      DiagnosticBuilder Out =
          diag(At, "%0", DiagnosticIDs::Note)
          << (F.Cost.empty() ? F.Description
                             : F.Description + " (" + F.Cost + ")");
      attach(Out, F, SM);
    }
}

/// clang-tidy asks for a module's options when it is told the current file.
void SpmdCheck::treatAsErrors(bool Wanted) {
  const llvm::StringRef Check = Wanted ? getID() : llvm::StringRef();
  if (Shared.AsErrors == Check)
    return;
  Shared.AsErrors = Check.str();
  Context->setCurrentFile(std::string(Context->getCurrentFile()));
}

llvm::StringRef checksThatAreErrors() { return Shared.AsErrors; }

void SpmdCheck::onEndOfTranslationUnit() { Shared = SharedResult(); }

} // namespace spmd::lint
