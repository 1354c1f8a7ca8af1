//===- OpCatalogue.cpp - The open vocabulary of ops -----------------------===//

#include "spmd/ops/OpCatalogue.h"
#include "OpNames.h"
#include "OpReader.h"
#include "spmd/ops/EmbeddedFiles.h"

#include "llvm/ADT/StringExtras.h"

#include <optional>

namespace spmd::rules {
namespace {

/// A namespace or class whose members are ops of the aten scope, and what
/// their names begin with there.
struct Scope {
  llvm::StringLiteral Name;
  llvm::StringLiteral Prefix;
};
constexpr Scope AtenScopes[] = {
    {"at", ""},
    {"torch", ""},
    {"at::Tensor", ""},
    {"at::TensorBase", ""},
    {"torch::Tensor", ""},
    {"torch::nn::functional", ""},
    {"torch::linalg", "linalg_"},
    {"torch::fft", "fft_"},
    {"torch::special", "special_"},
};

/// `torch::fft::rfft` is `fft_rfft`; none outside the aten scope.
std::optional<std::string> atenName(llvm::StringRef QualifiedName) {
  const auto [Space, Name] = QualifiedName.rsplit("::");
  for (const Scope &S : AtenScopes)
    if (Space == S.Name)
      return (S.Prefix + Name).str();
  return std::nullopt;
}

} // namespace

const OpCatalogue &OpCatalogue::builtin() {
  static const OpCatalogue Catalogue = [] {
    OpCatalogue C;
    for (const EmbeddedFile &F : embeddedOpFiles())
      if (llvm::Error E = C.add({F.Text, F.Name}, Source::Builtin))
        llvm::report_fatal_error(std::move(E));
    return C;
  }();
  return Catalogue;
}

llvm::Error OpCatalogue::addYAML(llvm::MemoryBufferRef Buffer) {
  return add(Buffer, Source::User);
}

llvm::Error OpCatalogue::add(llvm::MemoryBufferRef Buffer, Source From) {
  llvm::Expected<std::vector<OpRule>> Read = readOpRules(Buffer);
  if (!Read)
    return Read.takeError();
  for (OpRule &R : *Read) {
    if (From == Source::User && R.FullNames.empty())
      R.FullNames.push_back(R.Name);
    // A new rule for an op replaces the old one under all of its names.
    const auto Known = AtenNames.find(R.Name);
    const bool Replaces =
        Known != AtenNames.end() && Rules[Known->second].Name == R.Name;
    const unsigned Index =
        Replaces ? Known->second : static_cast<unsigned>(Rules.size());
    AtenNames[R.Name] = Index;
    for (llvm::StringRef Alias : R.Aliases)
      AtenNames[Alias] = Index;
    for (llvm::StringRef Name : R.FullNames) {
      Name.consume_front("::");
      FullNames[Name] = Index;
    }
    if (Replaces)
      Rules[Index] = std::move(R);
    else
      Rules.push_back(std::move(R));
  }
  return llvm::Error::success();
}

OpMatch OpCatalogue::find(llvm::StringRef QualifiedName) const {
  QualifiedName.consume_front("::");
  if (const auto It = FullNames.find(QualifiedName); It != FullNames.end())
    return {&Rules[It->second]};
  const std::optional<std::string> Aten = atenName(QualifiedName);
  if (!Aten)
    return {};
  llvm::StringRef Name = *Aten;
  // Ops that exist in place only are catalogued with their underscore.
  if (const OpRule *R = rule(Name))
    return {R};
  if (Name.consume_back("_out") || Name.consume_back("_outf"))
    return {rule(Name), /*InPlace=*/false, /*OutVariant=*/true};
  // `__iand__` is `__and__` in place.
  if (Name.starts_with("__i") && Name.ends_with("__"))
    return {rule(("__" + Name.drop_front(3)).str()), /*InPlace=*/true};
  if (Name.consume_back("_"))
    return {rule(Name), /*InPlace=*/true};
  return {};
}

const OpRule *OpCatalogue::rule(llvm::StringRef Op) const {
  const auto It = AtenNames.find(Op);
  return It == AtenNames.end() ? nullptr : &Rules[It->second];
}

std::vector<std::string> OpCatalogue::nearest(llvm::StringRef Name) const {
  const std::optional<std::string> Aten = atenName(Name);
  llvm::SmallVector<llvm::StringRef, 0> Known;
  for (const auto &Entry : AtenNames)
    Known.push_back(Entry.getKey());
  for (const auto &Entry : FullNames)
    Known.push_back(Entry.getKey());
  return nearestNames(Aten ? llvm::StringRef(*Aten) : Name, Known, 3);
}

} // namespace spmd::rules
