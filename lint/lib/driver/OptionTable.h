//===- OptionTable.h - All options, and what is made of the list -*- C++ -*-==//
//
// The table is the one definition of the command line: the parser, --help, the
// manual page and the shells' completions read it.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LIB_DRIVER_OPTIONTABLE_H
#define SPMD_LINT_LIB_DRIVER_OPTIONTABLE_H

#include "Options.h"

#include "llvm/Support/raw_ostream.h"

namespace spmd::lint {

struct OptionSpec {
  llvm::StringRef Name; ///< without dashes
  enum class Value : unsigned char { None, Required, Optional } Takes;
  /// What the value is; "a|b" where it is one of these.
  llvm::StringRef Metavar;
  llvm::StringRef Help;
  /// Returns what is wrong, or an empty string.
  std::string (*Set)(Options &, llvm::StringRef);

  std::string dashed() const;   ///< "-p", "--fix"
  std::string spelling() const; ///< "--format=<name[:file]>"
};

llvm::ArrayRef<OptionSpec> optionTable();

void printHelp(llvm::raw_ostream &OS);
/// The page for man(1).
void printManPage(llvm::raw_ostream &OS);
/// \p Shell is "bash" or "zsh".
void printCompletions(llvm::raw_ostream &OS, llvm::StringRef Shell);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_OPTIONTABLE_H
