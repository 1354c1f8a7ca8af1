//===- Engine.h - Functions, contexts and summaries -------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_ENGINE_ENGINE_H
#define SPMD_INFERENCE_ENGINE_ENGINE_H

#include "Memory.h"

#include "domain/MeshMap.h"
#include "passes/BodyFacts.h"
#include "passes/Overwritten.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace spmd::rules::inference {

class Engine;
/// Runs one function in one context, and reports what is wrong there if asked
/// to. Null when a cap was hit; the function then says nothing.
using AnalyseFunction = std::optional<Summary> (*)(Engine &, const Function &,
                                                   const Context &,
                                                   bool Report);

class Engine {
public:
  Engine(const Module &M, const InferenceOptions &Options,
         llvm::function_ref<void(const TypedSlot &)> OnType,
         AnalyseFunction Run, const SharedMemory *Shared = nullptr);

  InferenceResult run();

  /// The summary of \p F called with \p C. Null: recursive, too deep, too many
  /// contexts, or given up; the caller must assume anything.
  const Summary *summarise(const Function &F, const Context &C, bool Report,
                           Site From);

  const Function *find(llvm::StringRef Symbol) const;
  /// What \p F calls, and what that calls, with \p F itself.
  llvm::SmallSetVector<const Function *, 16>
  calledFrom(const Function &F) const;
  /// Whether \p F is being analysed with its parameters as declared.
  bool isByItself(const Function &F) const {
    return Stack.size() == 1 && Stack.front().F == &F;
  }
  /// And nothing in the module calls it.
  bool isRoot(const Function &F) const {
    return isByItself(F) && !Called.contains(F.Symbol);
  }
  const Universe &universe() const { return Axes; }
  /// Null where axes are what they are called.
  const MeshMap *meshMap(const MeshSpec *From, const MeshSpec *To);
  /// Whether some annotation or group of \p F is on axes by name: they are
  /// those of its mesh.
  bool namesAxes(const Function &F);
  const BodyFacts &factsOf(const Function &F);
  /// Whether \p F only writes to what its slot number \p I points to.
  bool overwrites(const Function &F, std::size_t I);
  const InferenceOptions &options() const { return Options; }
  Arena &arena() { return Kept->Storage; }

  /// Adds the call stack and drops what was reported before.
  void report(Violation V);
  /// \p V, a loss that is V on \p A, is right where the gradients are summed
  /// over the axis before or after, and where nobody wants any but those of
  /// inputs, which differ, too: reported if the root of the analysis, with what
  /// it calls, does neither. If the model \p IsOthers, who uses the gradients
  /// of it must, too.
  void reportUnlessReduced(Violation V, AxisId A, bool IsOthers);
  void noteReducedGradients(AxisMask On) {
    ReducedUnder[Stack.front().F] |= On;
  }
  /// \p In gives a hook gradients in each backward pass: whether it reduces
  /// them nobody knows.
  void noteHook(const Function &In);
  /// Some storage holds nothing but zeros, or did.
  void noteZeros() { HasZeros = true; }
  bool hasZeros() const { return HasZeros; }
  void noteAskedGradients(AskedGradients Of) {
    AskedUnder[Stack.front().F].add(Of);
  }
  /// \p Sum, in \p In, adds up equal values on \p A: no mistake if that is
  /// divided by the number of ranks then, which makes them the same again.
  void noteSumOfReplicas(const Function &In, const TransferFact &Sum,
                         AxisId A) {
    SumsOfReplicas[{&In, {index(Sum.At), A}}].insert(&Sum);
  }
  void noteDivided(const TransferFact &Sum, AxisId A) {
    Divided.insert({&Sum, A});
  }
  /// The same by some number of the host's, which may be that.
  void noteScaled(const TransferFact &Sum, AxisId A) {
    Scaled.insert({&Sum, A});
  }
  void giveUp(GiveUp Where);
  KnownTypes &known(const Function &F, PlaceId At) {
    return Result.Known[{&F, index(At)}];
  }
  void countFacts(unsigned N) { Result.FactsVisited += N; }
  const llvm::function_ref<void(const TypedSlot &)> *typeObserver() const {
    return OnType ? &OnType : nullptr;
  }

private:
  /// What tells one finding from others.
  static std::string keyOf(const Violation &V);
  /// Analyses a body by itself: its parameters are as declared.
  void analyse(const Function &F);

