//===- Insight.h - What is known of code, for editors -----------*- C++ -*-===//
//
// Plain data about one translation unit, beside its findings: the types of what
// stands where, why they are so, which collectives there are, what a function
// asks and returns, and how values flow through it.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_INSIGHT_H
#define SPMD_LINT_INSIGHT_H

#include "spmd/lint/Diagnostic.h"

namespace spmd::lint {

struct TypeOnAxis {
  std::string Axis;
  std::string Type; ///< "V", "S(0)", "R|I"
  std::string Why;  ///< "result of this 'mul' of 'x' (R) and 'w' (S(0))"
  Place From;       ///< where that is; may have no line
};

/// A value at a place.
struct TypedPlace {
  Place Where;      ///< the expression; of a variable, its declaration
  std::string Name; ///< of a variable; empty for other expressions
  /// Of a variable that is declared here: where its name ends. An editor writes
  /// its type there.
  std::optional<unsigned> NameEnd;
  std::string Type; ///< "tp: V, dp: R", "[B@dp, S]"
  std::vector<TypeOnAxis> Axes;
};

/// A collective, not a mere conversion.
struct CollectiveSite {
  Place Where;
  std::string Function;
  std::string Name;   ///< "all_reduce on tp"
  std::string Detail; ///< "P -> R, moves 2(N-1)/N of it"
};

/// What a body asks of the parameters that nobody described, and returns.
struct InferredContract {
  std::string Function;
  Place Where;      ///< the whole definition
  std::string Text; ///< "x: tp: R -> tp: V"
  /// That write it as annotations; empty where it is not all that callers need.
  std::vector<Edit> Edits;
};

struct FlowNode {
  enum class Kind : unsigned char {
    Value, ///< a parameter, a field, something of unknown code
    Op,
    Collective,
    Conversion, ///< moves no data
    Call,
    Return
  } K = Kind::Value;
  std::string Label;
  Place Where;
  std::vector<std::pair<std::string, std::string>> Types; ///< axis, type
  std::string Detail;
};
struct FlowEdge {
  unsigned From = 0, To = 0;
};

/// The values of a function as a graph, in the order of the text.
struct FunctionFlow {
  std::string Function;
  Place Where;
  std::vector<FlowNode> Nodes;
  std::vector<FlowEdge> Edges;
};

struct Insight {
  std::vector<std::string> Axes; ///< of the mesh and the annotations
  std::vector<std::string> Dims; ///< names of sizes in full types
  std::vector<TypedPlace> Types; ///< by place
  std::vector<CollectiveSite> Collectives;
  std::vector<InferredContract> Contracts;
  std::vector<FunctionFlow> Flows;
};

} // namespace spmd::lint

#endif // SPMD_LINT_INSIGHT_H
