//===- CollectInsight.h - What inference tells editors ----------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_COLLECTINSIGHT_H
#define SPMD_LINT_LIB_COLLECTINSIGHT_H

#include "ProgramText.h"

#include "spmd/inference/Inference.h"
#include "spmd/lint/Insight.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

namespace spmd::lint {

/// What was seen of a slot, without the parts of the state that it came from.
struct SeenType {
  rules::TypedSlot::Role As = rules::TypedSlot::Role::Made;
  rules::PlaceId At = rules::PlaceId::None;
  rules::SlotId Slot = rules::SlotId::None;
  const rules::Fact *Of = nullptr;
  std::vector<std::pair<std::string, rules::AxisType>> Types;
  std::vector<rules::Origin> From;
  std::string Name, Text, Spec;
  bool ByItself = false;

  bool saysSomething() const { return !Text.empty(); }
};

/// Listens to an inference, then makes of what it heard what editors show.
class CollectInsight {
public:
  CollectInsight(const ProgramText &View, const rules::MeshSpec &Mesh)
      : View(View), Mesh(Mesh) {}

  void add(const rules::TypedSlot &T);
  Insight finish(const rules::Module &M, std::vector<std::string> Axes) const;

private:
  /// Of one function, in the order in which it was told.
  struct Seen {
    std::vector<SeenType> All;
    std::map<const rules::Fact *, std::vector<unsigned>> ByFact;
    /// What the op at a place takes.
    std::map<rules::PlaceId, std::vector<unsigned>> OperandsAt;
  };

  void addNames(const rules::Function &F, Insight &Out) const;
  void addTypes(const rules::Function &F, Insight &Out) const;
  void addCollectives(const rules::Function &F, Insight &Out) const;
  void addContract(const rules::Function &F, Insight &Out) const;
  void addFlow(const rules::Function &F, Insight &Out) const;

  /// What is known of it at one fact; null where nothing is.
  const SeenType *at(const rules::Function &F, const rules::Fact &Of,
                     rules::TypedSlot::Role As, rules::SlotId Slot) const;
  const Seen &of(const rules::Function &F) const;
  std::string whyOf(const rules::Function &F, const SeenType &Is,
                    std::size_t Axis) const;
  std::string axesOf(const rules::Function &F,
                     const rules::TransferFact &T) const;
  std::string detailOf(const rules::Function &F, const rules::Fact &X,
                       const rules::TransferFact &T) const;
  std::string bytesOf(const rules::Function &F, const rules::TransferFact &T,
                      llvm::StringRef Spec, llvm::StringRef Axes) const;
  std::optional<unsigned> nameEnd(const rules::Function &F,
                                  const SeenType &Is) const;

  const ProgramText &View;
  const rules::MeshSpec &Mesh;
  std::map<const rules::Function *, Seen> All;
};

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_COLLECTINSIGHT_H
