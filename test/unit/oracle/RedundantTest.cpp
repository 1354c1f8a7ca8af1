//===- RedundantTest.cpp - Shortcuts of operators, by numbers -------------===//
//
// Every row of operators that keep the meaning, of the table's rows and with
// every layout, is written as a program. What the inference would put in its
// place is run beside it, forward and backward.
//
//===----------------------------------------------------------------------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"
#include "spmd/oracle/Execute.h"
#include "spmd/oracle/Operators.h"
#include "spmd/types/Traffic.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace spmd::rules;
using namespace spmd::oracle;

namespace {

struct Link {
  const Transition *Row;
  Atom From, To;
};
using Chain = std::vector<Link>;

const Atom V{LocalType::V, std::nullopt};
const Atom Shards[] = {{LocalType::V, 0}, {LocalType::V, 1}};

std::vector<Atom> atomsOf(LocalType T, OperatorKind Op) {
  if (T != LocalType::V)
    return {{T, std::nullopt}};
  std::vector<Atom> Out(std::begin(Shards), std::end(Shards));
  if (Op != OperatorKind::AllToAll)
    Out.push_back(V);
  return Out;
}

std::vector<Link> links() {
  std::vector<Link> Out;
  for (const Transition &Row : Transitions)
    if (Row.KeepsMeaning)
      for (const Atom &From : atomsOf(Row.Src, Row.Op))
        for (const Atom &To : atomsOf(Row.Dst, Row.Op))
          Out.push_back({&Row, From, To});
  return Out;
}

/// Calls \p Fn with every chain of \p Length links that fit.
template <typename Callback>
void forEachChain(const std::vector<Link> &Links, std::size_t Length,
                  Chain &Begun, Callback Fn) {
  if (Begun.size() == Length)
    return Fn(Begun);
  for (const Link &L : Links) {
    if (!Begun.empty() && Begun.back().To != L.From)
      continue;
    Begun.push_back(L);
    forEachChain(Links, Length, Begun, Fn);
    Begun.pop_back();
  }
}

std::string program(const Chain &C, const Atom &From, const Atom &To) {
  std::string Out = "func @f(%0: \"tp: " + printAtom(From) +
                    "\", %tp axis \"tp\") -> \"tp: " + printAtom(To) +
                    "\" {\nb0:\n";
  std::string Last = "%0";
  for (std::size_t I = 0; I != C.size(); ++I) {
    const std::string Next = "%" + std::to_string(I + 2);
    Out += "  " + Next + " = " + std::string(operatorName(C[I].Row->Op)) + " " +
           Last + " on %tp from " + printAtom(C[I].From) + " to " +
           printAtom(C[I].To) + (C[I].Row->ExpertOnly ? " expert" : "") + "\n";
    Last = Next;
  }
  return Out + "  return " + Last + "\n  ->\n}\n";
}

Module parsed(const std::string &Text) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    ADD_FAILURE() << Text << llvm::toString(M.takeError());
  return M ? std::move(*M) : Module();
}

/// What is proposed in place of all of \p C: one link, none, or nothing.
std::optional<Chain> proposed(const Chain &C) {
  const Module M = parsed(program(C, C.front().From, C.back().To));
  InferenceOptions Options;
  Options.FindRedundant = true;
  for (const Violation &V : inferModule(M, Options).Violations) {
    const auto *Found = V.as<RedundantChain>();
    EXPECT_TRUE(Found);
    if (Found->Chain.size() != C.size())
      continue;
    EXPECT_EQ(Found->From, C.front().From);
    EXPECT_EQ(Found->To, C.back().To);
    return Found->Instead ? Chain{{Found->Instead, Found->From, Found->To}}
                          : Chain();
  }
  return std::nullopt;
}

Layout layoutOf(const Atom &A) {
  return {A.Type,
          A.ShardDim ? std::optional<int>(*A.ShardDim) : std::optional<int>()};
}

Ranks forward(const Chain &C, Ranks X) {
  for (const Link &L : C)
    X = apply(L.Row->Op, layoutOf(L.From), layoutOf(L.To), X);
  return X;
}
Ranks backward(const Chain &C, Ranks G) {
  for (const Link &L : llvm::reverse(C))
    G = apply(L.Row->BackwardOp, layoutOf(L.To).dual(), layoutOf(L.From).dual(),
              G);
  return G;
}

/// Both on a basis of all values and of all gradients. Of what is P only the
/// sum counts.
bool isSame(const Chain &A, const Chain &B, const Layout &From,
            const Layout &To, const Shape &Meaning, int N) {
  const auto Agree = [](const Layout &L, const Ranks &X, const Ranks &Y) {
    return isLegal(L, X) && isLegal(L, Y) &&
           denotation(L, X) == denotation(L, Y) &&
           llvm::equal(X, Y, [](const Tensor &S, const Tensor &T) {
             return S.Dims == T.Dims;
           });
  };
  for (const Ranks &X : basis(From, Meaning, N))
    if (!Agree(To, forward(A, X), forward(B, X)))
      return false;
  for (const Ranks &G : basis(To.dual(), Meaning, N))
    if (!Agree(From.dual(), backward(A, G), backward(B, G)))
      return false;
  return true;
}

