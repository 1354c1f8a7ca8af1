//===- ReshardSearchTest.cpp - Repairs against all redistributions --------===//
//
// Random global functions of one op and a declared result, with one violation:
// the first repair makes the function check, and none of all redistributions of
// one operand, or of the result as a pending sum, does so in less time.
//
//===----------------------------------------------------------------------===//

#include "spmd/fixits/RepairTrials.h"
#include "spmd/ir/IRText.h"
#include "spmd/planner/AllLayouts.h"
#include "spmd/planner/Plan.h"
#include "spmd/planner/Specs.h"

#include "gtest/gtest.h"

#include "llvm/ADT/STLExtras.h"

#include <random>

using namespace spmd;
using namespace spmd::rules;
using namespace spmd::fixits;

namespace {

/// dp=2, tp=4, and sizes that both divide.
planner::DeviceMesh mesh() {
  planner::DeviceMesh M;
  M.All = {{"dp", 2}, {"tp", 4}};
  return M;
}

struct Tensor {
  planner::Shape Sizes;
  planner::Layout Where;
};

/// "[64@dp, 32]{tp: R}"; what shards nothing is \p Whole.
std::string text(const Tensor &T, const char *Whole = "R") {
  const planner::DeviceMesh M = mesh();
  std::string Out = planner::print(T.Where, T.Sizes, M);
  std::string Axes;
  for (planner::AxisIndex A = 0; A != M.All.size(); ++A)
    if (!T.Where.shards(A))
      Axes += (Axes.empty() ? "{" : ", ") + M.All[A].Name + ": " +
              (T.Where.isPartial(A) ? "P" : Whole);
  // print() has those that are partial already.
  Out = Out.substr(0, Out.find('{'));
  return Axes.empty() ? Out : Out + Axes + "}";
}

struct Program {
  std::string Op, Arguments;
  std::vector<Tensor> Operands;
  Tensor Result;

  /// With what \p Operand, or the result when it is past the last, goes through
  /// on the way to \p To.
  std::string ir(std::optional<std::size_t> Changed = {},
                 const planner::Layout &Through = {},
                 const planner::Layout &To = {}) const {
    const std::string Names[] = {"%a", "%b"};
    std::string Out = "func @f(", Before, Call;
    for (std::size_t I = 0; I != Operands.size(); ++I) {
      Out += Names[I] + ": \"" + text(Operands[I]) + "\", ";
      std::string Name = Names[I];
      if (Changed == I) {
        Name = "%9";
        Before = "  %9 = redistribute " + Names[I] + " on _ from \"" +
                 text(Operands[I]) + "\" to \"" +
                 text({Operands[I].Sizes, To}) + "\"\n";
      }
      Call += (I ? ", " : "") + Name + " !2:" + std::to_string(I + 1);
    }
    std::string After, Value = "%4";
    if (Changed == Operands.size()) {
      for (planner::AxisIndex A : Through.Partial) {
        const std::string Next = A == 0 ? "%5" : "%6";
        After += "  " + Next + " = out_partial " + Value + " on %" +
                 mesh().All[A].Name + "\n";
        Value = Next;
      }
      After += "  %8 = redistribute " + Value + " on _ from \"" +
               text({Result.Sizes, Through}) + "\" to \"" +
               text({Result.Sizes, To}) + "\"\n";
      Value = "%8";
    }
    return Out + "%dp axis \"dp\", %tp axis \"tp\") -> \"" + text(Result) +
           "\" global mesh \"dp=2, tp=4\" {\nb0:\n" + Before + "  %4 = op " +
           Op + "(" + Call + (Arguments.empty() ? ")" : Arguments) + " @2:9\n" +
           After + "  require return " + Value + " \"" + text(Result) +
           "\" @3:1\n  return " + Value + "\n  ->\n}\n";
  }
};

/// The violations of \p IR; nothing when it cannot be read.
std::optional<std::size_t> violations(const std::string &IR) {
  llvm::Expected<Module> M = parseModule(IR, OpCatalogue::builtin());
  if (!M) {
    ADD_FAILURE() << llvm::toString(M.takeError()) << "\n" << IR;
    return std::nullopt;
  }
  return inferModule(*M, {}).Violations.size();
}

double secondsOf(const planner::Layout &From, const planner::Layout &To,
                 const planner::Shape &S) {
  // An element is of one byte where no type is given.
  return planner::planRedistribution(From, To, S, mesh(), {10e-6, 1 / 100e9})
      .Seconds;
}

/// The least time of one insertion after which the function checks.
std::optional<double> cheapest(const Program &P) {
  std::optional<double> Best;
  const auto Try = [&](const std::string &IR, double Seconds) {
    if ((!Best || Seconds < *Best) && violations(IR) == 0u)
      Best = Seconds;
  };
  for (std::size_t I = 0; I != P.Operands.size(); ++I) {
    const Tensor &T = P.Operands[I];
    for (const planner::Layout &L :
         planner::allLayouts(static_cast<unsigned>(T.Sizes.size()), mesh(),
                             /*WithPartial=*/false))
      Try(P.ir(I, {}, L), secondsOf(T.Where, L, T.Sizes));
  }
  for (const planner::Layout &L :
       planner::allLayouts(static_cast<unsigned>(P.Result.Sizes.size()), mesh(),
                           /*WithPartial=*/true))
    if (!L.Partial.empty())
      Try(P.ir(P.Operands.size(), L, P.Result.Where),
          secondsOf(L, P.Result.Where, P.Result.Sizes));
  return Best;
}

class Generator {
public:
  explicit Generator(unsigned Seed) : Random(Seed) {}

