//===- ShapeRule.h - What an op does to the dims of its operands -*- C++
//-*-===//
//
// The `factors` of an op rule say which dims of the operands and of the result
// are one: as factor notation (OpSpec.h), one per rank, separated by `|`,
//   "m k, k n -> m n | k, k n -> n"
// or as a term over the call's arguments, which gives the notation of each
// call:
//   elementwise             all dims are kept; aligned at the last, 1
//   broadcasts sum(dim, keepdim)       adds the elements along dims; without
//   dims: all fold(dim, keepdim)      any other function of whole dims: max,
//   mean, norm along(dim)              dims are kept, but each is needed whole:
//   softmax swap(dim0, dim1)  permute(dims)  move(source, destination)  reverse
//   insert(dim)             a new dim of size one, or (stack) of all operands
//   remove(dim)             a dim of size one goes; without dim: all of them
//   reshape(size)  flatten(start_dim, end_dim)  unflatten(dim, sizes)
//   like                    has the dims of the last operand: view_as
//   expand(size)  repeat(repeats)
//   concat(dim)             operands one after another
//   part(dim)               some of the elements of a dim; the dim is kept
//   pick(dim)               one element of a dim; the dim goes
//   gather(dim)             index has the dims of the result, self others at
//   dim lookup(dim)             the dims of index replace a dim of self:
//   embedding scatter(dim)            self is written at index along dim
//   batch(n)                the last n dims are needed whole, the others kept
//   whole                   every dim is needed whole; the result is unknown
//   einsum(equation)
// The names in brackets are parameters of the C++ function; where the overload
// has no such parameter, a value stands behind it: along(dim=-1).
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_RULES_SHAPERULE_H
#define SPMD_RULES_SHAPERULE_H

#include "spmd/rules/OpArgument.h"
#include "spmd/rules/OpSpec.h"

namespace spmd::rules {

enum class ShapeTerm : std::uint8_t {
  Elementwise,
  Sum,
  Fold,
  Along,
  Swap,
  Permute,
  Move,
  Reverse,
  Insert,
  Remove,
  Reshape,
  Flatten,
  Unflatten,
  Like,
  Expand,
  Repeat,
  Concat,
  Part,
  Pick,
  Gather,
  Lookup,
  Scatter,
  Batch,
  Whole,
  Einsum,
};
llvm::StringRef shapeTermName(ShapeTerm T);

/// The parameter that a term reads, and what it is when there is none.
struct ShapeParameter {
  std::string Name; ///< names, separated by '|'; empty: always Default
  std::optional<std::int64_t> Default;
};

struct ShapeRule {
  ShapeTerm Term = ShapeTerm::Elementwise;
  llvm::SmallVector<ShapeParameter, 2> Parameters; ///< in the term's order
  /// Not empty: one of these instead of the term.
  std::vector<FactorNotation> Notations;
};

/// Errors are PayloadErrors.
llvm::Expected<ShapeRule> parseShapeRule(llvm::StringRef Text);

} // namespace spmd::rules

#endif // SPMD_RULES_SHAPERULE_H
