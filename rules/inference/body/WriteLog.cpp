//===- WriteLog.cpp - What is left behind when each loop iterates ---------===//
//
// `for (j = 0; j != n; ++j) w[j] -= g[j]` changes nothing where n is zero, so
// that w may be what it was; but that is not what the loop is for. Here a path
// that leaves a loop has been through its body, also where it leaves it by a
// break. Branches stay what they are:
// what one of them does, another may have good reason not to do. Only of the
// threads of a kernel some go each way, as `if (i < n)` has them do.
//
//===----------------------------------------------------------------------===//

#include "WriteLog.h"

#include "passes/Loops.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

namespace {

/// One storage on one axis, forwards through the blocks: what surely makes it
/// differ between ranks at last, and nothing afterwards makes it the same.
class LastDivergence {
public:
  using Writes = WriteLog::BlockWrites;

  LastDivergence(const Function &F, llvm::ArrayRef<Writes> Writes,
                 llvm::ArrayRef<State> Entries, std::pair<CellId, AxisId> Of)
      : F(F), All(Writes), Entries(Entries), Of(Of),
        In(F.Blocks.size(), Unknown),
        Before(F.IsKernel ? Unknown : Value(nullptr)),
        Blocks(F, [&](std::uint32_t B) { return Entries[B].Reached; }),
        Written(Blocks.withBlock(
            [&](std::uint32_t B) { return All[B].contains(this->Of); })) {}

  const AxisState *run() {
    // From "different on every path", until no path says otherwise.
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (std::uint32_t B = 0; B != F.Blocks.size(); ++B) {
        const Value Now = B == 0 ? meet(Before, into(B)) : into(B);
        Changed |= Now != In[B];
        In[B] = Now;
      }
    }
    Value End = Unknown;
    for (std::uint32_t B = 0; B != F.Blocks.size(); ++B)
      if (Entries[B].Reached && F.Blocks[B].Successors.empty())
        End = meet(End, after(B, In[B]));
    return End == Unknown ? nullptr : *End;
  }

private:
  /// Unknown: nothing was said yet; null: perhaps the same.
  using Value = std::optional<const AxisState *>;
  static constexpr Value Unknown = std::nullopt;

  static Value meet(Value A, Value B) {
    if (A == Unknown)
      return B;
    return B == Unknown || (*A && *B) ? A : Value(nullptr);
  }

  Value after(std::uint32_t B, Value At) const {
    const auto It = All[B].find(Of);
    if (It == All[B].end())
      return At;
    return It->second ? &*It->second : nullptr;
  }

  /// What comes over the edges into \p B: those back from the body of a loop
  /// that it begins, or the others.
  Value over(std::uint32_t B, bool Back) const {
    Value Out = Unknown;
    for (std::uint32_t P : Blocks.predecessors(B))
      if (isBackEdge(P, B) == Back)
        Out = meet(Out, after(P, In[P]));
    return Out;
  }

  /// A loop that writes has been gone round by all who leave it, by its
  /// condition or in the midst of it.
  Value into(std::uint32_t B) const {
    const Value Back =
        Written.contains(B) ? over(B, /*Back=*/true) : Value(Unknown);
    return Back == Unknown ? over(B, /*Back=*/false) : Back;
  }

  const Function &F;
  llvm::ArrayRef<Writes> All;
  llvm::ArrayRef<State> Entries;
  const std::pair<CellId, AxisId> Of;
  std::vector<Value> In; ///< by block
  /// What the function begins with. Of a kernel that is never all: some thread
  /// does what others have no element for.
  const Value Before;
  const Loops Blocks;
  const llvm::DenseSet<std::uint32_t> Written; ///< loops that write it
};

} // namespace

void WriteLog::noteWrite(CellId Id, const AbstractValue &Now, AxisMask On) {
  const TypeSet Replicas = LocalType::R | LocalType::I;
  noteWritten(Id);
  if (Now.Undefined && !Now.Wrong) // freed: what it was is what it ended as
    return;
  for (AxisId A = 0; A != Now.Axes.size(); ++A) {
    if (!(On & 1u << A))
      continue;
    const AxisState &Is = Now.Axes[A];
    const bool Diverged = !Now.Undefined && (Is.Set & Replicas).empty();
    Writes[Point.Block][{Id, A}] = Diverged ? std::optional(Is) : std::nullopt;
  }
}

void WriteLog::noteChange(CellId Id) {
  noteWritten(Id);
  for (AxisId A = 0; A != NumAxes; ++A)
    Writes[Point.Block][{Id, A}] = std::nullopt;
}

std::size_t WriteLog::numEffects() const {
  std::size_t Out = 0;
  for (const Effects &X : Done)
    Out += X.Slots.size() + X.Cells.size();
  return Out;
}

bool WriteLog::isWritten(CellId Id) const {
  return llvm::any_of(Writes, [&](const BlockWrites &W) {
    const auto At = W.lower_bound({Id, 0});
    return At != W.end() && At->first.first == Id;
  });
}

const AxisState *WriteLog::divergedAtExit(CellId Id, AxisId A,
                                          llvm::ArrayRef<State> Entries) const {
  const std::pair Of(Id, A);
  const bool Ever = llvm::any_of(Writes, [&](const BlockWrites &W) {
    const auto It = W.find(Of);
    return It != W.end() && It->second;
  });
  return Ever ? LastDivergence(F, Writes, Entries, Of).run() : nullptr;
}

} // namespace spmd::rules::inference
