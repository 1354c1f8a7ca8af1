//===- EnabledChecks.cpp - Our checks are on without configuration --------===//
//
// clangd hides checks it has not timed and runs none by default. The linker's
// --wrap sends these two decisions here: ours are fast, and on unless the
// user's `.clang-tidy` or `.spmd-tidy` turns them off.
//
//===----------------------------------------------------------------------===//

#include "clang-tidy/ClangTidyOptions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/FunctionExtras.h"

#include <optional>
#include <string>

using TidyProvider = llvm::unique_function<void(clang::tidy::ClangTidyOptions &,
                                                llvm::StringRef) const>;

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the linker's --wrap names them
std::optional<bool>
    __real__ZN5clang6clangd15isFastTidyCheckEN4llvm9StringRefE(llvm::StringRef);
std::optional<bool> __wrap__ZN5clang6clangd15isFastTidyCheckEN4llvm9StringRefE(
    llvm::StringRef Check) {
  if (Check.starts_with("spmd-"))
    return true;
  return __real__ZN5clang6clangd15isFastTidyCheckEN4llvm9StringRefE(Check);
}

TidyProvider
    __real__ZN5clang6clangd21disableUnusableChecksEN4llvm8ArrayRefINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEEE(
        llvm::ArrayRef<std::string>);
TidyProvider
__wrap__ZN5clang6clangd21disableUnusableChecksEN4llvm8ArrayRefINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEEE(
    llvm::ArrayRef<std::string> ExtraBad) {
  TidyProvider Stock =
      __real__ZN5clang6clangd21disableUnusableChecksEN4llvm8ArrayRefINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEEE(
          ExtraBad);
  return [Stock = std::move(Stock)](clang::tidy::ClangTidyOptions &Options,
                                    llvm::StringRef File) {
    // In front, so that whatever the user wrote has the last word.
    const std::string User = Options.Checks.value_or("");
    Options.Checks = User.empty() ? "spmd-*" : "spmd-*," + User;
    Stock(Options, File);
  };
}
// NOLINTEND(bugprone-reserved-identifier)
}
