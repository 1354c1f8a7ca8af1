//===- IterationsTest.cpp - Loops that may have no iteration -----------===//

#include "ExitFindings.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

using Findings = std::vector<std::string>;
const Findings None;

/// A function with the blocks \p Body; %w is to be R, %g is V.
std::vector<std::string> body(const std::string &Body) {
  return exitFindings(
      "func @f(%w: \"dp: R -> dp: R\", %g: \"dp: V\", %r: \"dp: R\", "
      "%dp axis \"dp\") {\n" +
      Body + "}\n");
}

TEST(Iterations, ALoopIsMeantToHaveOne) {
  EXPECT_EQ(body(R"(
b0:
  -> b1
b1:
  -> b2 b3
b2:
  %4 = op sub(%w, %g) into %w @3:1
  -> b1
b3:
  ->
)"),
            Findings{"3:1 w V"});
}

TEST(Iterations, NestedLoopsAreMeantToHaveOneEach) {
  EXPECT_EQ(body(R"(
b0:
  -> b1
b1:
  -> b2 b5
b2:
  -> b3 b4
b3:
  %4 = op sub(%w, %g) into %w @3:1
  -> b2
b4:
  -> b1
b5:
  ->
)"),
            Findings{"3:1 w V"});
}

TEST(Iterations, WhatWasWholeBeforeIsWhatALoopMakesOfIt) {
  const auto Fill = [](llvm::StringRef With) {
    return exitFindings(
        ("func @f(%r: \"dp: R\", %g: \"dp: V\", %p: \"dp: P\") -> "
         "\"dp: R\" {\nb0:\n  %3 = op clone(%r)\n  -> b1\n"
         "b1:\n  -> b2 b3\nb2:\n  %4 = op clone(%" +
         With +
         ") into %3\n  -> b1\nb3:\n  return %3 @4:1\n"
         "  ->\n}\n")
            .str());
  };
  EXPECT_EQ(Fill("g"), Findings{"4:1 f V"});
  EXPECT_EQ(Fill("p"), Findings{"4:1 f P"});
  EXPECT_EQ(Fill("r"), None);
}

TEST(Iterations, TermsThatALoopLeavesAreNoReplicas) {
  const auto Fill = [](llvm::StringRef First, llvm::StringRef Then,
                       llvm::StringRef Type) {
    return exitFindings(
        ("func @f(%r: \"dp: R\", %g: \"dp: V\", %p: \"dp: P\") -> \"" + Type +
         "\" {\nb0:\n  %3 = op clone(%" + First +
         ")\n  -> b1\nb1:\n  -> b2 b3\nb2:\n  %4 = op clone(%" + Then +
         ") into %3\n  -> b1\nb3:\n  return %3 @4:1\n"
         "  ->\n}\n")
            .str());
  };
  // Perhaps only in part: the rest is what it was.
  EXPECT_EQ(Fill("p", "r", "dp: P"), None);
  EXPECT_EQ(Fill("p", "g", "dp: P"), None);
  EXPECT_EQ(Fill("g", "r", "dp: V"), None);
}

TEST(Iterations, WhatABranchDoesAnotherNeedNot) {
  EXPECT_EQ(body(R"(
b0:
  -> b1
b1:
  -> b2 b5
b2:
  -> b3 b4
b3:
  %4 = op sub(%w, %g) into %w @3:1
  -> b4
b4:
  -> b1
b5:
  ->
)"),
            None);
  EXPECT_EQ(body(R"(
b0:
  -> b1 b3
b1:
  -> b2 b4
b2:
  %4 = op sub(%w, %g) into %w @3:1
  -> b1
b3:
  %5 = op sub(%w, %r) into %w @4:1
  -> b4
b4:
  ->
)"),
            None);
}

/// The loop of an optimizer that data keep from some of its updates; \p Last is
/// what follows them in each iteration.
std::vector<std::string> updated(const std::string &Last) {
  return body(R"(
b0:
  -> b1
b1:
  -> b2 b5
b2:
  -> b3 b4 if _ !2:1 on data
b3:
  %4 = op sub(%w, %g) into %w @3:1
  -> b4
b4:
)" + Last + R"(
b5:
  ->
)");
}

TEST(Iterations, WhatDataDecideIsDoneSoonerOrLater) {
  EXPECT_EQ(updated("  -> b1"), Findings{"3:1 w V"});
  EXPECT_EQ(updated("  all_reduce %w on %dp into %w @4:1\n  -> b1"), None);
  // Another branch inside, of which nobody knows what it depends on.
  EXPECT_EQ(body(R"(
b0:
  -> b1 b4 if _ !2:1 on data
b1:
  -> b2 b3
b2:
  %4 = op sub(%w, %g) into %w @3:1
  -> b3
b3:
  -> b4
b4:
  ->
)"),
            None);
  // Whoever goes there never comes back.
  EXPECT_EQ(body(R"(
b0:
  -> b1 b2
b1:
  -> b1
b2:
  -> b3 b4 if _ !2:1 on data
b3:
  %4 = op sub(%w, %g) into %w @3:1
  -> b4
b4:
  ->
)"),
            Findings{"3:1 w V"});
}

