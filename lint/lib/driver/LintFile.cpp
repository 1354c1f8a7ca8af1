//===- LintFile.cpp - One file, parsed and analysed -----------------------===//

#include "LintFile.h"

#include "LibraryPrefix.h"
#include "ParseErrors.h"
#include "ParseSetup.h"

#include "spmd/lint/Lint.h"
#include "spmd/lint/Stopwatch.h"
#include "spmd/lint/UserFiles.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace spmd::lint;

std::uint64_t spmd::lint::hashContents(StringRef Text) {
  return xxh3_64bits(Text);
}

namespace {

/// Parses the bodies of the user's own functions only, then analyses.
class LintConsumer : public clang::ASTConsumer {
public:
  LintConsumer(clang::CompilerInstance &Compiler, const LintJob &Job,
               const LintRequest &Request, const LibraryPrefix *Prefix,
               FileResult &Into)
      : Compiler(Compiler), Job(Job), Request(Request), Prefix(Prefix),
        Into(Into), Users(*Job.Cfg, Job.File),
        Own([this](StringRef Path) { return Users.contains(Path); }) {
    this->Request.IsUserHeader = [this](StringRef Path) {
      return Users.contains(Path);
    };
    if (Prefix)
      this->Request.Precompiled = Prefix->FilesRead;
  }

  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    if (Prefix)
      llvm::append_range(Parsed, Group);
    return true;
  }

  bool shouldSkipFunctionBody(clang::Decl *D) override {
    return !Own.contains(Compiler.getSourceManager(), D->getLocation());
  }

  void HandleTranslationUnit(clang::ASTContext &Context) override {
    const Stopwatch Run;
    // What the prefix declares is not loaded but where it is used.
    if (Prefix)
      Context.setTraversalScope(Parsed);
    Into.Lint = lintTranslationUnit(Context, *Job.Cfg, Request);
    recordUserFiles();
    Into.Analysed = true;
    Into.AnalysisSeconds = Run.seconds();
  }

private:
  void recordUserFiles() {
    const clang::SourceManager &SM = Compiler.getSourceManager();
    for (unsigned I = 0, E = SM.local_sloc_entry_size(); I != E; ++I) {
      const clang::SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
      if (!Entry.isFile())
        continue;
      const clang::FileID File =
          SM.getFileID(clang::SourceLocation::getFromRawEncoding(
              static_cast<clang::SourceLocation::UIntTy>(Entry.getOffset())));
      clang::OptionalFileEntryRef Ref = SM.getFileEntryRefForID(File);
      if (!Ref || !Own.contains(SM, File))
        continue;
      std::optional<StringRef> Text = SM.getBufferDataOrNone(File);
      const std::string Path =
          absolutePath(SM.getFileManager(), Ref->getName());
      auto [It, New] = Into.UserFiles.try_emplace(Path);
      if (New && Text)
        It->second = {hashContents(*Text), scanSuppressions(Path, *Text)};
    }
  }

  clang::CompilerInstance &Compiler;
  const LintJob &Job;
  LintRequest Request;
  const LibraryPrefix *Prefix; ///< null without
  FileResult &Into;
  UserFiles Users;
  OwnFiles Own;
  std::vector<clang::Decl *> Parsed; ///< behind the prefix
};

class LintAction : public clang::ASTFrontendAction {
public:
  LintAction(const LintJob &Job, const LintRequest &Request,
             const LibraryPrefix *Prefix, FileResult &Into)
      : Job(Job), Request(Request), Prefix(Prefix), Into(Into) {}

  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &Compiler, StringRef) override {
    return std::make_unique<LintConsumer>(Compiler, Job, Request, Prefix, Into);
  }

private:
  const LintJob &Job;
  const LintRequest &Request;
  const LibraryPrefix *Prefix;
  FileResult &Into;
};

