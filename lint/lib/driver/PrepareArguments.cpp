//===- PrepareArguments.cpp - A command line that Clang can parse ---------===//

#include "spmd/lint/CompileCommands.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace spmd::lint;

namespace {

enum class Language : unsigned char { C, CXX, CUDA };

/// How many words a flag that has no business here takes, 0 for any other.
unsigned wordsToDrop(ArrayRef<std::string> Args) {
  StringRef Arg = Args.front();
  // What CMake writes for a precompiled header: a copy for another compiler.
  if (Arg == "-Xclang" && Args.size() > 1)
    return StringSwitch<unsigned>(Args[1])
        .Cases({"-include-pch", "-load", "-plugin", "-add-plugin"}, 4)
        .Cases({"-emit-pch", "-fno-pch-timestamp", "-pch-through-hdrstop-use"},
               2)
        .Default(0);
  const unsigned Exact =
      StringSwitch<unsigned>(Arg)
          .Cases({"-o", "-MF", "-MT", "-MQ", "-MJ", "-include-pch", "-mllvm",
                  "-dependency-file", "--serialize-diagnostics"},
                 2)
          .Cases({"-c", "-S", "-E", "-M", "-MM", "-MD", "-MMD", "-MG", "-MP",
                  "-MV", "-save-temps", "-Winvalid-pch", "-pipe",
                  "-fmodules-ts", "-v", "-###"},
                 1)
          .Default(0);
  if (Exact)
    return Exact;
  for (StringRef Joined :
       {"-fplugin=", "-fpass-plugin=", "-Werror", "-fmodule-mapper=",
        "-fdeps-format=", "-fdiagnostics-color", "-fsanitize=", "-MF", "-MT"})
    if (Arg.starts_with(Joined))
      return 1;
  if (Arg.starts_with("-o") && !Arg.starts_with("-openmp") &&
      !Arg.starts_with("-objc") && Arg.size() > 2)
    return 1;
  return 0;
}

bool isNvcc(StringRef Compiler) {
  return sys::path::stem(Compiler).starts_with("nvcc");
}

bool sameFile(StringRef A, StringRef File) {
  return A == File || (!A.starts_with("-") &&
                       sys::path::filename(A) == sys::path::filename(File));
}

Language languageOf(ArrayRef<std::string> Args, StringRef File) {
  for (std::size_t I = 1; I < Args.size(); ++I) {
    StringRef Value = Args[I];
    if (Value == "-x" && I + 1 < Args.size())
      Value = Args[I + 1];
    else if (!Value.consume_front("-x"))
      continue;
    if (Value == "cuda")
      return Language::CUDA;
    if (Value.starts_with("c++"))
      return Language::CXX;
    if (Value == "c" || Value == "c-header")
      return Language::C;
  }
  return StringSwitch<Language>(sys::path::extension(File))
      .Cases({".cu", ".cuh"}, Language::CUDA)
      .Case(".c", Language::C)
      .Default(Language::CXX);
}

/// The toolkit that the command itself names, by flag or by the compiler.
std::string cudaOf(ArrayRef<std::string> Args) {
  for (StringRef Arg : Args)
    if (Arg.consume_front("--cuda-path="))
      return Arg.str();
  if (isNvcc(Args.front()) && sys::path::is_absolute(Args.front())) {
    SmallString<128> Real;
    if (!sys::fs::real_path(Args.front(), Real))
      return sys::path::parent_path(sys::path::parent_path(Real)).str();
  }
  return {};
}

/// The host half of a CUDA file, with a toolkit of any version or with none.
void addCuda(std::vector<std::string> &Args, StringRef Named,
             const ToolchainPaths &Paths) {
  llvm::erase_if(Args, [](StringRef A) {
    return A.starts_with("--cuda-") || A.starts_with("--offload-") ||
           A.starts_with("--no-cuda-") || A == "-nocudainc" ||
           A == "-nocudalib";
  });
  const std::string Root = isCudaToolkit(Named) ? Named.str() : Paths.Cuda;
  llvm::append_range(
      Args, std::initializer_list<std::string>{"--cuda-host-only", "-nocudalib",
                                               "-Wno-unknown-cuda-version"});
  auto AddInclude = [&](const char *Flag, const Twine &Path) {
    Args.push_back(Flag);
    Args.push_back(Path.str());
  };
  if (Root.empty()) {
    // A path that cannot exist keeps Clang from looking elsewhere.
    llvm::append_range(Args, std::initializer_list<std::string>{
                                 "--cuda-path=/nonexistent", "-nocudainc"});
    if (Paths.CudaStubs.empty())
      return;
    AddInclude("-isystem", Paths.CudaStubs);
    AddInclude("-include", Paths.CudaStubs + "/spmd_cuda_prelude.h");
  } else {
    Args.push_back("--cuda-path=" + Root);
    // Where CUDA 13 keeps thrust and cub.
    if (sys::fs::is_directory(Root + "/include/cccl"))
      AddInclude("-isystem", Root + "/include/cccl");
  }
  if (Paths.CudaStubs.empty())
    return;
  AddInclude("-include", Paths.CudaStubs + "/spmd_cuda_gaps.h");
  // A toolkit's headers win over those that stand in for what it lacks.
  if (!Root.empty())
    AddInclude("-idirafter", Paths.CudaStubs);
}

void addContracts(std::vector<std::string> &Args, const Config &Cfg) {
  for (const Configured<std::string> &Contract : Cfg.Contracts) {
    Args.push_back("-include");
    Args.push_back(Contract.Value);
  }
}

} // namespace

