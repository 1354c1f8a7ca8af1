//===- WithoutZ3.cpp - The static analyzer without a solver ---------------===//
//
// A static spmd-clangd: Debian has no archive of Z3, which LLVM's own file with
// these functions calls. clang-tidy's checks use the solver only when asked.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SMTAPI.h"

using namespace llvm;

SMTSolverRef llvm::CreateZ3Solver() {
  reportFatalUsageError("this program was built without Z3");
}
void SMTSort::dump() const {}
void SMTExpr::dump() const {}
void SMTSolverStatistics::dump() const {}
void SMTSolver::dump() const {}