  struct Frame {
    const Function *F;
    Site From;
    /// The outermost frame whose function was called again, and so cut off,
    /// from here: what came of it holds only within that one.
    std::size_t DependsOn = Memo::Nothing;
    /// What holds only within this one.
    llvm::SmallVector<std::pair<MemoMap *, const Case *>, 0> Dependent;
    llvm::SmallVector<std::size_t, 0> Found; ///< see Memo
  };
  void dependOn(std::size_t Outer);
  MemoMap &memosOf(const Case &Of);
  void popFrame(MemoMap &Memos, MemoMap::value_type &Of);
  void noteReported(const Function &F, const Memo &Of, Site From);

  /// One way to a finding.
  struct Occurrence {
    std::vector<Site> CalledFrom;
    /// Those on the way that only may have been called.
    llvm::SmallVector<const Function *, 1> Choices;
  };
  /// Violations that hold where gradients are not reduced, by index.
  struct OfLoss {
    std::size_t Violation;
    AxisId Axis;
    const Function *Root;
    bool IsOthers; ///< of a model whose gradients others may reduce
  };
  void dropUnlikely();
  void noteOtherCalls();
  /// Reads of what was found to be wrong before.
  void dropExplained();
  bool findsGradients(llvm::StringRef Axis) const;
  bool isOfInputs(const OfLoss &L) const;
  void dropReduced();
  /// That gradients are pending, where hooks may have reduced them: in what is
  /// run with the function that registers them, and in methods of its class.
  void dropHooked();
  bool mayBeHooked(const Violation &V, const Occurrence &O) const;
  void dropAverages();

  const Module &M;
  const InferenceOptions &Options;
  llvm::function_ref<void(const TypedSlot &)> OnType;
  AnalyseFunction Run;
  Universe Axes;
  std::map<std::pair<const MeshSpec *, const MeshSpec *>,
           std::unique_ptr<MeshMap>>
      MeshMaps;
  llvm::DenseMap<const Function *, bool> NamesAxes;
  llvm::DenseMap<const Function *, std::unique_ptr<const BodyFacts>> Facts;
  llvm::DenseMap<const Function *, llvm::BitVector> Overwritten;
  llvm::StringMap<const Function *> BySymbol;
  const std::shared_ptr<Memory> Kept;
  const llvm::StringSet<> Except; ///< the functions that Kept is not of
  MemoMap OfExcept;
  const unsigned Number; ///< among the analyses that share Kept
  unsigned NumContexts = 0;
  llvm::SmallVector<Frame, 8> Stack;
  llvm::StringMap<std::size_t> Seen;        ///< index into the violations
  llvm::DenseSet<const Function *> InDoubt; ///< with a sure doubt
  std::vector<std::vector<Occurrence>> Occurrences; ///< of each violation
  std::vector<OfLoss> OfLosses;
  llvm::DenseMap<const Function *, AxisMask> ReducedUnder; ///< by root
  bool HasZeros = false;
  llvm::DenseMap<const Function *, AskedGradients> AskedUnder;
  using AtAxis = std::pair<const Function *, std::pair<unsigned, AxisId>>;
  llvm::DenseMap<AtAxis, llvm::SmallPtrSet<const TransferFact *, 1>>
      SumsOfReplicas;
  llvm::DenseSet<std::pair<const TransferFact *, AxisId>> Divided, Scaled;
  llvm::DenseSet<const Function *> Hooked;
  llvm::StringSet<> HookedClasses;
  unsigned NumFound = 0;                  ///< with those that were found before
  llvm::DenseSet<const Function *> Right; ///< nothing wrong in some call
  /// By number of the finding, the calls of its function where it holds.
  llvm::DenseMap<std::size_t, std::vector<Site>> WrongCalls;
  llvm::StringSet<> Called;   ///< by another function of the module
  llvm::StringSet<> Analysed; ///< bodies that were reported on
  InferenceResult Result;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_ENGINE_ENGINE_H