/// Empty when Clang can be given the file. Clang 22 crashes on a main file
/// whose encoding it refuses.
std::string whyUnreadable(vfs::FileSystem &FS, StringRef File) {
  auto Buffer = FS.getBufferForFile(File);
  if (!Buffer)
    return "cannot read: " + Buffer.getError().message();
  if (const char *Encoding =
          clang::SrcMgr::ContentCache::getInvalidBOM((*Buffer)->getBuffer()))
    return std::string("expected UTF-8, found ") + Encoding;
  return {};
}

/// Lets \p Compiler begin behind what \p With stands for.
void usePrefix(const PrefixCache::Use &With,
               clang::CompilerInstance &Compiler) {
  clang::PreprocessorOptions &Options = Compiler.getPreprocessorOpts();
  Options.ImplicitPCHInclude = With.Prefix->Path;
  Options.PrecompiledPreambleBytes = {With.Bytes, true};
  Options.DisablePCHOrModuleValidation =
      clang::DisableValidationForModuleKind::PCH;
  Options.Includes.clear();
}

/// The header that a prefix was made of, which was never on any disk.
std::string sourcePath(const LibraryPrefix &Prefix) {
  StringRef Path = Prefix.Path;
  Path.consume_back(".pch");
  return (Path + ".h").str();
}

Diagnostic fileError(StringRef File, std::string Message) {
  Diagnostic D;
  D.Check = "clang-diagnostic-error";
  D.Level = Severity::Error;
  D.Where.File = File.str();
  D.Message = std::move(Message);
  return D;
}

} // namespace

FileResult spmd::lint::lintFile(const LintJob &Job, const FileOverlay &Overlay,
                                const LintRequest &Request,
                                PrefixCache *Prefixes) {
  FileResult Out;
  Out.Begun = std::chrono::system_clock::now();
  const Stopwatch Run;
  IntrusiveRefCntPtr<vfs::FileSystem> FS =
      fileSystem(Job.Command.Directory, Overlay);
  if (std::string Reason = whyUnreadable(*FS, Job.File); !Reason.empty()) {
    Out.ParseErrors.push_back(fileError(Job.File, std::move(Reason)));
    return Out;
  }
  const PrefixCache::Use With =
      Prefixes ? Prefixes->find(Job, Overlay) : PrefixCache::Use();
  if (With.Prefix) {
    auto Memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
    Memory->addFileNoOwn(With.Prefix->Path, 0,
                         With.Prefix->AST->getMemBufferRef());
    Memory->addFile(sourcePath(*With.Prefix), 0,
                    MemoryBuffer::getMemBufferCopy(With.Source));
    auto Both = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(FS);
    Both->pushOverlay(Memory);
    FS = Both;
  }

  ParseErrorCollector Errors(Out, Job.File);
  const std::unique_ptr<clang::CompilerInstance> Compiler =
      compilerFor(Job.Command.Args, FS, Errors);
  if (!Compiler) {
    if (Out.ParseErrors.empty())
      Out.ParseErrors.push_back(
          fileError(Job.File, "cannot make sense of the compile command"));
    return Out;
  }
  if (With.Prefix)
    usePrefix(With, *Compiler);
  LintAction Action(Job, Request, With.Prefix.get(), Out);
  Compiler->ExecuteAction(Action);
  // A prefix that Clang refuses is not the file's mistake.
  if (!Out.Analysed && With.Prefix)
    return lintFile(Job, Overlay, Request, nullptr);
  Out.FilesRead = filesRead(Compiler->getFileManager());
  if (With.Prefix) {
    llvm::erase(Out.FilesRead, With.Prefix->Path);
    llvm::erase(Out.FilesRead, sourcePath(*With.Prefix));
    llvm::append_range(Out.FilesRead, With.Prefix->FilesRead);
  }
  if (!Out.Analysed && Out.ParseErrors.empty())
    Out.ParseErrors.push_back(fileError(Job.File, "cannot be parsed"));
  Out.TotalSeconds = Run.seconds();
  return Out;
}
