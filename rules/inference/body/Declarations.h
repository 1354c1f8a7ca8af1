//===- Declarations.h - What annotations say in a function ------*- C++ -*-===//
//
// Annotations name axes of a mesh, or parameters that hold axes of the caller;
// here they say what is required on each axis of the module.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_BODY_DECLARATIONS_H
#define SPMD_INFERENCE_BODY_DECLARATIONS_H

#include "engine/Engine.h"

namespace spmd::rules::inference {

class Declarations {
public:
  Declarations(Engine &E, const Function &F, const Context &C);

  //===--- Axes -----------------------------------------------------------===//
  const MeshSpec *mesh() const;
  const MeshSpec *meshOf(const Function &Of) const;
  /// None also where the axis is of size 1 on the mesh \p Of, or that of the
  /// function.
  std::optional<AxisId> findAxis(llvm::StringRef Name,
                                 const MeshSpec *Of = nullptr) const;
  AxisList axesOf(llvm::ArrayRef<std::string> Names,
                  const MeshSpec *Of = nullptr) const;
  /// The axes of the communicator that \p S is declared to be.
  AxisList spanOf(const Slot &S) const;
  /// Whether \p S is declared to be a communicator of one rank.
  bool isOfOneRank(const Slot &S) const;

  //===--- Types ----------------------------------------------------------===//
  /// What \p T, which is about the mesh \p Of or that of the function, requires
  /// on each axis: the full set where it says nothing.
  std::vector<AxisState> requirements(const TypeSpec &T,
                                      const MeshSpec *Of = nullptr) const;
  SpecPtr declaredSpec(const TypeSpec &T, const MeshSpec *Of = nullptr) const;

  //===--- Global code ----------------------------------------------------===//
  /// The axes on which \p Of is checked globally: those of its caller where it
  /// says nothing of itself.
  AxisList globalAxes(const Function &Of, const AxisList &OfCaller) const;
  /// What \p Spec says where only \p Inside are checked globally.
  SpecPtr specInside(const SpecPtr &Spec, const AxisList &Inside) const;
  bool isSingleton(AxisId A) const { return Sizes.All[A].Size.isOne(); }
  bool isAllGlobal() const { return Global.size() == E.universe().size(); }
  /// The axes that shard \p Value in a way nobody said.
  DimAxes looseAxes(const AbstractValue &Value) const;

  //===--- Values ---------------------------------------------------------===//
  const Origin *origin(Origin::Kind K, PlaceId At, llvm::StringRef Text) const {
    return E.arena().origin({&F, At, K, Text});
  }
  /// Where the layout of \p Value came from: where some axis of a dim did.
  Origin originOf(const AbstractValue &Value) const;
  AbstractValue unknownValue() const;
  AbstractValue constantValue(TypeSet Set, PlaceId At,
                              llvm::StringRef Text) const;
  /// The axes over which the whole number \p S is declared to differ, if they
  /// are several: it may be the rank over them.
  AxisMask rankOver(const Slot &S) const;
  AbstractValue declaredValue(const TypeSpec &T, PlaceId At,
                              llvm::StringRef Subject,
                              const MeshSpec *Of = nullptr) const;
  /// The axes on which \p S is a parameter that is declared to be overwritten
  /// by what all ranks have alike.
  AxisMask overwrittenAlike(const Slot &S) const;
  /// A literal may be of any type: in a body \p Given is what its parameter
  /// \p P is declared to be.
  void declareConstants(const Slot &P, AbstractValue &Given) const;
  /// \p Value is in storage, declared at \p At as that of \p Subject, of which
  /// is said that all ranks have the same there on the axes where they are
  /// \p Required to.
  void promise(AbstractValue &Value, llvm::ArrayRef<AxisState> Required,
               PlaceId At, llvm::StringRef Subject) const;
  /// What a variable or member holds at first that is declared to be \p T.
  AbstractValue promisedValue(const TypeSpec &T, PlaceId At,
                              llvm::StringRef Subject,
                              const MeshSpec *Of) const;

private:
  AxisTable axisTable() const;
  AxisMask namedAxes() const;
  bool isAxisFormal(const Slot &S) const;

  Engine &E;
  const Function &F;
  const Context &C;
  /// Of global code: the axes of its mesh, and others that it speaks of.
  AxisMask Named = 0;

public:
  AxisList Global; ///< the axes on which the body is checked globally
  AxisTable Sizes; ///< of all axes
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_DECLARATIONS_H
