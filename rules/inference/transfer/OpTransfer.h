//===- OpTransfer.h - Ordinary ops ------------------------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_TRANSFER_OPTRANSFER_H
#define SPMD_INFERENCE_TRANSFER_OPTRANSFER_H

#include "LayoutTransfer.h"
#include "body/SummedTerms.h"

namespace spmd::rules::inference {

class OpTransfer {
public:
  OpTransfer(Body &In, LayoutTransfer &Layouts) : In(In), Layouts(Layouts) {}

  void run(const OpFact &O);

private:
  using Values = llvm::ArrayRef<const AbstractValue *>;
  /// An op that is run, and what becomes of it.
  struct Run {
    const OpFact &O;
    llvm::SmallVector<const AbstractValue *, 4> Cells = {};
    /// By operand: whether its value matters.
    llvm::SmallVector<bool, 4> Reads = {};
    AxisList Summed = {};      ///< the axes of out_partial
    bool ScalesTensor = false; ///< by a number of the host's
    AbstractValue Out = {};
    bool Wrong = false; ///< something of it, which is told
    const Origin *OfOp = nullptr, *OfConstant = nullptr;
    /// By axis: the sum that one rank adds to.
    llvm::SmallVector<SlotId, 4> AddedTo = {};
    AxisMask AddedToGradient = 0; ///< the axes where it is a gradient's
    /// Those where it is found to be no average.
    AxisMask NoAverage = 0;
  };
  Run begin(const OpFact &O);
  void onAxis(Run &Of, AxisId A);
  static bool dividesEqually(const Run &Of, AxisId A,
                             llvm::ArrayRef<TypeSet> Sets);
  static std::optional<std::size_t>
  dividedByRanks(const Run &Of, AxisId A, llvm::ArrayRef<TypeSet> Sets);
  void noteAverage(Run &Of, AxisId A, std::size_t I) const;
  void noteScaled(const Run &Of, AxisId A) const;
  RuleResult apply(const Run &Of, AxisId A, llvm::ArrayRef<TypeSet> Sets) const;
  void noteExtreme(const Run &Of, AxisId A, AxisState &Is) const;
  void noteUpdate(const Run &Of, AxisId A, llvm::ArrayRef<TypeSet> Sets);
  static OwnTerms ownTerms(const Run &Of, AxisId A);
  static bool isOfShards(const Run &Of, AxisId A);
  static bool isZero(const Run &Of);
  bool isStep(const Run &Of);
  static void matchStep(llvm::MutableArrayRef<TypeSet> Sets);
  void keepLayout(Run &Of) const;
  bool storesZeros(const OpFact &O, const AbstractValue &Value);
  void noteLostGradient(const Run &Of);
  static bool addsMessages(const Run &Of, AxisId A);
  static bool addsToGradient(const Run &Of, AxisId A,
                             llvm::ArrayRef<TypeSet> Sets);
  bool writesOperand(const OpFact &O, std::size_t I);
  bool readsUnfit(const Run &Of, AxisId A, TypeSet Output);
  static bool usesGradient(const Run &Of);
  bool collectsGradient(const Run &Of) const;
  void noteDivergence(const Run &Of, AxisId A, AxisState &Is);
  void make(Run &Of, AxisId A, const RuleResult &R,
            llvm::ArrayRef<TypeSet> Sets, bool Constant);
  void matchShards(const Run &Of, AxisId A, AxisState &Is);
  static bool contractsShard(const Run &Of, AxisId A);
  void noteNonlinearTerm(const Run &Of, AxisId A);
  static AxisMask freshGradient(const Run &Of);
  void describe(Run &Of);
  void write(Run &Of);
  void divideRank(const OpFact &O, Values Cells, AbstractValue &Out) const;
  TypeSet mayOf(const OpFact &O, AxisId A, Values Cells, TypeSet Output) const;
  bool slicesPending(const OpFact &O, llvm::ArrayRef<TypeSet> Sets,
                     std::size_t I) const;
  void viewOperand(const OpFact &O, AbstractValue &Result);

  Body &In;
  LayoutTransfer &Layouts;
  Engine &E = In.E;
  const Function &F = In.F;
  const Declarations &Decls = In.Decls;
  const BodyFacts &Facts = In.Facts;
  WriteLog &Log = In.Log;
  Storage &Store = In.Store;
  SingleRankSums &Sums = In.Sums;
  SummedTerms Terms{In};
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_TRANSFER_OPTRANSFER_H
