//===- NvccFlags.cpp - nvcc's command line in Clang's words ---------------===//
//
// nvcc accepts most options with one dash or two, and their values joined by
// `=` or as the next word.
//
//===----------------------------------------------------------------------===//

#include "spmd/lint/CompileCommands.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace spmd::lint;

namespace {

enum class Action : unsigned char {
  Drop,     ///< a flag without a value
  DropPair, ///< with a value
  Rename,   ///< with a value that Clang takes joined to To
  Host,     ///< comma-separated flags for the host compiler
};

struct NvccFlag {
  Action Act;
  StringRef To;
};

const StringMap<NvccFlag> &flagTable() {
  static const StringMap<NvccFlag> Table = [] {
    StringMap<NvccFlag> T;
    // Names without their dashes.
    for (StringRef Name : {"dc",
                           "device-c",
                           "dw",
                           "device-w",
                           "dlink",
                           "device-link",
                           "lineinfo",
                           "generate-line-info",
                           "G",
                           "device-debug",
                           "keep",
                           "k",
                           "use_fast_math",
                           "expt-relaxed-constexpr",
                           "expt-extended-lambda",
                           "extended-lambda",
                           "res-usage",
                           "resource-usage",
                           "restrict",
                           "forward-unknown-to-host-compiler",
                           "forward-unknown-opts",
                           "forward-unknown-to-host-linker",
                           "dryrun",
                           "verbose",
                           "ptx",
                           "cubin",
                           "fatbin",
                           "cuda",
                           "optix-ir",
                           "lib",
                           "run",
                           "clean",
                           "source-in-ptx",
                           "src-in-ptx",
                           "brief-diagnostics",
                           "no-align-double",
                           "extra-device-vectorization",
                           "allow-unsupported-compiler",
                           "no-host-device-initializer-list",
                           "no-host-device-move-forward",
                           "disable-warnings",
                           "Wreorder",
                           "Wdefault-stream-launch",
                           "Wmissing-launch-bounds",
                           "Wext-lambda-captures-this",
                           "Wno-deprecated-gpu-targets",
                           "Wno-deprecated-declarations",
                           "display-error-number",
                           "no-display-error-number",
                           "no-exceptions",
                           "dopt",
                           "fdevice-syntax-only",
                           "fdevice-time-trace",
                           "compress-all",
                           "no-compress",
                           "ewp",
                           "lto",
                           "dlto",
                           "gen-opt-lto",
                           "save-temps",
                           "objdir-as-tempdir",
                           "static-global-template-stub",
                           "relocatable-ptx",
                           "arch-list",
                           "list-gpu-arch",
                           "list-gpu-code",
                           "link",
                           "version",
                           "profile",
                           "pg"})
      T[Name] = {Action::Drop, ""};
    for (StringRef Name : {"gencode",
                           "generate-code",
                           "arch",
                           "gpu-architecture",
                           "code",
                           "gpu-code",
                           "ccbin",
                           "compiler-bindir",
                           "Xptxas",
                           "ptxas-options",
                           "Xnvlink",
                           "nvlink-options",
                           "Xfatbin",
                           "fatbin-options",
                           "Xcudafe",
                           "cudafe-options",
                           "Xcicc",
                           "Xarchive",
                           "archive-options",
                           "maxrregcount",
                           "threads",
                           "t",
                           "split-compile",
                           "split-compile-extended",
                           "rdc",
                           "relocatable-device-code",
                           "cudart",
                           "cudadevrt",
                           "ftz",
                           "prec-div",
                           "prec-sqrt",
                           "fmad",
                           "default-stream",
                           "odir",
                           "output-directory",
                           "keep-dir",
                           "target-dir",
                           "libdevice-directory",
                           "ldir",
                           "nvvm-version",
                           "diag-suppress",
                           "diag-error",
                           "diag-warn",
                           "Werror",
                           "optimization-info",
                           "Ofast-compile",
                           "ofast-compile",
                           "entries",
                           "e",
                           "run-args",
                           "input-drive-prefix",
                           "dependency-drive-prefix",
                           "drive-prefix",
                           "dependency-target-name",
                           "dependency-output",
                           "device-entity-has-hidden-visibility",
                           "device-stack-protector",
                           "jump-table-density",
                           "minimal",
                           "host-linker-script",
                           "dopt",
                           "static-host-link",
                           "frandom-seed",
                           "Xlinker",
                           "linker-options",
                           "L",
                           "library-path",
                           "l",
                           "library",
                           "o",
                           "output-file",
                           "options-file",
                           "optf",
                           "m",
                           "machine",
                           "tile-arch"})
      T.try_emplace(Name, NvccFlag{Action::DropPair, ""});
    T["Xcompiler"] = T["compiler-options"] = {Action::Host, ""};
    T["std"] = {Action::Rename, "-std="};
    T["include-path"] = {Action::Rename, "-I"};
    T["system-include"] = T["isystem"] = {Action::Rename, "-isystem"};
    T["pre-include"] = {Action::Rename, "-include"};
    T["define-macro"] = {Action::Rename, "-D"};
    T["undefine-macro"] = {Action::Rename, "-U"};
    T["optimize"] = {Action::Rename, "-O"};
    T["x"] = {Action::Rename, "-x"};
    return T;
  }();
  return Table;
}

/// Flags whose value may be the next word or, for nvcc, absent.
bool isJoinedShort(StringRef Arg, StringRef &Rest) {
  // -m64, -t4: a letter and digits.
  if (Arg.size() > 2 && (Arg[1] == 'm' || Arg[1] == 't') &&
      Arg.drop_front(2).find_first_not_of("0123456789") == StringRef::npos) {
    Rest = Arg.drop_front(2);
    return true;
  }
  return false;
}

} // namespace

std::vector<std::string> spmd::lint::translateNvcc(ArrayRef<std::string> Args) {
  std::vector<std::string> Out{"clang++"};
  auto AddValue = [&](StringRef To, StringRef Value) {
    if (To == "-x" && Value == "cu")
      Value = "cuda";
    if (To == "-include" || To == "-isystem" || To == "-x") {
      Out.push_back(To.str());
      Out.push_back(Value.str());
    } else {
      Out.push_back((To + Value).str());
    }
  };
  for (std::size_t I = 1; I < Args.size(); ++I) {
    StringRef Arg = Args[I], Rest;
    // A path, or an option that both compilers spell the same.
    if (!Arg.starts_with("-") || Arg.size() < 2) {
      Out.push_back(Arg.str());
      continue;
    }
    if (isJoinedShort(Arg, Rest))
      continue;
    auto [Name, Value] = Arg.ltrim('-').split('=');
    const bool Joined = Arg.contains('=');
    auto It = flagTable().find(Name);
    // -Werror without a kind is the host compilers' flag.
    if (It == flagTable().end() || (Name == "Werror" && !Joined)) {
      Out.push_back(Arg.str());
      continue;
    }
    const NvccFlag &F = It->second;
    if (F.Act == Action::Drop)
      continue;
    if (!Joined) {
      if (I + 1 == Args.size())
        break;
      Value = Args[++I];
    }
    switch (F.Act) {
    case Action::Rename:
      AddValue(F.To, Value);
      break;
    case Action::Host: {
      SmallVector<StringRef, 4> Parts;
      Value.split(Parts, ',', -1, /*KeepEmpty=*/false);
      for (StringRef P : Parts)
        Out.push_back(P.trim("\"'").str());
      break;
    }
    case Action::Drop:
    case Action::DropPair:
      break;
    }
  }
  return Out;
}
