//===- main.cpp - spmd-query: what an AST matcher matches -----------------===//
//
// spmd-query '<matcher>' <file>... [-p <dir>] [-- <compiler flags>]
//
//===----------------------------------------------------------------------===//

#include "spmd/lint/CompileCommands.h"
#include "spmd/lint/ConfigFile.h"
#include "spmd/lint/MatcherText.h"
#include "spmd/lint/UserFiles.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace clang;
using namespace clang::ast_matchers;
using namespace spmd::lint;

namespace {

constexpr llvm::StringLiteral Usage =
    "usage: spmd-query '<matcher>' <file>... [-p <dir>] [-- <compiler flags>]\n"
    "prints what the matcher, one of Clang's or of docs/matchers.md, matches "
    "in the user's own code\n";

/// As in spmd-tidy.
enum ExitCode { Found = 0, BadUsage = 2, Unparsed = 3 };

struct Request {
  std::string Matcher;
  std::vector<std::string> Files;
  CompileCommandOptions Commands;
};

std::optional<Request> read(llvm::ArrayRef<const char *> Words) {
  Request Out;
  std::vector<std::string> Given;
  for (std::size_t I = 0; I != Words.size(); ++I) {
    const llvm::StringRef Word(Words[I]);
    if (Word == "--") {
      Out.Commands.FixedFlags.emplace(Words.begin() + I + 1, Words.end());
      break;
    }
    if (Word == "-p" && I + 1 != Words.size())
      Out.Commands.BuildPath = Words[++I];
    else if (Word.starts_with("-"))
      return std::nullopt;
    else
      Given.push_back(Word.str());
  }
  if (Given.size() < 2)
    return std::nullopt;
  Out.Matcher = Given.front();
  Out.Files.assign(Given.begin() + 1, Given.end());
  return Out;
}

/// `a.cpp:3:5: call: MPI_Barrier(comm)`, once for each place and name.
class Printer : public MatchFinder::MatchCallback {
public:
  Printer() {
    if (!llvm::sys::fs::current_path(Here))
      Here += '/';
  }

  void run(const MatchFinder::MatchResult &Result) override {
    const SourceManager &SM = *Result.SourceManager;
    for (const auto &[Name, Node] : Result.Nodes.getMap()) {
      const SourceRange Range = Node.getSourceRange();
      const PresumedLoc At =
          SM.getPresumedLoc(SM.getExpansionLoc(Range.getBegin()));
      if (At.isInvalid())
        continue;
      const llvm::StringRef Text = Lexer::getSourceText(
          SM.getExpansionRange(Range), SM, Result.Context->getLangOpts());
      std::string Line;
      llvm::raw_string_ostream OS(Line);
      llvm::StringRef File = At.getFilename();
      File.consume_front(Here);
      OS << File << ':' << At.getLine() << ':' << At.getColumn() << ": " << Name
         << ": " << Text.split('\n').first << '\n';
      // Of a template's code each instantiation matches.
      if (Printed.insert(Line).second)
        llvm::outs() << Line;
    }
  }

private:
  llvm::SmallString<128> Here; ///< paths are told from here
  std::set<std::string> Printed;
};

/// Matches in the user's own code; headers cost their parse.
class Query : public ASTFrontendAction {
public:
  Query(std::function<bool(llvm::StringRef)> IsUserHeader, MatchFinder &Finder)
      : IsUserHeader(std::move(IsUserHeader)), Finder(Finder) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &,
                                                 llvm::StringRef) override {
    class Consumer : public ASTConsumer {
    public:
      explicit Consumer(Query &Q) : Q(Q) {}
      void HandleTranslationUnit(ASTContext &Ctx) override {
        OwnFiles Own(Q.IsUserHeader);
        std::vector<Decl *> Scope;
        forEachOwnDecl(Ctx, Own, [&](Decl *D) { Scope.push_back(D); });
        Ctx.setTraversalScope(Scope);
        Q.Finder.matchAST(Ctx);
      }

    private:
      Query &Q;
    };
    return std::make_unique<Consumer>(*this);
  }

private:
  std::function<bool(llvm::StringRef)> IsUserHeader;
  MatchFinder &Finder;
};

bool matchFile(const std::string &File, const Config &Cfg,
               CompileCommand Command, MatchFinder &Finder) {
  const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS =
      llvm::vfs::createPhysicalFileSystem();
  // A folder that is gone leaves the absolute paths of the command usable.
  (void)FS->setCurrentWorkingDirectory(Command.Directory);
  const auto Files =
      llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions(), FS);
  const UserFiles Users(Cfg, File);
  return tooling::ToolInvocation(
             std::move(Command.Args),
             std::make_unique<Query>(
                 [&](llvm::StringRef Path) { return Users.contains(Path); },
                 Finder),
             Files.get())
      .run();
}

int fail(llvm::StringRef Why, ExitCode Code) {
  llvm::errs() << "spmd-query: " << Why << '\n';
  return Code;
}

int query(Request R, llvm::StringRef Program) {
  ConfigLoader Loader(llvm::vfs::getRealFileSystem(), {});
  CompileCommands Commands(R.Commands, ToolchainPaths::find(Program));
  if (llvm::Error E = Commands.loadBuildPath())
    return fail(llvm::toString(std::move(E)), BadUsage);
  int Code = Found;
  for (const std::string &Name : R.Files) {
    llvm::SmallString<128> File(Name);
    llvm::sys::fs::make_absolute(File);
    auto Cfg = Loader.load(File);
    if (!Cfg)
      return fail(llvm::toString(Cfg.takeError()), BadUsage);
    // Each file may have calls of its own.
    auto Matcher = parseMatcher(R.Matcher, *(*Cfg)->Apis);
    if (!Matcher)
      return fail(llvm::toString(Matcher.takeError()), BadUsage);
    Printer Print;
    MatchFinder Finder;
    Matcher->setAllowBind(true);
    if (!Finder.addDynamicMatcher(*Matcher->tryBind("root"), &Print))
      return fail("a node must be matched: 'decl(…)', 'callExpr(…)'", BadUsage);
    if (!matchFile(File.str().str(), **Cfg, Commands.find(File, **Cfg), Finder))
      Code = fail("'" + Name + "' cannot be parsed", Unparsed);
  }
  return Code;
}

} // namespace

int main(int argc, const char **argv) {
  static int Anchor;
  std::optional<Request> R = read(llvm::ArrayRef(argv, argc).drop_front());
  if (!R) {
    const bool IsAsked = argc == 2 && (llvm::StringRef(argv[1]) == "--help" ||
                                       llvm::StringRef(argv[1]) == "-h");
    (IsAsked ? llvm::outs() : llvm::errs()) << Usage;
    return IsAsked ? Found : BadUsage;
  }
  return query(std::move(*R),
               llvm::sys::fs::getMainExecutable(argv[0], &Anchor));
}
