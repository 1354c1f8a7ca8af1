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
#include "llvm/ADT/StringExtras.h"

#include <optional>
#include <string>

using TidyProvider = llvm::unique_function<void(clang::tidy::ClangTidyOptions &,
                                                llvm::StringRef) const>;

// C++ functions under the names that the linker's --wrap looks for: as extern
// "C" they could not return classes.
#define FAST_CHECK "_ZN5clang6clangd15isFastTidyCheckEN4llvm9StringRefE"
#define DISABLE_UNUSABLE                                                       \
  "_ZN5clang6clangd21disableUnusableChecksEN4llvm8ArrayRefINSt7__"             \
  "cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEE"

std::optional<bool> stockIsFast(llvm::StringRef) __asm__("__real_" FAST_CHECK);
std::optional<bool> isFast(llvm::StringRef) __asm__("__wrap_" FAST_CHECK);
TidyProvider stockProvider(llvm::ArrayRef<std::string>) __asm__(
    "__real_" DISABLE_UNUSABLE);
TidyProvider
    provider(llvm::ArrayRef<std::string>) __asm__("__wrap_" DISABLE_UNUSABLE);

std::optional<bool> isFast(llvm::StringRef Check) {
  if (Check.starts_with("spmd-"))
    return true;
  return stockIsFast(Check);
}

TidyProvider provider(llvm::ArrayRef<std::string> ExtraBad) {
  return [Stock = stockProvider(ExtraBad)](
             clang::tidy::ClangTidyOptions &Options, llvm::StringRef File) {
    // The `-*` of many a configuration is not about us; what names us is, in
    // the user's order.
    std::string Checks = Options.Checks.value_or("");
    std::string Ours;
    llvm::SmallVector<llvm::StringRef> Globs;
    llvm::SplitString(Checks, Globs, ",\n");
    for (llvm::StringRef Glob : Globs) {
      Glob = Glob.trim();
      llvm::StringRef Name = Glob;
      Name.consume_front("-");
      if (Name.starts_with("spmd-"))
        Ours += ("," + Glob).str();
    }
    Checks += (Checks.empty() ? "spmd-*" : ",spmd-*") + Ours;
    Options.Checks = std::move(Checks);
    Stock(Options, File);
  };
}
