//===- LayerCatalogue.h - The layers of libraries ---------------*- C++ -*-===//
//
// rules/ops/layers/*.yaml, embedded at build time: which op the forward of a
// layer is, and which of its operands the layer has as parameters.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_OPS_LAYERCATALOGUE_H
#define SPMD_OPS_LAYERCATALOGUE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>
#include <vector>

namespace spmd::rules {

struct LayerRule {
  enum class InitialValues : std::uint8_t { Drawn, Constant };

  std::vector<std::string> Layers; ///< without namespace and `Impl`
  /// Empty: linear in nothing that it takes.
  std::string Op;
  std::vector<std::string> Parameters; ///< operands of Op
  /// From a random generator, or ones and zeros.
  InitialValues Initial = InitialValues::Drawn;
};

class LayerCatalogue {
public:
  /// The layers that the tool knows.
  static const LayerCatalogue &builtin();

  /// Adds the entries of a YAML document.
  llvm::Error add(llvm::MemoryBufferRef Document);

  /// Null for a layer of no entry.
  const LayerRule *find(llvm::StringRef Layer) const;
  llvm::ArrayRef<LayerRule> rules() const { return Rules; }

private:
  std::vector<LayerRule> Rules;
  llvm::StringMap<std::size_t> ByName;
};

} // namespace spmd::rules

#endif // SPMD_OPS_LAYERCATALOGUE_H
