//===- Snippet.cpp - A few lines of C++ as IR text ------------------------===//

#include "Snippet.h"

#include "driver/LibraryPrefix.h"
#include "driver/LintFile.h"

#include "spmd/lint/ConfigFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <regex>

using namespace llvm;

namespace spmd::lint {

namespace {

constexpr StringLiteral Headers = R"(#include <torch/torch.h>
#include <spmd/torch.h>
#include <c10d/ProcessGroup.hpp>
#include <mpi.h>
#include <nccl.h>
)";
constexpr StringLiteral CudaHeaders = "#include <nccl.h>\n";

/// Parses snippets of one language; what they include is parsed once.
class SnippetParser {
public:
  SnippetParser(StringRef Name, StringRef Headers,
                ArrayRef<std::string> Language)
      : Headers(Headers), Prefixes(/*Folder=*/"", "snippets") {
    Job.File = ("/snippet/" + Name).str();
    Job.Command.Directory = "/";
    ConfigLoader Loader(vfs::getRealFileSystem(), {});
    Job.Cfg = cantFail(Loader.load(Job.File));
    std::vector<std::string> Args{"clang++"};
    append_range(Args, Language);
    Args.push_back(Job.File);
    ToolchainPaths Paths = ToolchainPaths::find("");
    // The headers that come with the tool are everywhere the same.
    Paths.Cuda.clear();
    Job.Command.Args =
        prepareArguments(std::move(Args), Job.File, Paths, *Job.Cfg);
    // What a single file begins with is not worth it.
    const LintJob Several[] = {Job, Job, Job};
    Prefixes.expect(Several, contents(""));
  }

  std::string dump(StringRef Code) {
    LintRequest Request;
    Request.DumpIR = true;
    const FileResult Out = lintFile(Job, contents(Code), Request, &Prefixes);
    if (!Out.ParseErrors.empty())
      return Out.ParseErrors.front().Message;
    return Out.Lint.IRDump;
  }

private:
  FileOverlay contents(StringRef Code) const {
    return {{Job.File, (Headers + Code).str()}};
  }

  StringRef Headers;
  LintJob Job;
  PrefixCache Prefixes;
};

std::string without(const std::string &Text, const char *Pattern,
                    const char *Instead = "") {
  return std::regex_replace(
      Text, std::regex(Pattern, std::regex::ECMAScript | std::regex::multiline),
      Instead);
}

/// Whether a branch may lead there.
bool isChosen(const std::string &F, const std::string &Block) {
  return std::regex_search(
      F, std::regex("-> (" + Block + " b[0-9]+|b[0-9]+ " + Block + ") if"));
}

/// A function without Clang's entry and exit, and the ways to them; what runs
/// from end to end has no blocks left.
std::string withoutEnds(std::string F) {
  F = without(F, "^b0:\n  -> b1\n");
  std::smatch Exit;
  if (std::regex_search(F, Exit, std::regex("\n(b[0-9]+):\n  ->$")) &&
      !isChosen(F, Exit[1].str()))
    F = without(F.substr(0, static_cast<std::size_t>(Exit.position())),
                ("\n  -> " + Exit[1].str() + "$").c_str());
  if (F.find("\n  ->") == std::string::npos)
    F = without(F, "^b[0-9]+:\n");
  return F;
}

/// With the names of functions in place of their symbols.
std::string withNames(std::string Text) {
  const std::regex Head("func (@\"[^\"]*\") as \"([^\"]*)\"");
  for (std::smatch Found; std::regex_search(Text, Found, Head);) {
    const std::string Symbol = Found[1], Name = "@" + Found[2].str();
    Text.replace(static_cast<std::size_t>(Found.position()),
                 static_cast<std::size_t>(Found.length()), "func " + Name);
    for (std::size_t At; (At = Text.find(Symbol)) != std::string::npos;)
      Text.replace(At, Symbol.size(), Name);
  }
  return Text;
}

std::string readable(std::string Text) {
  Text = without(Text, "^rule .*\n");
  Text = withNames(Text);
  Text = without(Text, " [!@][0-9]+:[0-9]+");
  Text = without(Text, "(%[A-Za-z_]\\w*)\\.[0-9]+\\b", "$1");
  std::string Out = "\n";
  SmallVector<StringRef> Functions;
  StringRef(Text).split(Functions, "\n}\n", -1, /*KeepEmpty=*/false);
  for (StringRef F : Functions)
    Out += withoutEnds(F.str()) + "\n}\n";
  return Out;
}

} // namespace

std::string lowered(StringRef Code) {
  static SnippetParser Parser("snippet.cpp", Headers,
                              {"-std=c++20", "-isystem",
                               SPMD_SOURCE_DIR "/test/stubs", "-isystem",
                               SPMD_SOURCE_DIR "/runtime/include", "-isystem",
                               SPMD_SOURCE_DIR "/rules/types/include"});
  return readable(Parser.dump(Code));
}

std::string loweredCuda(StringRef Code) {
  static SnippetParser Parser("snippet.cu", CudaHeaders, {"-std=c++20"});
  return readable(Parser.dump(Code));
}

} // namespace spmd::lint
