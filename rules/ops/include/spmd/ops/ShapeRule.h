//===- ShapeRule.h - What an op does to the dims of its operands -*- C++ -*-==//
//
// The `factors` of an op rule say which dims of the operands and of the results
// are one: alternatives, separated by `|`, the first that fits the call holds.
// An alternative is factor notation (OpSpec.h),
//   "k, k -> | m k, k -> m | ... m k, ... k n -> ... m n"
// or a term over the call's arguments:
//   "elementwise of self, other | fold(dim, keepdim)"
//
// Operands. Alternatives speak of the rule's formals in their order, the first
// operand of a notation is the first formal; or of those named after `of`, in
// that order. A variadic formal stands for each of its actuals alike. A formal
// that an alternative does not speak of plays no part: if the call gives a
// tensor for it, all dims of that tensor are needed whole. An empty operand of
// a notation is a scalar.
//
// Fitting. A notation fits when the call gives all of its operands (empty ones
// and those with `?` after `of` may be absent), each with as many dims, those
// written `1` of size one, and without `of` no tensor besides. A term fits when
// the call gives its operands, or all formals named after `of` but those with
// `?`, and the overload has the parameters that the term cannot do without.
// While it is not known whether an alternative fits, nothing is known. When
// none fits, nothing is known either; but where all are notations without `of`,
// they have all numbers of dims that the op takes, and the call is wrong.
//
// Parameters. In the brackets stand parameters of the C++ function: names
// separated by `|` for overloads that differ, `=` what holds where the overload
// has none of them, or just a number. Where an overload has a parameter
// `options` instead, what it holds is not known.
//
// Results. A term gives the same dims to each of the op's results, and a
// notation those that it lists; other results are unknown. A notation may list
// more results than the overload has.
//
// Factors. An unmarked factor that an operand and a result have may be sharded
// in all of them alike. An unmarked one that is in no result is added up: its
// shards give a pending sum. A mark in one place holds in all: `x^` is needed
// whole, and is whole in a result, also when only a result has it. A dim of
// size one where another operand has more stands for the factor broadcast.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_OPS_SHAPERULE_H
#define SPMD_OPS_SHAPERULE_H

#include "spmd/ops/OpArgument.h"
#include "spmd/ops/OpSpec.h"

