//===- ContractFindings.h - Values that contradict annotations --*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_CONTRACTFINDINGS_H
#define SPMD_INFERENCE_CHECK_CONTRACTFINDINGS_H

#include "body/Body.h"

namespace spmd::rules::inference {

/// What code of another mesh says, on the axes of that.
struct Foreign {
  const MeshMap &Map;
  std::vector<AxisState> Types;
  SpecPtr Spec;
  std::string NoSpec; ///< why Spec has no equal form here
};

/// An annotation that asks something of a value.
struct Requirement {
  Annotated On;
  llvm::StringRef Subject;
  PlaceId DeclaredAt;
  const Function *DeclaredIn;
  SpecPtr Spec = nullptr;
  const Foreign *There = nullptr;
  bool IsElement = false; ///< of a buffer, not a tensor
};

class ContractFindings {
public:
  explicit ContractFindings(Body &In) : In(In) {}

  /// \p Value is \p Was on \p A, and must be what \p Required says there.
  void clash(Operand Value, const AxisState &Was, const AbstractValue &Before,
             llvm::ArrayRef<AxisState> Required, const Requirement &Why,
             PlaceId At, AxisId A);
  /// Strict: only some of what it may be is \p Wanted.
  void mayClash(Operand Value, const AxisState &Was, TypeSet Wanted,
                const Requirement &Why, PlaceId At, AxisId A);
  /// The partition spec of \p Now is another than is required.
  void specClash(Operand Value, const AbstractValue &Now, const SpecClash &How,
                 llvm::ArrayRef<AxisState> Required, const Requirement &Why,
                 PlaceId At);
  /// Strict: what is said on another mesh is not compared with what is known
  /// here.
  void noForm(Operand Value, const AbstractValue &Before,
              const Requirement &Why, PlaceId At);

private:
  static ContractClash clashOf(const Requirement &Why);
  AxisId axisOfClash(const PartitionSpec &Has, const PartitionSpec &Wanted,
                     const SpecClash &Clash) const;

  Body &In;
  const Declarations &Decls = In.Decls;
  Storage &Store = In.Store;
  Reporter &Report = In.Report;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_CONTRACTFINDINGS_H
