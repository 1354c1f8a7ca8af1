//===- IRPartParser.h - Reading parts of facts ------------------*- C++ -*-===//

#ifndef SPMD_RULES_LIB_IRPARTPARSER_H
#define SPMD_RULES_LIB_IRPARTPARSER_H

#include "IRScanner.h"
#include "spmd/ir/IR.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace spmd::rules {

/// Slots, places, types and sizes, in the function that is being read.
class IRPartParser : protected IRScanner {
protected:
  explicit IRPartParser(llvm::StringRef Text) : IRScanner(Text) {}

  PlaceId place(llvm::StringRef Mark = "!");
  /// A number names a temporary; other names are declared before their use.
  SlotId slot(bool Declares = false);
  Operand operand(bool OfOp = false);
  std::shared_ptr<const TypeAnnotation> annotation();
  std::shared_ptr<const TypeSpec> spec();
  Atom atom();
  std::shared_ptr<const MeshSpec> mesh();
  OpArgument argument();
  SizeList sizes();
  SizeValue size();
  SizeValue factor();

  /// What is written inside a string; its errors have their place there.
  template <typename T> T payload(llvm::Expected<T> Parsed) {
    if (Parsed)
      return std::move(*Parsed);
    llvm::handleAllErrors(
        Parsed.takeError(),
        [this](const PayloadError &E) {
          failAt(StringAt + E.Offset, E.Message);
        },
        [this](const llvm::ErrorInfoBase &E) { fail(E.message()); });
    return T();
  }

  Function *F = nullptr;
  llvm::StringMap<SlotId> Slots; ///< of the function, by name

private:
  llvm::StringMap<std::shared_ptr<const MeshSpec>> Meshes;
};

} // namespace spmd::rules

#endif // SPMD_RULES_LIB_IRPARTPARSER_H
