//===- CheckOpClasses.h - The rules of ordinary ops, by numbers -*- C++ -*-===//

#ifndef SPMD_ORACLE_CHECKOPCLASSES_H
#define SPMD_ORACLE_CHECKOPCLASSES_H

#include "spmd/ops/OpClass.h"

#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace spmd::oracle {

/// One judgement: an op of this class takes operands of these types to a result
/// of this type.
struct ClassCell {
  rules::OpClass Class;
  llvm::SmallVector<rules::LocalType, 3> Operands;
  rules::LocalType Result;
  bool Accepted; ///< by the rules
  /// No gradient flows back: the result is that of a selector after the op.
  bool LookedAt = false;

  std::string str() const; ///< "multilinear(P, R) -> P"
  /// A function that makes this judgement, as text of the IR.
  std::string program() const;
};

/// All tuples of one to three operands with all four results, of every class
/// whose ops are functions of their operands' values: not Random, and not
/// ShapeOnly, whose sets say what uneven shards may make of it. Those that pass
/// gradients on also where their result is only looked at.
std::vector<ClassCell> classCells();

/// Runs sample functions of the class on two to four ranks. A judgement is
/// right (docs/oracle.md) when the result is legal, means the function of what
/// the operands mean, and each operand's gradient is legal and pairs with every
/// tangent as the result's does. Returns what contradicts that, with the ranks'
/// values, or nothing when it is right on every try.
std::string findCounterexample(const ClassCell &C);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_CHECKOPCLASSES_H
