//===- main.cpp - What is printed of a program means what it means --------===//
//
//   ir-roundtrip FILE... -- FLAG...
//
// Lowers each file, prints its module and parses that again: it must print the
// same, and inference must find the same in it, in whichever order its functions
// stand. The files of a folder are also linked, in two orders.
//
//===----------------------------------------------------------------------===//

#include "ProgramUnit.h"
#include "driver/LibraryPrefix.h"
#include "driver/LintFile.h"

#include "spmd/inference/FindingText.h"
#include "spmd/ir/IRText.h"
#include "spmd/ir/Link.h"
#include "spmd/ir/Verifier.h"
#include "spmd/lint/ConfigFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <map>
#include <random>

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
    for (const unsigned Seed : {1u, 2u}) {
      std::shuffle(Again->Functions.begin(), Again->Functions.end(),
                   std::mt19937(Seed));
      if (const auto Other = findings(*Again, Strict, Mesh); Other != Is)
        return "found as lowered:\n" + join(Is, "\n") + "\nin this order:\n" +
               join(Other, "\n") + "\n" + printModule(*Again);
    }
  }
  return {};
}

/// Whether the order in which \p Units are linked changes what is found.
std::string differenceOfOrders(std::vector<rules::LinkUnit> Units,
                               const rules::MeshSpec &Mesh) {
  const rules::Program Forward = rules::linkModules(Units);
  std::reverse(Units.begin(), Units.end());
  const rules::Program Backward = rules::linkModules(Units);
  const auto Is = findings(Forward.M, true, Mesh),
             Other = findings(Backward.M, true, Mesh);
  return Is == Other ? std::string()
                     : "linked:\n" + join(Is, "\n") + "\nthe other way:\n" +
                           join(Other, "\n");
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

  struct Folder {
    std::vector<std::shared_ptr<const ProgramUnit>> Units;
    std::shared_ptr<const Config> Cfg;
  };
  std::map<std::string, Folder> Folders;
  unsigned Wrong = 0, Functions = 0;
  std::vector<LintJob> Jobs;
  for (StringRef Name : make_range(All.begin(), Flags)) {
    SmallString<256> File(Name);
    sys::fs::make_absolute(File);
    auto Cfg = Configs.load(File.str().str());
    if (!Cfg) { // a test of what is wrong with one
      consumeError(Cfg.takeError());
      continue;
    }
    Jobs.push_back(
        {File.str().str(), Commands.find(File, **Cfg), std::move(*Cfg)});
  }
  PrefixCache Prefixes("", Argv[0]);
  const std::vector<FileResult> Results =
      lintAll(Jobs, {}, Request, /*Threads=*/1, Prefixes);
  for (const auto &[Job, R] : zip_equal(Jobs, Results)) {
    if (!R.Lint.Unit)
      continue;
    const rules::Program Linked = rules::linkModules(
        {{&R.Lint.Unit->M, &R.Lint.Unit->Symbols, Job.File}});
    Functions += Linked.M.Functions.size();
    if (const std::string Why = difference(Linked.M, Job.Cfg->mesh());
        !Why.empty()) {
      ++Wrong;
      outs() << Job.File << ": " << Why << '\n';
    }
    Folder &In = Folders[sys::path::parent_path(Job.File).str()];
    In.Units.push_back(R.Lint.Unit);
    In.Cfg = Job.Cfg;
  }
  for (const auto &[Name, In] : Folders) {
    std::vector<rules::LinkUnit> Units;
    for (const auto &U : In.Units)
      Units.push_back({&U->M, &U->Symbols, U->File});
    if (const std::string Why = differenceOfOrders(Units, In.Cfg->mesh());
        !Why.empty()) {
      ++Wrong;
      outs() << Name << ": " << Why << '\n';
    }
  }
  outs() << Functions << " functions, " << Wrong << " files differ\n";
  return Wrong || !Functions;
}
