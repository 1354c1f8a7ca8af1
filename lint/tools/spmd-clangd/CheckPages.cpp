//===- CheckPages.cpp - Where the code of a finding leads -----------------===//
//
// clangd links a check's name to clang-tidy's site, which has no page for ours.
// The linker's --wrap sends what is published here first.
//
//===----------------------------------------------------------------------===//

#include "spmd/lint/CompileCommands.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

namespace clang::clangd {
struct PublishDiagnosticsParams;
} // namespace clang::clangd

using clang::clangd::PublishDiagnosticsParams;
namespace json = llvm::json;

#define TO_JSON "_ZN5clang6clangd6toJSONERKNS0_24PublishDiagnosticsParamsE"

json::Value
stockPublished(const PublishDiagnosticsParams &) __asm__("__real_" TO_JSON);
json::Value
published(const PublishDiagnosticsParams &) __asm__("__wrap_" TO_JSON);

/// The page of a check of ours; nothing for another's.
static void setLink(json::Object &Finding, llvm::StringRef Pages) {
  const std::optional<llvm::StringRef> Check = Finding.getString("code");
  if (!Check || !Check->starts_with("spmd-"))
    return;
  if (Pages.empty())
    Finding.erase("codeDescription");
  else
    Finding["codeDescription"] = json::Object{
        {"href", ("file://" + Pages + "/" + *Check + ".md").str()}};
}

json::Value published(const PublishDiagnosticsParams &Params) {
  static const std::string Pages =
      spmd::lint::ToolchainPaths::find(
          llvm::sys::fs::getMainExecutable(
              "", reinterpret_cast<void *>(&published)))
          .CheckPages;
  json::Value Out = stockPublished(Params);
  if (json::Object *Message = Out.getAsObject())
    if (json::Array *Findings = Message->getArray("diagnostics"))
      for (json::Value &Finding : *Findings)
        if (json::Object *F = Finding.getAsObject())
          setLink(*F, Pages);
  return Out;
}
