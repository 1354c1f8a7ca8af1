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

std::vector<std::string> spmd::lint::checkOptionNames() {
  std::vector<std::string> Out;
  for (const CheckInfo &C : allChecks())
    for (const CheckOption &O : C.Options)
      Out.push_back((C.Name + "." + O.Name).str());
  return Out;
}

const CheckOption *spmd::lint::findCheckOption(StringRef FullName) {
  const auto [Check, Name] = FullName.split('.');
  if (const CheckInfo *Info = findCheck(Check))
    for (const CheckOption &O : Info->Options)
      if (O.Name == Name)
        return &O;
  return nullptr;
}

std::string spmd::lint::checkHelp(StringRef Name) {
  std::string Out = checkPage(Name).str();
  const CheckInfo *Info = findCheck(Name);
  if (!Info || Info->Options.empty())
    return Out;
  Out += "\n## Options\n\nUnder `CheckOptions` in `.spmd-tidy` or "
         "`.clang-tidy`:\n\n| option | default | says |\n|---|---|---|\n";
  for (const CheckOption &O : Info->Options)
    Out += ("| `" + Name + "." + O.Name + "` | `" +
            (O.Default.empty() ? "''" : O.Default) + "` | " + O.Says + " |\n")
               .str();
  return Out;
}
