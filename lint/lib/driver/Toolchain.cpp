//===- Toolchain.cpp - Where headers are ----------------------------------===//

#include "spmd/lint/CompileCommands.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace spmd::lint;

bool spmd::lint::isCudaToolkit(StringRef Root) {
  SmallString<128> Header(Root);
  sys::path::append(Header, "include", "cuda_runtime.h");
  return !Root.empty() && sys::fs::exists(Header);
}

/// The first folder that exists.
static std::string firstFolder(ArrayRef<SmallString<128>> Candidates) {
  for (const SmallString<128> &C : Candidates)
    if (!C.empty() && sys::fs::is_directory(C))
      return C.str().str();
  return {};
}

static std::string findCuda() {
  for (const char *Variable : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (std::optional<std::string> Root = sys::Process::GetEnv(Variable)) {
      if (isCudaToolkit(*Root))
        return *Root;
      // Naming a folder without a toolkit says that there is none.
      return {};
    }
  if (ErrorOr<std::string> Nvcc = sys::findProgramByName("nvcc")) {
    SmallString<128> Real;
    if (!sys::fs::real_path(*Nvcc, Real)) {
      StringRef Root = sys::path::parent_path(sys::path::parent_path(Real));
      if (isCudaToolkit(Root))
        return Root.str();
    }
  }
  return isCudaToolkit("/usr/local/cuda") ? "/usr/local/cuda" : "";
}

ToolchainPaths ToolchainPaths::find(StringRef Executable) {
  SmallString<128> Real;
  if (sys::fs::real_path(Executable, Real))
    Real = Executable;
  StringRef Prefix = sys::path::parent_path(sys::path::parent_path(Real));
  auto Beside = [&](const Twine &Sub) {
    SmallString<128> Path(Prefix);
    sys::path::append(Path, Sub);
    return Path;
  };
  auto Built = [](const Twine &Path) {
    SmallString<128> Out;
    Path.toVector(Out);
    return Out;
  };
  ToolchainPaths P;
  P.ResourceDir = firstFolder(
      {Beside("lib/spmd-tidy/clang"), Built(SPMD_CLANG_RESOURCE_DIR)});
  P.CudaStubs = firstFolder({Beside("share/spmd-tidy/cuda-stubs"),
                             Built(SPMD_SOURCE_DIR "/lint/cuda-stubs")});
  P.RuntimeInclude =
      firstFolder({Beside("lib/spmd-tidy/include/spmd"),
                   Built(SPMD_SOURCE_DIR "/runtime/include/spmd")});
  P.RuntimeInclude = sys::path::parent_path(P.RuntimeInclude).str();
  P.RulesInclude =
      firstFolder({Beside("lib/spmd-tidy/include/spmd"),
                   Built(SPMD_SOURCE_DIR "/rules/types/include/spmd")});
  P.RulesInclude = sys::path::parent_path(P.RulesInclude).str();
  P.CheckPages = firstFolder({Beside("share/doc/spmd-tidy/lint/checks"),
                              Built(SPMD_SOURCE_DIR "/lint/checks")});
  P.Cuda = findCuda();
  return P;
}
