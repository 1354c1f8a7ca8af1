//===- LintFile.cpp - One file, parsed and analysed -----------------------===//

#include "LintFile.h"

#include "ParseErrors.h"

#include "spmd/lint/UserFiles.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/DiagnosticLex.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Serialization/PCHContainerOperations.h"
#include "llvm/Support/xxhash.h"

#include <chrono>

using namespace llvm;
using namespace spmd::lint;

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point Start) {
  return std::chrono::duration<double>(Clock::now() - Start).count();
}

std::uint64_t spmd::lint::hashContents(StringRef Text) {
  return xxh3_64bits(Text);
}

namespace {

/// Parses the bodies of the user's own functions only, then analyses.
class LintConsumer : public clang::ASTConsumer {
public:
  LintConsumer(clang::CompilerInstance &Compiler, const LintJob &Job,
               const LintRequest &Request, FileResult &Into)
      : Compiler(Compiler), Job(Job), Request(Request), Into(Into),
        Users(*Job.Cfg, Job.File),
        Own([this](StringRef Path) { return Users.contains(Path); }) {
    this->Request.IsUserHeader = [this](StringRef Path) {
      return Users.contains(Path);
    };
  }

  bool shouldSkipFunctionBody(clang::Decl *D) override {
    return !Own.contains(Compiler.getSourceManager(), D->getLocation());
  }

  void HandleTranslationUnit(clang::ASTContext &Context) override {
    const Clock::time_point Start = Clock::now();
    Into.Lint = lintTranslationUnit(
        Context,
        Compiler.hasPreprocessor() ? &Compiler.getPreprocessor() : nullptr,
        *Job.Cfg, Request);
    recordUserFiles();
    Into.Analysed = true;
    Into.AnalysisSeconds = secondsSince(Start);
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
  FileResult &Into;
  UserFiles Users;
  OwnFiles Own;
};

class LintAction : public clang::ASTFrontendAction {
public:
  LintAction(const LintJob &Job, const LintRequest &Request, FileResult &Into)
      : Job(Job), Request(Request), Into(Into) {}

  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &Compiler, StringRef) override {
    return std::make_unique<LintConsumer>(Compiler, Job, Request, Into);
  }

private:
  const LintJob &Job;
  const LintRequest &Request;
  FileResult &Into;
};

/// A view of the disk of this thread alone: it has a working directory.
IntrusiveRefCntPtr<vfs::FileSystem> fileSystem(StringRef Directory,
                                               const FileOverlay &Overlay) {
  IntrusiveRefCntPtr<vfs::FileSystem> Disk = vfs::createPhysicalFileSystem();
  // A folder that is gone leaves the absolute paths of the command usable.
  (void)Disk->setCurrentWorkingDirectory(Directory);
  if (Overlay.empty())
    return Disk;
  auto Both = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(Disk);
  auto Memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (const auto &[Path, Text] : Overlay)
    Memory->addFile(Path, 0, MemoryBuffer::getMemBuffer(Text, Path));
  Both->pushOverlay(Memory);
  return Both;
}

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

void recordFilesRead(clang::FileManager &Files, FileResult &Into) {
  SmallVector<clang::OptionalFileEntryRef> Read;
  Files.GetUniqueIDMapping(Read);
  for (const clang::OptionalFileEntryRef &File : Read) {
    if (!File)
      continue;
    // With its `..`: after a symbolic link they do not cancel out.
    SmallString<256> Path(File->getName());
    Files.makeAbsolutePath(Path);
    Into.FilesRead.push_back(Path.str().str());
  }
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
                                const LintRequest &Request) {
  FileResult Out;
  Out.Begun = std::chrono::system_clock::now();
  const Clock::time_point Start = Clock::now();
  IntrusiveRefCntPtr<vfs::FileSystem> FS =
      fileSystem(Job.Command.Directory, Overlay);
  if (std::string Reason = whyUnreadable(*FS, Job.File); !Reason.empty()) {
    Out.ParseErrors.push_back(fileError(Job.File, std::move(Reason)));
    return Out;
  }

  ParseErrorCollector Errors(Out, Job.File);
  clang::DiagnosticOptions DiagOptions;
  std::vector<const char *> Args;
  for (const std::string &A : Job.Command.Args)
    Args.push_back(A.c_str());
  clang::CreateInvocationOptions InvocationOptions;
  InvocationOptions.Diags = clang::CompilerInstance::createDiagnostics(
      *FS, DiagOptions, &Errors, /*ShouldOwnClient=*/false);
  InvocationOptions.VFS = FS;
  InvocationOptions.RecoverOnError = true;
  std::shared_ptr<clang::CompilerInvocation> Invocation =
      clang::createInvocation(Args, InvocationOptions);
  if (!Invocation) {
    if (Out.ParseErrors.empty())
      Out.ParseErrors.push_back(
          fileError(Job.File, "cannot make sense of the compile command"));
    return Out;
  }
  Invocation->getFrontendOpts().DisableFree = false;
  Invocation->getFrontendOpts().SkipFunctionBodies = true;
  Invocation->getDiagnosticOpts().IgnoreWarnings = true;
  Invocation->getDiagnosticOpts().ShowCarets = false; // no "1 error generated"
  Invocation->getDiagnosticOpts().ErrorLimit = 0;

  clang::CompilerInstance Compiler(
      std::move(Invocation), std::make_shared<clang::PCHContainerOperations>());
  Compiler.setVirtualFileSystem(FS);
  Compiler.createDiagnostics(&Errors, /*ShouldOwnClient=*/false);
  // A missing header must not keep templates from being instantiated.
  Compiler.getDiagnostics().setSeverity(clang::diag::err_pp_file_not_found,
                                        clang::diag::Severity::Error,
                                        clang::SourceLocation());
  LintAction Action(Job, Request, Out);
  Compiler.ExecuteAction(Action);
  recordFilesRead(Compiler.getFileManager(), Out);
  if (!Out.Analysed && Out.ParseErrors.empty())
    Out.ParseErrors.push_back(fileError(Job.File, "cannot be parsed"));
  Out.TotalSeconds = secondsSince(Start);
  return Out;
}
