//===- Explain.h - Plans as text, also of sizes without numbers -*- C++ -*-===//

#ifndef SPMD_PLANNER_EXPLAIN_H
#define SPMD_PLANNER_EXPLAIN_H

#include "spmd/planner/Plan.h"
#include "spmd/planner/Specs.h"

namespace spmd::planner {

/// The dims of a tensor, of which some sizes are names. Names are taken to
/// divide evenly: then what a plan moves grows with each of them, and a plan
/// for some sizes tells what the same plan does for all.
class TensorSizes {
public:
  TensorSizes(const Shape &S); ///< numbers
  /// "B", "3*H" and the like; an error for "_".
  static llvm::Expected<TensorSizes> of(const rules::TypeSpec &T,
                                        const DeviceMesh &M);

  /// The numbers, and for each name one that divides evenly on the mesh.
  const Shape &sample() const { return Sample; }
  llvm::ArrayRef<std::string> names() const { return Names; }
  llvm::ArrayRef<std::string> written() const { return Written; }
  /// "4096", "7/8*B*H": of what is \p Elements for the sample.
  std::string bytes(double Elements, int ElementSize) const;

  friend bool operator==(const TensorSizes &, const TensorSizes &) = default;

private:
  TensorSizes() = default;

  Shape Sample;
  std::vector<std::string> Written; ///< by dim
  std::vector<std::string> Names;   ///< in the order of the dims
  std::vector<std::string> Factors; ///< names of all dims, again where again
  std::int64_t OfNames = 1;         ///< what the factors are in the sample
};

/// In bytes, from the digits of the name: bf16 has two, f32 and no name four.
int elementSize(llvm::StringRef DType);

/// A list of the steps, then the sums. \p ElementSize in bytes.
std::string explain(const Plan &P, const Layout &From, const TensorSizes &S,
                    const DeviceMesh &M, int ElementSize);

/// Plans and explains. Where the best plan depends on the sizes of names, both
/// the one for small and the one for large tensors.
std::string explainRedistribution(const Layout &From, const Layout &To,
                                  const TensorSizes &S, const DeviceMesh &M,
                                  int ElementSize, const Link &Everywhere);

} // namespace spmd::planner

#endif // SPMD_PLANNER_EXPLAIN_H
