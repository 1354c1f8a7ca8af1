//===- Graph.h - A function as values of whole tensors ----------*- C++ -*-===//
//
// What is to be sharded: the tensors of a function with their whole sizes, and
// the ops between them with their factors. Collectives and conversions change
// how a tensor lies, not what it is, so here they are nothing: a suggestion
// chooses anew.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_SHARDING_GRAPH_H
#define SPMD_SHARDING_GRAPH_H

#include "spmd/sharding/ValueType.h"

#include "spmd/ir/IR.h"
#include "spmd/ops/FactorRule.h"

#include "llvm/ADT/StringMap.h"

namespace spmd::sharding {

using ValueId = unsigned;

/// A place in the function, and what is wrong or odd there.
struct Note {
  rules::PlaceId At = rules::PlaceId::None;
  std::string Message;
};
/// An error with its place in the function.
class GraphError : public llvm::ErrorInfo<GraphError> {
public:
  static char ID;
  explicit GraphError(Note N) : What(std::move(N)) {}
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

  Note What;
};

/// A tensor.
struct Value {
  enum class Source : std::uint8_t {
    Input,  ///< a parameter with the batch dim
    Weight, ///< any other parameter, field or global
    Made,   ///< by an op
  } From = Source::Made;
  std::string Name; ///< as written; of what an op made: the op's name
  rules::PlaceId At = rules::PlaceId::None;
  bool HasDims = false; ///< false: nobody knows them
  planner::Shape Sizes;
  std::vector<std::string> Written; ///< the sizes as they were written
  std::string DType;                ///< empty: not said, 4 bytes
  int ElementBytes = 4;
  /// Whether a gradient flows back through it.
  bool Differentiable = true;
  std::optional<unsigned> BatchDim;
  std::optional<unsigned> Maker; ///< the node that makes it
  /// Inputs and weights: where they come from and what is said of them.
  rules::SlotId Slot = rules::SlotId::None;
  std::shared_ptr<const rules::TypeAnnotation> Declared;
};

struct Node {
  const rules::OpFact *Op = nullptr; ///< null: a call, or code nobody sees
  /// The result is one of the operands, or the one that there is: where ways
  /// through the function meet, where a loop begins again, and where an
  /// annotation says something.
  bool Joins = false;
  /// Joins: what an annotation says of it.
  std::shared_ptr<const rules::TypeSpec> Declared;
  std::string Name;
  rules::PlaceId At = rules::PlaceId::None;
  struct Use {
    std::optional<ValueId> Value; ///< nothing: a host number
    rules::PlaceId At = rules::PlaceId::None;
  };
  llvm::SmallVector<Use, 3> Operands;
  std::optional<ValueId> Result;
  /// Of the whole tensors; nothing when nobody knows: then every rank needs
  /// all of each operand.
  std::optional<rules::FactorRule> Rule;
  /// The values whose sizes the op's arguments speak of, by slot.
  llvm::SmallVector<std::pair<rules::SlotId, ValueId>, 2> Measured;

  bool isView() const { return Op && !Op->Rule->Views.empty(); }
};

/// A value that an annotation in the body describes: of a local, or of a
/// parameter or the result of a function that is called.
struct Description {
  std::string Name;
  rules::PlaceId At = rules::PlaceId::None; ///< of the annotation
  ValueId Of = 0;
  std::shared_ptr<const rules::TypeSpec> Is;
};

struct Graph {
  const rules::Function *F = nullptr;
  planner::DeviceMesh Mesh;
  rules::AxisTable Axes; ///< the mesh as rules see it
  std::vector<Value> Values;
  /// In the order of the program; what a loop makes is an operand of the join
  /// at its begin.
  std::vector<Node> Nodes;
  std::vector<Description> Descriptions;
  std::optional<ValueId> Returned;
  rules::PlaceId ReturnedAt = rules::PlaceId::None;
  std::string BatchName; ///< the size that is divided among data-parallel ranks
  llvm::StringMap<std::int64_t> Sizes; ///< what names stand for
  std::vector<Note> Notes;

  /// Once for each place and message.
  void note(rules::PlaceId At, const llvm::Twine &Message);
};

struct GraphOptions {
  llvm::StringMap<std::int64_t> Sizes; ///< what names of sizes stand for
  std::string Batch; ///< empty: the first dim of the first parameter
};

/// All ways through \p F are taken, and each loop once. Errors are GraphErrors:
/// a size that is not known, no dims at all.
llvm::Expected<Graph> buildGraph(const rules::Function &F,
                                 const planner::DeviceMesh &Mesh,
                                 const GraphOptions &Options);

} // namespace spmd::sharding

#endif // SPMD_SHARDING_GRAPH_H
