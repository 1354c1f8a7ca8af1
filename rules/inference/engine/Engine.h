//===- Engine.h - Functions, contexts and summaries -------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_ENGINE_ENGINE_H
#define SPMD_INFERENCE_ENGINE_ENGINE_H

#include "domain/MeshMap.h"
#include "domain/State.h"
#include "passes/BodyFacts.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <unordered_map>

namespace spmd::rules::inference {

/// What a caller hands to a body analysed in its context: for each slot of the
/// callee that the caller can see (parameters, fields, globals), which of
/// Cells it starts with. Aliased slots share a cell.
struct Context {
  /// By callee slot, in their order: index into Cells.
  llvm::SmallVector<std::pair<std::uint32_t, unsigned>, 8> CellOf;
  /// The gradient of one is an index, too.
  llvm::SmallVector<AbstractValue, 0> Cells;
  /// What numbers the parameters are, of those that decide a branch.
  llvm::SmallVector<std::pair<std::uint32_t, std::int64_t>, 2> Numbers;
  /// The axes on which the caller is checked globally.
  AxisList Global;
  /// Only the callee's contract is read, as the caller sees it.
  bool OfContract = false;
  /// The mesh of the caller, where the callee names no axis of its own.
  const MeshSpec *Mesh = nullptr;
  AxisMask ForeignGradients = 0; ///< of the caller's state
  /// Axis names of the callee's annotations that name its parameters: follows
  /// from what these are given, and so is no field.
  llvm::StringMap<AxisId> AxisOfFormal;

  static constexpr auto fields() {
    return std::tuple(
        Field{"cellOf", &Context::CellOf, Never()},
        Field{"cells", &Context::Cells, Never()},
        Field{"numbers", &Context::Numbers, Never()},
        Field{"global", &Context::Global, Never()},
        Field{"ofContract", &Context::OfContract, Never()},
        Field{"mesh", &Context::Mesh, Never()},
        Field{"foreignGradients", &Context::ForeignGradients, Never()});
  }
};

/// The axes on which somebody asked for the gradient of what is V, and those on
/// which for that of anything else.
struct AskedGradients {
  AxisMask OfVarying = 0, OfOthers = 0;
  void add(AskedGradients More) {
    OfVarying |= More.OfVarying;
    OfOthers |= More.OfOthers;
  }
};

/// What a body does to a context.
struct Summary {
  llvm::SmallVector<AbstractValue, 0> ExitCells; ///< Context::Cells afterwards
  llvm::BitVector Written; ///< those that are not only seen to be of some type
  bool Returns = false;
  int ResultAlias = -1; ///< index into Context::Cells, or
  AbstractValue Result; ///< a value of its own
  int ResultWhole = -1; ///< of which it may be a part or view
  /// By-reference slots and fields that name other storage at the exit.
  struct Rebinding {
    std::uint32_t Slot;
    int Alias;
    AbstractValue Value;
    int Whole = -1;
    /// The slot of an earlier rebinding, to the same storage of the body's own.
    std::optional<std::uint32_t> SameAs = std::nullopt;
  };
  std::vector<Rebinding> Rebindings;
  /// What surely differs between ranks, if each loop has a round.
  struct DivergedCell {
    unsigned Of; ///< index into Context::Cells
    AxisId Axis;
    AxisState As;
  };
  std::vector<DivergedCell> Diverged;
  /// What the gradients of Context::Cells are: one of these, or a new value.
  struct Gradient {
    unsigned Of;
    int Alias;
    AbstractValue Value;
  };
  std::vector<Gradient> Gradients;
  AxisMask ReducedGradients = 0; ///< the axes over which it sums some
  AskedGradients Asked;
  bool RunsBackward = false;     ///< and leaves new gradients everywhere
  AxisMask ForeignGradients = 0; ///< of the state at the exit
  /// The numbers that it is called with are those of another way than the one
  /// that is looked at.
  bool IsOffWay = false;
  /// Lists and what they were given to hold.
  std::vector<std::pair<unsigned, unsigned>> Joined;
};

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
         AnalyseFunction Run);

  InferenceResult run();

  /// The summary of \p F called with \p C. Null: recursive, too deep, too many
  /// contexts, or given up; the caller must assume anything.
  const Summary *summarise(const Function &F, const Context &C, bool Report,
                           Site From);

  const Function *find(llvm::StringRef Symbol) const;
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
  const InferenceOptions &options() const { return Options; }
  Arena &arena() { return Storage; }

  /// Adds the call stack and drops what was reported before.
  void report(Violation V);
  /// \p V, a loss that is V on \p A, is right where the gradients are summed
  /// over the axis before or after, and where nobody wants any but those of
  /// inputs, which differ, too: reported if the root of the analysis, with what
  /// it calls, does neither.
  void reportUnlessReduced(Violation V, AxisId A);
  void noteReducedGradients(AxisMask On) {
    ReducedUnder[Stack.front().F] |= On;
  }
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

  /// A function and what it is called with.
  using Case = std::pair<const Function *, Context>;
  struct CaseHash {
    std::size_t operator()(const Case &X) const {
      return llvm::hash_combine(X.first, X.second);
    }
  };
  static constexpr std::size_t Nothing = ~std::size_t(0); ///< of frames
  struct Memo {
    Summary S;
    bool Valid = false;
    bool Reported = false;
    bool Wrong = false; ///< something was found in it, or below
    bool GivenUp = false;
    std::size_t DependsOn = Nothing; ///< see Frame
  };
  using MemoMap = std::unordered_map<Case, Memo, CaseHash>;
  struct Frame {
    const Function *F;
    Site From;
    /// The outermost frame whose function was called again, and so cut off,
    /// from here: what came of it holds only within that one.
    std::size_t DependsOn = Nothing;
    /// What holds only within this one.
    llvm::SmallVector<const Case *, 0> Dependent;
  };
  void dependOn(std::size_t Outer);
  void popFrame(MemoMap::value_type &Of);

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
  };
  void dropUnlikely();
  bool findsGradients(llvm::StringRef Axis) const;
  bool isOfInputs(const OfLoss &L) const;
  void dropReduced();
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
  Arena Storage;
  llvm::StringMap<const Function *> BySymbol;
  MemoMap Memos;
  unsigned NumContexts = 0;
  llvm::SmallVector<Frame, 8> Stack;
  llvm::StringMap<std::size_t> Seen; ///< index into the violations
  std::vector<std::vector<Occurrence>> Occurrences; ///< of each violation
  std::vector<OfLoss> OfLosses;
  llvm::DenseMap<const Function *, AxisMask> ReducedUnder; ///< by root
  llvm::DenseMap<const Function *, AskedGradients> AskedUnder;
  using AtAxis = std::pair<const Function *, std::pair<unsigned, AxisId>>;
  llvm::DenseMap<AtAxis, llvm::SmallPtrSet<const TransferFact *, 1>>
      SumsOfReplicas;
  llvm::DenseSet<std::pair<const TransferFact *, AxisId>> Divided;
  unsigned NumFound = 0;                  ///< with those that were found before
  llvm::DenseSet<const Function *> Right; ///< nothing wrong in some call
  llvm::StringSet<> Called;               ///< by another function of the module
  llvm::StringSet<> Analysed;             ///< bodies that were reported on
  InferenceResult Result;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_ENGINE_ENGINE_H