  Program program() {
    constexpr std::int64_t Sizes[] = {32, 64, 128, 256};
    const auto Size = [&] { return Sizes[below(4)]; };
    const std::int64_t M = Size(), K = Size(), N = Size();
    Program P;
    switch (below(4)) {
    case 0:
      P.Op = "mm";
      P.Operands = {tensor({M, K}), tensor({K, N})};
      P.Result = tensor({M, N});
      break;
    case 1:
      P.Op = "add";
      P.Operands = {tensor({M, K}), tensor({M, K})};
      P.Result = tensor({M, K});
      break;
    case 2:
      P.Op = "softmax";
      P.Arguments = ") [dim=" + std::to_string(below(2)) + "]";
      P.Operands = {tensor({M, K})};
      P.Result = tensor({M, K});
      break;
    default:
      P.Op = "add";
      P.Operands = {tensor({M, K}), tensor({K})};
      P.Result = tensor({M, K});
      break;
    }
    return P;
  }

private:
  std::size_t below(std::size_t N) { return Random() % N; }
  Tensor tensor(planner::Shape S) {
    const auto All = planner::allLayouts(static_cast<unsigned>(S.size()),
                                         mesh(), /*WithPartial=*/false);
    return {S, All[below(All.size())]};
  }

  std::mt19937 Random;
};

TEST(ReshardSearch, TheFirstRepairChecksAndNoneIsCheaper) {
  Generator Random(7);
  unsigned Repaired = 0;
  while (Repaired != 200) {
    const Program P = Random.program();
    const std::string IR = P.ir();
    llvm::Expected<Module> M = parseModule(IR, OpCatalogue::builtin());
    ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError()) << IR;
    const InferenceResult Found = inferModule(*M, {});
    if (Found.Violations.size() != 1 ||
        !Found.Violations[0].as<ShardPropagation>())
      continue;
    RepairTrials Trials(*M, {}, Found.Violations);
    const std::vector<Repair> Plan = Trials.plan(Found.Violations[0]);
    const std::optional<double> Least = cheapest(P);
    if (!Least)
      continue; // no single one makes it check
    ++Repaired;
    ASSERT_FALSE(Plan.empty()) << IR;
    EXPECT_TRUE(Plan[0].Checks) << IR;
    EXPECT_TRUE(Plan[0].Preferred) << IR;
    // Operators per axis are preferred to a plan that saves less than this.
    constexpr double Saving = 1.001;
    EXPECT_LE(Plan[0].Planned->Seconds, *Least * Saving) << IR;
  }
}

} // namespace
