//===- main.cpp - spmd-tidy -----------------------------------------------===//

#include "spmd/lint/Driver.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

static int Anchor;

int main(int argc, const char **argv) {
  const std::string Program =
      llvm::sys::fs::getMainExecutable(argv[0], &Anchor);
  const int Code = spmd::lint::runSpmdTidy(
      Program.c_str(), llvm::ArrayRef(argv, argc).drop_front());
  llvm::outs().flush();
  llvm::errs().flush();
  // An analysis that crashed has left objects on its abandoned stack that are
  // still linked from globals: no destructor may run.
  llvm::sys::Process::Exit(Code, /*NoCleanup=*/true);
}
