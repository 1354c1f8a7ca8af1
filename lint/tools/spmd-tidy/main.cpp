//===- main.cpp - spmd-tidy -----------------------------------------------===//

#include "spmd/lint/Driver.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

static int Anchor;

/// What a long function grew by doubling goes back at once. glibc would keep
/// ever larger blocks to itself once it has seen some freed: a tenth more.
static void giveLargeBlocksBack() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

int main(int argc, const char **argv) {
  giveLargeBlocksBack();
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