namespace spmd::rules {

/// `(a, b?)` names the term's parameters in their order; it can do without
/// those with `?`. Terms of one operand take no notice of the other formals,
/// unless those are named after `of`: they are broadcast together first.
enum class ShapeTerm : std::uint8_t {
  Elementwise, ///< all operands aligned at the last dim and broadcast
  Each,        ///< lists: elementwise, the i-th elements together
  Sum,         ///< (dim?, keepdim?) adds up along dims; without dim: all
  Fold,        ///< (dim?, keepdim?) another function of whole dims: max, mean
  Along,       ///< (dim?) keeps dims, but needs these whole: softmax
  Swap,        ///< (dim0, dim1)
  Permute,     ///< (dims)
  Move,        ///< (source, destination)
  Reverse,     ///< the dims in reverse order
  Insert,      ///< (dim) a new dim: of size one, or (lists) of all elements
  Remove,      ///< (dim?) a dim of size one goes; without dim: all of them
  Reshape,     ///< (size)
  Flatten,     ///< (start_dim?, end_dim?)
  Unflatten,   ///< (dim, sizes)
  Like,        ///< has the dims of the last operand: view_as
  Expand,      ///< (size)
  Repeat,     ///< (repeats) the whole tensor several times, aligned at the last
  Interleave, ///< (dim?) each element r times: h -> (h r^); all flat without
              ///< dim. Needs the dim whole unless r is one host integer
  Concat,     ///< (dim) operands one after another
  Part,       ///< (dim?) dims needed whole that get another size
  Pad,        ///< (pad) Part of the last dims, half as many as the list is long
  Pick,       ///< (dim) one element of a dim; the dim goes
  Gather,  ///< (dim?) operands self, index: index has the dims of the result,
           ///< self the same but dim, which it needs whole
  Lookup,  ///< (dim?) operands self, index: the dims of index replace a dim of
           ///< self, needed whole: embedding; without dim: all of them
  Index,   ///< (dims) operands self, indices: each picks along one of the dims,
           ///< which are needed whole; together broadcast they take the place
           ///< of the dims, or go first where other dims are between these
  Put,     ///< (dims) operands self, indices, values?: the values go where
           ///< Index reads; positions are needed whole, and self is kept
  Scatter, ///< (dim) others are written into the first: all dims are shared
           ///< but dim, which is needed whole in each
  Batch,   ///< (n) the last n dims (a list: its length) are needed whole, or
           ///< for negative n all but the first -n; the others are kept.
           ///< Only the first result is known
  Channels, ///< (training) batch norm: dim 1 is kept, the others are needed
            ///< whole when training; other operands have dim 1 only. Only
            ///< the first result is known
  Convolve, ///< (groups?, transposed?) input n c x.., weight o c k.. (c o k..
            ///< transposed), bias o -> n o x..; n may be missing. With groups
            ///< only n is kept. c is added up without bias, whole with one
  Attend,   ///< (is_causal?, enable_gqa?) query ... l e^, key ... s^ e^, value
            ///< ... s^ d, mask ... l s^ -> ... l d; l^ when causal. With GQA
            ///< the last batch dim of key and value is a divisor of
  ///< query's. Only the first result is known
  Loss,     ///< (reduction) elementwise, then ATen's: 0 none, 1 mean (Fold), 2
            ///< Sum of all. Only the first result is known
  Classify, ///< (reduction) Loss of input n c^ .., target n .. or as the
            ///< input, others c^; c^ and a scalar without n
  Create,   ///< (size) new dims with these local sizes, a part of any whole;
            ///< or (end, start, step) numbers that count, which are no part
  Places,   ///< (size, size?) new dims with these local sizes, the second as
            ///< the first where it is absent: what begins alike on every rank
            ///< is no part of a whole
  Written,  ///< the dims of the storage that is written: zero_
  Whole,    ///< every dim is needed whole; the result is unknown
  Einsum,   ///< (equation)
};
llvm::StringRef shapeTermName(ShapeTerm T);
/// One sentence for people.
llvm::StringRef shapeTermMeaning(ShapeTerm T);
/// How many of its parameters a term cannot do without; they come first.
unsigned numRequiredParameters(ShapeTerm T);

/// The parameter that a term reads, and what it is when there is none.
struct ShapeParameter {
  std::string Name; ///< names, separated by '|'; empty: always Default
  std::optional<std::int64_t> Default;

  friend bool operator==(const ShapeParameter &,
                         const ShapeParameter &) = default;
};

/// A formal that is named after `of`.
struct ShapeOperand {
  std::string Name;
  bool Optional = false;

  friend bool operator==(const ShapeOperand &, const ShapeOperand &) = default;
};

struct ShapeRule {
  ShapeTerm Term = ShapeTerm::Elementwise;
  /// In the term's order; those that are not given are absent in all calls.
  llvm::SmallVector<ShapeParameter, 2> Parameters;
  /// Not empty: the first of these that fits, instead of the term.
  std::vector<FactorNotation> Notations;
  /// Empty: the formals in their order.
  llvm::SmallVector<ShapeOperand, 2> Of;
  /// The alternatives where this one does not fit; they have none themselves.
  std::vector<ShapeRule> Otherwise;

  friend bool operator==(const ShapeRule &, const ShapeRule &) = default;
};

/// Errors are PayloadErrors.
llvm::Expected<ShapeRule> parseShapeRule(llvm::StringRef Text);
std::string printShapeRule(const ShapeRule &R);

/// What `[[spmd::op]]` says about dims; nothing for a class.
std::optional<ShapeRule> shapeRuleOf(const OpSpec &S);

} // namespace spmd::rules

#endif // SPMD_OPS_SHAPERULE_H
