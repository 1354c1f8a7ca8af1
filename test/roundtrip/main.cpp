//===- main.cpp - What is printed of a program means what it means --------===//
//
//   ir-roundtrip FILE... -- FLAG...
//
// Lowers each file, prints its module and parses that again: it must print the
// same, and inference must find the same in it.
//
//===----------------------------------------------------------------------===//

#include "ProgramUnit.h"
#include "driver/LintFile.h"

#include "spmd/inference/FindingText.h"
#include "spmd/ir/IRText.h"
#include "spmd/ir/Link.h"
#include "spmd/ir/Verifier.h"
#include "spmd/lint/ConfigFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace spmd;
using namespace spmd::lint;

namespace {

std::vector<std::string> findings(const rules::Module &M, bool Strict,
                                  const rules::MeshSpec &Mesh) {
  rules::InferenceOptions Options;
  Options.Strict = Strict;
  Options.FindRedundant = true;
  Options.Mesh = Mesh.Axes.empty() ? nullptr : &Mesh;
  std::vector<std::string> Out;
  for (const rules::Violation &V : inferModule(M, Options).Violations)
    Out.push_back(printFinding(V));
  llvm::sort(Out);
  return Out;
}

/// Empty when \p M survives; else what does not.
std::string difference(const rules::Module &M, const rules::MeshSpec &Mesh) {
  if (Error E = rules::verifyModule(M))
    return toString(std::move(E));
  const std::string Text = printModule(M);
  Expected<rules::Module> Again =
      rules::parseModule(Text, rules::OpCatalogue::builtin());
  if (!Again)
    return toString(Again.takeError()) + "\n" + Text;
  if (const std::string Twice = printModule(*Again); Twice != Text)
    return "printed once:\n" + Text + "printed again:\n" + Twice;
  for (const bool Strict : {false, true}) {
    const auto Is = findings(M, Strict, Mesh),
               Read = findings(*Again, Strict, Mesh);
    if (Is != Read)
      return "found as lowered:\n" + join(Is, "\n") + "\nas parsed:\n" +
             join(Read, "\n") + "\n" + Text;
  }
  return {};
}

} // namespace

int main(int Argc, char **Argv) {
  const ArrayRef<char *> All(Argv + 1, Argv + Argc);
  const auto *Flags = find_if(All, [](StringRef A) { return A == "--"; });
  CompileCommandOptions Options;
  if (Flags != All.end())
    Options.FixedFlags.emplace(Flags + 1, All.end());
  CompileCommands Commands(Options, ToolchainPaths::find(Argv[0]));
  ConfigLoader Configs(vfs::getRealFileSystem(), {});
  LintRequest Request;
  Request.ForProgram = true;

  unsigned Wrong = 0, Functions = 0;
  for (StringRef Name : make_range(All.begin(), Flags)) {
    SmallString<256> File(Name);
    sys::fs::make_absolute(File);
    auto Cfg = Configs.load(File.str().str());
    if (!Cfg) { // a test of what is wrong with one
      consumeError(Cfg.takeError());
      continue;
    }
    const LintJob Job{File.str().str(), Commands.find(File, **Cfg), *Cfg};
    const FileResult R = lintFile(Job, {}, Request, nullptr);
    if (!R.Lint.Unit)
      continue;
    const rules::LinkUnit Unit{&R.Lint.Unit->M, &R.Lint.Unit->Symbols};
    const rules::Program Linked = rules::linkModules(Unit);
    Functions += Linked.M.Functions.size();
    if (const std::string Why = difference(Linked.M, (*Cfg)->mesh());
        !Why.empty()) {
      ++Wrong;
      outs() << Name << ": " << Why << '\n';
    }
  }
  outs() << Functions << " functions, " << Wrong << " files differ\n";
  return Wrong || !Functions;
}
