//===- ParseSpec.h - Partition specs from their text ------------*- C++ -*-===//
//
// The grammar of annotations, of which a runtime needs the specs alone:
// "bf16[8@dp, H@(cp,tp)]{ep: R}".
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LIB_REDISTRIBUTE_PARSESPEC_H
#define SPMD_LIB_REDISTRIBUTE_PARSESPEC_H

#include "spmd/error.h"
#include "spmd/tags.h"

#include <optional>
#include <string_view>

namespace spmd::detail {

struct ParsedSpec {
  struct Dim {
    /// A number, a name, or "_".
    std::string Extent;
    std::vector<std::string> Axes; ///< outermost first

    std::optional<std::int64_t> size() const;
  };
  struct Atom {
    std::string Axis;
    LocalType Type;
  };
  std::string DType;
  std::vector<Dim> Dims;
  std::vector<Atom> Rest;

  bool shards(const std::string &Axis) const;
  /// What is said of \p Axis: V where it shards a dim.
  std::optional<LocalType> on(const std::string &Axis) const;
  ParsedSpec dual() const;
  std::string str() const;
};

/// An Error that says where, when \p Text is no partition spec.
ParsedSpec parseSpec(std::string_view Text);

} // namespace spmd::detail

#endif // SPMD_LIB_REDISTRIBUTE_PARSESPEC_H