bool hasTuple(const Chain &C) {
  return llvm::any_of(C,
                      [](const Link &L) { return L.From == V || L.To == V; });
}

double sent(const Chain &C, bool Backward, int N) {
  double Out = 0;
  for (const Link &L : C) {
    const RoundTrip T = roundTripOf(*L.Row);
    Out += elementsSent(Backward ? T.Backward : T.Forward, 24, N);
  }
  return Out;
}

void check(const Chain &C, const Chain &Instead, unsigned &Runs) {
  const Atom From = C.front().From, To = C.back().To;
  const std::string Is = program(C, From, To);
  const std::string Would = program(Instead, From, To);
  for (int N = 1; N <= 4; ++N) {
    for (const Shape &Meaning :
         {Shape{N, 2}, Shape{N, 3, 2}, Shape{2, 3}, Shape{5, 4}}) {
      if (hasTuple(C) && Meaning.front() != N)
        continue;
      ++Runs;
      EXPECT_TRUE(isSame(C, Instead, layoutOf(From), layoutOf(To), Meaning, N))
          << Is << "is not\n"
          << Would << "on " << N << " ranks";
    }
    // No direction sends more, one sends less.
    const double Saved[] = {sent(C, false, N) - sent(Instead, false, N),
                            sent(C, true, N) - sent(Instead, true, N)};
    EXPECT_GE(std::min(Saved[0], Saved[1]), 0) << Is;
    if (N > 1)
      EXPECT_GT(std::max(Saved[0], Saved[1]), 0) << Is;
  }
}

TEST(Redundant, EveryShortcutComputesTheSame) {
  const std::vector<Link> Links = links();
  unsigned Chains = 0, Proposed = 0, Runs = 0;
  for (const std::size_t Length : {2, 3, 4}) {
    Chain Begun;
    forEachChain(Links, Length, Begun, [&](const Chain &C) {
      ++Chains;
      if (const std::optional<Chain> Instead = proposed(C)) {
        ++Proposed;
        check(C, *Instead, Runs);
      }
    });
  }
  RecordProperty("chains", static_cast<int>(Chains));
  EXPECT_GT(Proposed, 2000u);
  EXPECT_GT(Runs, 30000u);
}

TEST(Redundant, AWrongShortcutIsFound) {
  const Layout R{LocalType::R, std::nullopt};
  const Transition *Cut =
      findTransition(OperatorKind::Convert, LocalType::R, LocalType::V);
  const Chain Rows{{Cut, {LocalType::R, std::nullopt}, Shards[0]}};
  const Chain Columns{{Cut, {LocalType::R, std::nullopt}, Shards[1]}};
  const Layout To = layoutOf(Shards[0]);
  EXPECT_TRUE(isSame(Rows, Rows, R, To, {2, 2}, 2));
  EXPECT_FALSE(isSame(Rows, Columns, R, To, {2, 2}, 2));
  // The same going forward, but the gradient is summed once more.
  const auto Row = [](OperatorKind Op, LocalType From, LocalType To) {
    return Link{
        findTransition(Op, From, To), {From, std::nullopt}, {To, std::nullopt}};
  };
  const Chain Once{Row(OperatorKind::AllReduce, LocalType::P, LocalType::I)};
  const Chain Twice{Row(OperatorKind::AllReduce, LocalType::P, LocalType::R)};
  const Layout P{LocalType::P, std::nullopt}, I{LocalType::I, std::nullopt};
  EXPECT_TRUE(isSame(Once, Once, P, I, {2}, 2));
  EXPECT_FALSE(isSame(Once, Twice, P, I, {2}, 2));
}

/// The programs themselves, as random programs are run: on matrices that two
/// ranks can split, and that are repeated where more cannot.
TEST(Redundant, ProgramsAreTheSameOnRanks) {
  const std::vector<Link> Links = links();
  unsigned Programs = 0;
  for (const std::size_t Length : {2, 3}) {
    Chain Begun;
    forEachChain(Links, Length, Begun, [&](const Chain &C) {
      if (hasTuple(C))
        return;
      const std::optional<Chain> Instead = proposed(C);
      if (!Instead)
        return;
      const Atom From = C.front().From, To = C.back().To;
      const Module Is = parsed(program(C, From, To));
      const Module Would = parsed(program(*Instead, From, To));
      for (int N = 1; N <= 2; ++N)
        for (unsigned Seed = 1; Seed != 4; ++Seed) {
          const Mesh On{{{"tp", N}}};
          const auto Run = [&](const Module &M) {
            return runOnRanks(traceFunction(M, *M.Functions[0], On, 0), On,
                              Seed);
          };
          const Outcome A = Run(Is), B = Run(Would);
          EXPECT_EQ(A.Values.size(), 1u);
          EXPECT_EQ(A.Gradients.size(), 1u);
          EXPECT_EQ(difference(A, B), "") << program(C, From, To);
          ++Programs;
        }
    });
  }
  EXPECT_GT(Programs, 1000u);
}

} // namespace