TEST(Iterations, WhatSomeIterationsMendMayBeMended) {
  EXPECT_EQ(body(R"(
b0:
  -> b1
b1:
  -> b2 b6
b2:
  -> b3 b4 if _ !2:1 on data
b3:
  %4 = op sub(%w, %g) into %w @3:1
  -> b4
b4:
  -> b5 b1
b5:
  all_reduce %w on %dp into %w @4:1
  -> b1
b6:
  ->
)"),
            None);
}

/// %w, of which each rank updates what lies at its own place, before \p Then.
std::vector<std::string> shard(const std::string &Then) {
  return exitFindings(
      "func @f(%w: \"dp: R -> dp: R\", %g: \"dp: V\", %rank: \"dp: V\", "
      "%any, %dp axis \"dp\") {\nb0:"
      R"(
  %4 = view %w at %rank @3:1
  %5 = op sub(%4, %g) into %4 @3:1
)" + Then +
      "}\n");
}

TEST(Iterations, WhatIsGatheredToAPlaceThatNobodyKnowsMayBeWhole) {
  EXPECT_EQ(shard("  ->\n"), Findings{"0:0 w V"});
  EXPECT_EQ(shard(R"(
  -> b1
b1:
  -> b2 b3
b2:
  %6 = view %w at %any
  all_gather %4 on %dp into %6 @4:1
  -> b1
b3:
  ->
)"),
            None);
}

TEST(Iterations, WhatIsMadeWholeIsNotTorn) {
  EXPECT_EQ(body(R"(
b0:
  -> b1
b1:
  -> b2 b3
b2:
  %4 = op sub(%w, %g) into %w @3:1
  broadcast %w on %dp into %w @4:1
  -> b1
b3:
  ->
)"),
            None);
  EXPECT_EQ(body(R"(
b0:
  -> b1
b1:
  -> b2 b3
b2:
  %4 = op sub(%w, %g) into %w @3:1
  -> b1
b3:
  -> b4 b5
b4:
  all_reduce %w on %dp into %w @4:1
  -> b3
b5:
  ->
)"),
            None);
}

TEST(Iterations, ALoopThatLeavesItAloneChangesNothing) {
  EXPECT_EQ(body(R"(
b0:
  -> b1 b4
b1:
  -> b2 b3
b2:
  %4 = op sub(%g, %g) @3:1
  -> b1
b3:
  %5 = op sub(%w, %g) into %w @4:1
  -> b4
b4:
  ->
)"),
            None);
}

TEST(Iterations, InWhatIsCalled) {
  EXPECT_EQ(exitFindings(R"(
func @update(%w, %g) {
b0:
  -> b1
b1:
  -> b2 b3
b2:
  %2 = op sub(%w, %g) into %w @3:1
  -> b1
b3:
  ->
}
func @f(%w: "dp: R -> dp: R" !4:8, %g: "dp: V") {
b0:
  call @update(%w, %g) @5:1
  ->
}
)"),
            Findings{"4:8 w V"});
}

TEST(Iterations, WhatNobodyDescribedIsWhatALoopMakesOfIt) {
  const auto Fill = [](llvm::StringRef Result, llvm::StringRef With) {
    return exitFindings(("func @fill(%x, %g: \"dp: V\", %r: \"dp: R\") -> " +
                         Result +
                         " {\nb0:\n  -> b1\nb1:\n  -> b2 b3\nb2:\n"
                         "  %4 = op clone(%" +
                         With + ") into %x @3:1\n  -> b1\nb3:\n" +
                         "  %5 = op square(%x)\n  return %5 @4:1\n  ->\n}\n")
                            .str());
  };
  EXPECT_EQ(Fill("\"dp: R\"", "g"), Findings{"4:1 fill V"});
  EXPECT_EQ(Fill("\"dp: V\"", "g"), None);
  // The rest of it may differ between ranks.
  EXPECT_EQ(Fill("\"dp: V\"", "r"), None);
}

TEST(Iterations, WhatOneBranchWritesIsNotAllThatItHolds) {
  EXPECT_EQ(exitFindings(R"(
func @f(%x, %g: "dp: V") -> "dp: R" {
b0:
  -> b1 b2
b1:
  %4 = op clone(%g) into %x
  -> b2
b2:
  return %x
  ->
})"),
            None);
}

TEST(Iterations, SomeThreadOfAKernelGoesEachWay) {
  const auto Launch = [](llvm::StringRef Kind, llvm::StringRef Write) {
    return exitFindings(
        ("func @kernel(%p, %g) " + Kind + " {\nb0:\n  -> b1 b2\nb1:\n  " +
         Write +
         " @3:1\n  -> b2\nb2:\n  ->\n}\n"
         "func @step(%w: \"dp: R\" !8:1, %g: \"dp: V\") {\nb0:\n"
         "  call @kernel(%w, %g) @9:1\n  ->\n}\n")
            .str());
  };
  EXPECT_EQ(Launch("kernel", "%4 = op sub(%p, %g) into %p"),
            Findings{"8:1 w V"});
  EXPECT_EQ(Launch("", "%4 = op sub(%p, %g) into %p"), None);
  EXPECT_EQ(Launch("kernel", "%4 = op sub(%p, %p) into %p"), None);
}

} // namespace
