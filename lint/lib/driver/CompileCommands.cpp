//===- CompileCommands.cpp - Compilation databases ------------------------===//

#include "spmd/lint/CompileCommands.h"

#include "clang/Tooling/CompilationDatabase.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/YAMLParser.h"

using namespace llvm;
using namespace clang::tooling;
using namespace spmd::lint;

namespace {

/// Build systems put launchers before the compiler (`cmake -E env X=Y ccache
/// clang++ …`); what infers commands for headers must not see them.
class WithoutLaunchers : public CompilationDatabase {
public:
  explicit WithoutLaunchers(std::unique_ptr<CompilationDatabase> Base)
      : Base(std::move(Base)) {}

  std::vector<clang::tooling::CompileCommand>
  getCompileCommands(StringRef File) const override {
    return strip(Base->getCompileCommands(File));
  }
  std::vector<std::string> getAllFiles() const override {
    return Base->getAllFiles();
  }
  std::vector<clang::tooling::CompileCommand>
  getAllCompileCommands() const override {
    return strip(Base->getAllCompileCommands());
  }

private:
  static bool isLauncher(StringRef Arg) {
    StringRef Name = sys::path::filename(Arg);
    return Name == "ccache" || Name == "sccache" || Name == "distcc" ||
           Name == "env" || Name == "cmake" || Name == "-E" ||
           Name == "icecc" || (!Arg.starts_with("-") && Arg.contains('='));
  }

  static std::vector<clang::tooling::CompileCommand>
  strip(std::vector<clang::tooling::CompileCommand> Commands) {
    for (clang::tooling::CompileCommand &C : Commands) {
      auto First = llvm::find_if_not(C.CommandLine, isLauncher);
      if (First != C.CommandLine.end())
        C.CommandLine.erase(C.CommandLine.begin(), First);
    }
    return Commands;
  }

  std::unique_ptr<CompilationDatabase> Base;
};

/// What is wrong with the text of a database. LLVM's reader keeps what stands
/// before a mistake, and what it prints of it names no file.
std::string mistakeIn(StringRef Text) {
  if (Expected<json::Value> Parsed = json::parse(Text); Parsed)
    return {};
  else
    consumeError(Parsed.takeError());
  // It takes more than JSON: a comma behind the last element, say.
  std::string Out;
  SourceMgr Places;
  Places.setDiagHandler(
      [](const SMDiagnostic &D, void *Into) {
        std::string &First = *static_cast<std::string *>(Into);
        if (First.empty())
          First = std::to_string(D.getLineNo()) + ":" +
                  std::to_string(D.getColumnNo() + 1) + ": " +
                  D.getMessage().str();
      },
      &Out);
  yaml::Stream Documents(Text, Places);
  return Documents.validate() ? "" : Out;
}

std::unique_ptr<CompilationDatabase> loadDatabase(StringRef Path,
                                                  std::string &Error) {
  if (const auto Text = MemoryBuffer::getFile(Path))
    Error = mistakeIn((*Text)->getBuffer());
  if (!Error.empty())
    return nullptr;
  std::unique_ptr<CompilationDatabase> DB =
      JSONCompilationDatabase::loadFromFile(Path, Error,
                                            JSONCommandLineSyntax::AutoDetect);
  if (!DB)
    return nullptr;
  DB = std::make_unique<WithoutLaunchers>(std::move(DB));
  return inferMissingCompileCommands(
      expandResponseFiles(std::move(DB), vfs::getRealFileSystem()));
}

constexpr StringLiteral DatabaseName = "compile_commands.json";

/// Folders that a compiler wrapper or a module system would have added.
constexpr StringLiteral UsualIncludes[] = {
    "/usr/include/torch/csrc/api/include",
    "/usr/lib/x86_64-linux-gnu/openmpi/include",
    "/usr/lib/x86_64-linux-gnu/mpich/include",
};

} // namespace

CompileCommands::CompileCommands(CompileCommandOptions Options,
                                 ToolchainPaths Paths)
    : Options(std::move(Options)), Paths(std::move(Paths)) {}