std::vector<std::string>
spmd::lint::prepareArguments(std::vector<std::string> Args, StringRef File,
                             const ToolchainPaths &Paths, const Config &Cfg) {
  if (Args.empty())
    Args.push_back("clang++");
  std::string Cuda = cudaOf(Args);
  const bool Nvcc = isNvcc(Args.front());
  if (Nvcc)
    Args = translateNvcc(Args);

  std::vector<std::string> Out{Args.front()};
  // The inputs go, the file itself comes back at the end.
  for (std::size_t I = 1; I < Args.size();) {
    if (unsigned Drop = wordsToDrop(ArrayRef(Args).drop_front(I))) {
      I += Drop;
      continue;
    }
    // A value of its own: never an input.
    if (StringSwitch<bool>(Args[I])
            .Cases({"-I", "-D", "-U", "-isystem", "-include", "-iquote",
                    "-idirafter", "-x", "-isysroot", "-imacros", "-target",
                    "-Xclang", "-arch"},
                   true)
            .Default(false) &&
        I + 1 < Args.size()) {
      Out.push_back(std::move(Args[I++]));
      Out.push_back(std::move(Args[I++]));
      continue;
    }
    if (Args[I] == "--" || sameFile(Args[I], File)) {
      ++I;
      continue;
    }
    Out.push_back(std::move(Args[I++]));
  }

  const Language Lang = languageOf(Out, File);
  const bool NamesLanguage = llvm::any_of(Out, [](StringRef A) {
    return A.starts_with("-x") && !A.starts_with("-xc++-header");
  });
  for (const Configured<std::string> &Extra : Cfg.ExtraArgs)
    Out.push_back(Extra.Value);
  if (Lang == Language::CUDA)
    addCuda(Out, Cuda, Paths);
  // Last of all: headers that the command finds win over a toolkit's, and a
  // toolkit's over those that stand in for what is not installed.
  if (Lang != Language::CUDA) {
    if (!Paths.Cuda.empty()) {
      Out.push_back("-idirafter");
      Out.push_back(Paths.Cuda + "/include");
    }
    if (!Paths.CudaStubs.empty()) {
      Out.push_back("-idirafter");
      Out.push_back(Paths.CudaStubs);
    }
  }
  for (const std::string &Include : {Paths.RuntimeInclude, Paths.RulesInclude})
    if (!Include.empty()) {
      Out.push_back("-idirafter");
      Out.push_back(Include);
    }
  addContracts(Out, Cfg);
  if (!Paths.ResourceDir.empty())
    Out.push_back("-resource-dir=" + Paths.ResourceDir);
  llvm::append_range(Out, std::initializer_list<std::string>{
                              "-fsyntax-only", "-w", "-ferror-limit=0"});
  if (!NamesLanguage) {
    Out.push_back("-x");
    Out.push_back(Lang == Language::CUDA ? "cuda"
                  : Lang == Language::C  ? "c"
                                         : "c++");
  }
  Out.push_back("--");
  Out.push_back(File.str());
  return Out;
}

std::vector<std::string>
spmd::lint::prepareForEditor(std::vector<std::string> Args, StringRef File,
                             const ToolchainPaths &Paths, const Config &Cfg) {
  if (Args.empty())
    return Args;
  const std::string Cuda = cudaOf(Args);
  if (isNvcc(Args.front()))
    Args = translateNvcc(Args);
  // What follows `--` are inputs: flags go before it.
  auto Inputs = llvm::find(Args, "--");
  std::vector<std::string> Out(Args.begin(), Inputs);
  for (const Configured<std::string> &Extra : Cfg.ExtraArgs)
    Out.push_back(Extra.Value);
  if (languageOf(Out, File) == Language::CUDA)
    addCuda(Out, Cuda, Paths);
  addContracts(Out, Cfg);
  Out.insert(Out.end(), Inputs, Args.end());
  return Out;
}
