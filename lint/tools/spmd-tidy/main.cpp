//===- main.cpp - spmd-tidy -----------------------------------------------===//

#include "spmd/lint/Driver.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"

static int Anchor;

int main(int argc, const char **argv) {
  llvm::InitLLVM Init(argc, argv);
  const std::string Program =
      llvm::sys::fs::getMainExecutable(argv[0], &Anchor);
  return spmd::lint::runSpmdTidy(Program.c_str(),
                                 llvm::ArrayRef(argv, argc).drop_front());
}
