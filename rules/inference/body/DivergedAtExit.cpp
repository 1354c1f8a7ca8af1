//===- DivergedAtExit.cpp - What is left behind when each loop iterates ---===//
//
// `for (j = 0; j != n; ++j) w[j] -= g[j]` changes nothing where n is zero, so
// that w may be what it was; but that is not what the loop is for. Here a path
// that leaves a loop has been through its body, also where it leaves it by a
// break. Branches stay what they are: what one of them does, another may have
// good reason not to do. Only of the threads of a kernel some go each way, as
// `if (i < n)` has them do; and what computed data decide, as `if (norm <
// max)`, is decided either way sooner or later.
//
//===----------------------------------------------------------------------===//

#include "DivergedAtExit.h"

#include "passes/Loops.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

namespace {

/// What both ask: of which storage on which axis, in which function.
struct Question {
  using Writes = WriteLog::BlockWrites;

  const Function &F;
  llvm::ArrayRef<Writes> All; ///< by block
  llvm::ArrayRef<State> Entries;
  const std::pair<CellId, AxisId> Of;
  const Loops Blocks{F, [this](std::uint32_t B) { return Entries[B].Reached; }};
};

/// One storage on one axis, forwards through the blocks: what surely makes it
/// differ between ranks at last, and nothing afterwards makes it the same.
class LastDivergence {
public:
  explicit LastDivergence(const Question &A)
      : F(A.F), All(A.All), Entries(A.Entries), Of(A.Of), Blocks(A.Blocks),
        In(F.Blocks.size(), Unknown),
        Before(F.IsKernel ? Unknown : Value(nullptr)),
        Written(Blocks.withBlock(
            [&](std::uint32_t B) { return All[B].contains(Of); })) {}

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
  llvm::ArrayRef<Question::Writes> All;
  llvm::ArrayRef<State> Entries;
  const std::pair<CellId, AxisId> Of;
  const Loops &Blocks;
  std::vector<Value> In; ///< by block
  /// What the function begins with. Of a kernel that is never all: some thread
  /// does what others have no element for.
  const Value Before;
  const llvm::DenseSet<std::uint32_t> Written; ///< loops that write it
};

/// The same, of a write that data decide about: it leaves the storage different
/// if nothing that may follow makes it the same.
class DivergenceOnData {
public:
  explicit DivergenceOnData(const Question &A)
      : F(A.F), All(A.All), Entries(A.Entries), Of(A.Of),
        Leaving(A.Blocks.exits(F)), Keeps(F.Blocks.size(), true),
        Comes(F.Blocks.size(), false) {}

  const AxisState *run() {
    findKept();
    findReached();
    const AxisState *Last = nullptr;
    for (std::uint32_t B = 0; Comes[0] && B != F.Blocks.size(); ++B)
      if (const AxisState *Left = Entries[B].Reached ? leftBy(B) : nullptr)
        Last = Left;
    return Last;
  }

private:
  /// Where \p B goes on to, but for ways that never return.
  auto next(std::uint32_t B) const {
    return llvm::make_filter_range(F.Blocks[B].Successors, [&](BlockId S) {
      return Entries[index(S)].Reached &&
             !llvm::is_contained(F.Blocks[index(S)].Successors, S);
    });
  }
  /// Whether what is different before \p B is so after it; none if it writes
  /// nothing there.
  std::optional<bool> writes(std::uint32_t B) const {
    const auto It = All[B].find(Of);
    return It == All[B].end() ? std::nullopt
                              : std::optional(It->second.has_value());
  }
  /// What \p B leaves, and nothing after it mends.
  const AxisState *leftBy(std::uint32_t B) const {
    return writes(B).value_or(false) && Keeps[B] ? &*All[B].find(Of)->second
                                                 : nullptr;
  }
  void findKept() {
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (std::uint32_t B = F.Blocks.size(); B-- != 0;) {
        const bool Now = llvm::all_of(next(B), [&](BlockId S) {
          return Keeps[index(S)] && writes(index(S)).value_or(true);
        });
        Changed |= Keeps[B] != Now;
        Keeps[B] = Now;
      }
    }
  }
  /// From where one comes to such a write, whatever options decide.
  void findReached() {
    const auto IsReached = [&](BlockId S) { return Comes[index(S)]; };
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (std::uint32_t B = F.Blocks.size(); B-- != 0;) {
        const auto To = next(B);
        const bool Either = F.Blocks[B].OnData || Leaving.contains(B);
        const bool Now =
            !Comes[B] && Entries[B].Reached &&
            (leftBy(B) ||
             (Either ? llvm::any_of(To, IsReached)
                     : !To.empty() && llvm::all_of(To, IsReached)));
        Changed |= Now;
        Comes[B] = Comes[B] || Now;
      }
    }
  }

  const Function &F;
  llvm::ArrayRef<Question::Writes> All;
  llvm::ArrayRef<State> Entries;
  const std::pair<CellId, AxisId> Of;
  const llvm::DenseSet<std::uint32_t> Leaving; ///< loops
  std::vector<bool> Keeps; ///< by block: what is different at its end stays so
  std::vector<bool> Comes; ///< by block: to what leaves it different
};

} // namespace

const AxisState *divergedAtExit(const Function &F,
                                llvm::ArrayRef<WriteLog::BlockWrites> Writes,
                                llvm::ArrayRef<State> Entries,
                                std::pair<CellId, AxisId> Of) {
  const bool Ever = llvm::any_of(Writes, [&](const WriteLog::BlockWrites &W) {
    const auto It = W.find(Of);
    return It != W.end() && It->second;
  });
  if (!Ever)
    return nullptr;
  const Question Q{F, Writes, Entries, Of};
  if (const AxisState *Left = LastDivergence(Q).run())
    return Left;
  return llvm::any_of(F.Blocks, [](const Block &B) { return B.OnData; })
             ? DivergenceOnData(Q).run()
             : nullptr;
}

} // namespace spmd::rules::inference
