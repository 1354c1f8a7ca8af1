//===- OptionText.h - What is made of the list of options -------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_OPTIONTEXT_H
#define SPMD_LINT_LIB_DRIVER_OPTIONTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace spmd::lint {

void printHelp(llvm::raw_ostream &OS);
/// The page for man(1).
void printManPage(llvm::raw_ostream &OS);
/// \p Shell is "bash" or "zsh".
void printCompletions(llvm::raw_ostream &OS, llvm::StringRef Shell);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_OPTIONTEXT_H