CompileCommands::~CompileCommands() = default;

Error CompileCommands::loadBuildPath() {
  if (Options.BuildPath.empty() || Options.FixedFlags)
    return Error::success();
  SmallString<128> Path(Options.BuildPath);
  if (sys::fs::is_directory(Path))
    sys::path::append(Path, DatabaseName);
  std::string Reason;
  if (!sys::fs::exists(Path))
    Reason = "no such file";
  else if ((Fixed = loadDatabase(Path, Reason)))
    return Error::success();
  return createStringError("cannot load " + Path.str() + ": " +
                           StringRef(Reason).rtrim());
}

const CompilationDatabase *CompileCommands::databaseAbove(StringRef Folder) {
  if (Folder.empty())
    return nullptr;
  if (auto It = Databases.find(Folder.str()); It != Databases.end())
    return It->second.get();
  std::shared_ptr<CompilationDatabase> Found;
  // `build` is where CMake's presets and most readmes put it.
  for (StringRef Sub : {"", "build"}) {
    SmallString<128> Path(Folder);
    sys::path::append(Path, Sub, DatabaseName);
    std::string Reason;
    if (!sys::fs::exists(Path))
      continue;
    if ((Found = loadDatabase(Path, Reason)))
      break;
    Unreadable[Path.str().str()] = StringRef(Reason).split('\n').first.str();
  }
  // The flags of a small project without a build, as clangd reads them. Not
  // loadFromDirectory(), which would read a database that is broken.
  SmallString<128> Flags(Folder);
  sys::path::append(Flags, "compile_flags.txt");
  std::string NoFlags;
  if (!Found && sys::fs::exists(Flags))
    Found = FixedCompilationDatabase::loadFromFile(Flags, NoFlags);
  if (!Found) {
    StringRef Up = sys::path::parent_path(Folder);
    databaseAbove(Up);
    if (auto It = Databases.find(Up.str()); It != Databases.end())
      Found = It->second;
  }
  return (Databases[Folder.str()] = std::move(Found)).get();
}

spmd::lint::CompileCommand CompileCommands::raw(StringRef File) {
  spmd::lint::CompileCommand Out;
  SmallString<128> Directory;
  if (!Options.FixedFlags) {
    const CompilationDatabase *DB =
        Fixed ? Fixed.get() : databaseAbove(sys::path::parent_path(File));
    if (DB)
      if (auto Commands = DB->getCompileCommands(File); !Commands.empty()) {
        Out.Directory = Commands.front().Directory;
        Out.Args = std::move(Commands.front().CommandLine);
        Out.From = DatabaseName.str();
        return Out;
      }
  }
  sys::fs::current_path(Directory);
  Out.Directory = Directory.str().str();
  Out.Args = {"clang++"};
  const bool HasLanguage =
      Options.FixedFlags && (llvm::is_contained(*Options.FixedFlags, "-x") ||
                             llvm::any_of(*Options.FixedFlags, [](StringRef A) {
                               return A.starts_with("-std=");
                             }));
  const bool IsC = sys::path::extension(File) == ".c";
  if (!HasLanguage && !IsC)
    Out.Args.push_back("-std=c++20");
  if (Options.FixedFlags) {
    llvm::append_range(Out.Args, *Options.FixedFlags);
    Out.From = "--";
  } else {
    Out.Args.push_back("-I" + sys::path::parent_path(File).str());
    for (StringRef Folder : UsualIncludes)
      if (sys::fs::is_directory(Folder)) {
        Out.Args.push_back("-isystem");
        Out.Args.push_back(Folder.str());
      }
    Out.From = "guessed";
  }
  Out.Args.push_back(File.str());
  return Out;
}

spmd::lint::CompileCommand CompileCommands::find(StringRef File,
                                                 const Config &Cfg) {
  spmd::lint::CompileCommand C = raw(File);
  C.Args = prepareArguments(std::move(C.Args), File, Paths, Cfg);
  return C;
}
