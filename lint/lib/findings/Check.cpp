//===- Check.cpp - The list of checks -------------------------------------===//

#include "spmd/lint/Check.h"

#include "spmd/lint/EmbeddedCheckPages.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace spmd::lint;

// Sorted on insertion, during static initialisation: afterwards the list is
// read-only and safe to share between threads.
static std::vector<CheckInfo> &registry() {
  static std::vector<CheckInfo> Checks;
  return Checks;
}

CheckRegistration::CheckRegistration(const CheckInfo &Info) {
  std::vector<CheckInfo> &Checks = registry();
  Checks.insert(llvm::upper_bound(Checks, Info,
                                  [](const CheckInfo &A, const CheckInfo &B) {
                                    return A.Name < B.Name;
                                  }),
                Info);
}

ArrayRef<CheckInfo> spmd::lint::allChecks() { return registry(); }

const CheckInfo *spmd::lint::findCheck(StringRef Name) {
  for (const CheckInfo &C : allChecks())
    if (C.Name == Name)
      return &C;
  return nullptr;
}

StringRef spmd::lint::checkPage(StringRef Name) {
  for (const rules::EmbeddedFile &Page : embeddedCheckPages())
    if (Page.Name == (Name + ".md").str())
      return Page.Text;
  return {};
}
