//===- Execute.h - Programs of the IR, run on ranks and as meant -*- C++
//-*-===//
//
// Straight-line functions over one axis, forward and backward. Run on N ranks,
// every fact does what its ranks would do. Run as meant, a value is what its
// type says it stands for and nothing is distributed: what one device computes.
// A type system is right when the two agree.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_EXECUTE_H
#define SPMD_ORACLE_EXECUTE_H

#include "spmd/oracle/Ranks.h"
#include "spmd/rules/IR.h"

#include "llvm/ADT/ArrayRef.h"

namespace spmd::oracle {

/// The ops that stand for their classes in programs, by their catalogue names.
struct ElementOp {
  const char *Name;
  unsigned Arity;
  Number (*Value)(const Number *);
  Number (*Derivative)(const Number *, unsigned Operand);
};
/// Element by element, on operands of one shape.
llvm::ArrayRef<ElementOp> elementOps();

/// A function of one block: element ops, operators with declared types,
/// and at the end a return.
struct Program {
  std::unique_ptr<rules::Function> F;
  std::vector<rules::LocalType> Types; ///< of the parameters
  std::vector<Shape> Shapes;
};

/// Runs \p P on \p N ranks and as meant, forward and backward, on small
/// numbers, its result taken for \p Result. Empty when the result is legal and
/// means the same, and so is and does every parameter's gradient; else what
/// differs.
std::string checkProgram(const Program &P, rules::LocalType Result, int N,
                         unsigned Seed);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_EXECUTE_H
