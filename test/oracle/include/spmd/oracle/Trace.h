//===- Trace.h - One run of a function of the IR ----------------*- C++ -*-===//
//
// The facts that a run goes through, as a graph of values: paths are taken,
// both of them where ranks may part, storage is resolved, calls of unannotated
// functions are inlined. A call of a function with a contract ends a piece of
// the run: what it is given is an output, what it returns an input, each of the
// type that the contract says.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_TRACE_H
#define SPMD_ORACLE_TRACE_H

#include "spmd/ir/IR.h"
#include "spmd/oracle/Mesh.h"

namespace spmd::oracle {

struct TraceNode {
  enum class Kind : std::uint8_t {
    Input,    ///< drawn, of types Types, by Key
    Constant, ///< the same number on all ranks, by Key; no gradient
    Zero,
    Rank,     ///< on Axes
    Op,       ///< the stand-in of Rule
    Overlay,  ///< part of the first operand replaced by the second
    Part,     ///< of the first operand, at the offset that is the second
    Transfer, ///< Fact on Axes
    Way,      ///< 1 where the operand takes the first way, at the Visit
              ///< unless it is OnOne rank of its axis that it does, or does not
    Choice,   ///< the second operand where the first is 1, else the third
  };
  Kind K = Kind::Constant;
  std::string Key;
  MeshTypes Types;
  const rules::OpRule *Rule = nullptr;
  llvm::SmallVector<unsigned, 3> FormalOf; ///< Op: parallel to Operands
  const rules::TransferFact *Fact = nullptr;
  llvm::SmallVector<unsigned, 2> Axes;
  unsigned Visit = 0;
  enum class One : std::uint8_t { None, First, Second } OnOne = One::None;
  llvm::SmallVector<unsigned, 3> Operands; ///< nodes
  bool HasGradient = false;                ///< something may flow back
};

/// A place where a value must have a type.
struct Observation {
  unsigned Node = 0;
  MeshTypes Types;
  std::string Key;
};

struct Trace {
  std::vector<TraceNode> Nodes; ///< operands before their uses
  std::vector<Observation> Observed;
  /// Some collective on a value with a gradient says no types: its backward is
  /// the program's business.
  bool Forward = false;
  std::string Unsupported; ///< why this run cannot be followed, if it cannot
};

/// Follows \p F from its entry on a path that \p Path chooses; the same number
/// chooses the same path through a function with the same blocks.
Trace traceFunction(const rules::Module &M, const rules::Function &F,
                    const Mesh &On, unsigned Path);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_TRACE_H
