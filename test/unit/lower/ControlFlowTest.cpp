//===- ControlFlowTest.cpp - Branches, loops and functions --------------===//

#include "Snippet.h"

#include <gtest/gtest.h>

using namespace spmd::lint;

TEST(LowerControlFlow, AnIfHasTwoWays) {
  EXPECT_EQ(lowered(R"(
at::Tensor maybe([[spmd::type("tp: V")]] at::Tensor x, bool c) {
  if (c)
    x = x.relu();
  return x;
}
)"),
            R"(
func @maybe(%x: "tp: V", %c) {
b1:
  %2 = op own.copy(self=%c scalar)
  -> b2 b3 if %2 when flag %c "c" != 0
b2:
  %3 = op relu(self=%x)
  %x = bind %3
  -> b3
b3:
  return %x
}
)");
}

TEST(LowerControlFlow, AComparisonWithANumberIsKept) {
  EXPECT_EQ(lowered(R"(
at::Tensor first([[spmd::type("tp: V")]] at::Tensor x, int step) {
  if (step == 0)
    x = x.relu();
  return x;
}
)"),
            R"(
func @first(%x: "tp: V", %step) {
b1:
  %2 = op own.copy(self=%step scalar)
  %3 = zero
  %4 = op own.equal(self=%2 scalar, other=%3 scalar)
  -> b2 b3 if %4 when number %step "step" == 0
b2:
  %5 = op relu(self=%x)
  %x = bind %5
  -> b3
b3:
  return %x
}
)");
}

TEST(LowerControlFlow, ALoopGoesBack) {
  EXPECT_EQ(lowered(R"(
at::Tensor repeat([[spmd::type("tp: V")]] at::Tensor x, int n) {
  for (int i = 0; i < n; ++i)
    x = x.relu();
  return x;
}
)"),
            R"(
func @repeat(%x: "tp: V", %n) {
  slot %i local
b1:
  %3 = zero
  %i = bind %3
  -> b2
b2:
  %4 = op own.copy(self=%i scalar)
  %5 = op own.copy(self=%n scalar)
  %6 = op compare(self=%4 scalar, other=%5 scalar)
  -> b3 b5 if %6
b3:
  %7 = op relu(self=%x)
  %x = bind %7
  -> b4
b4:
  %8 = constant
  %9 = op own.add(self=%i scalar, other=%8 scalar) into %i
  -> b2
b5:
  return %x
}
)");
}

TEST(LowerControlFlow, AWhileLoop) {
  EXPECT_EQ(lowered(R"(
void spin([[spmd::type("tp: V")]] at::Tensor x, bool more) {
  while (more)
    x.relu_();
}
)"),
            R"(
func @spin(%x: "tp: V", %more) {
b1:
  %2 = op own.copy(self=%more scalar)
  -> b2 b4 if %2
b2:
  op relu(self=%x) into %x
  -> b3
b3:
  -> b1
b4:
  ->
}
)");
}

TEST(LowerControlFlow, ARangeLoopTakesEachElement) {
  EXPECT_EQ(lowered(R"(
void all([[spmd::type("tp: V")]] std::vector<at::Tensor> xs) {
  for (at::Tensor &x : xs)
    x.relu_();
}
)"),
            R"(
func @all(%xs: "tp: V") {
  slot %__range1 local
  slot %__end1 local
  slot %__begin1 local
  slot %x local
b1:
  %__range1 = bind %xs
  %5 = op own.copy(self=%xs)
  %6 = undefined
  %__end1 = bind %__range1
  %__begin1 = bind %__range1
  -> b2
b2:
  %7 = unknown
  %8 = op not(self=%7 scalar)
  %9 = unknown
  -> b3 b5 if %9
b3:
  %10 = op own.copy(self=%5)
  %xs = join %10
  %x = bind %10
  op relu(self=%x) into %x
  -> b4
b4:
  %11 = op own.copy(self=%x) into part %6
  -> b2
b5:
  %12 = op own.copy(self=%6) into %xs
}
)");
}

TEST(LowerControlFlow, AReturnEndsABranch) {
  EXPECT_EQ(lowered(R"(
at::Tensor early([[spmd::type("tp: V")]] at::Tensor x, bool c) {
  if (c)
    return x;
  return x.relu();
}
)"),
            R"(
func @early(%x: "tp: V", %c) {
b1:
  %2 = op own.copy(self=%c scalar)
  -> b2 b3 if %2 when flag %c "c" != 0
b2:
  return %x
b3:
  %3 = op relu(self=%x)
  return %3
}
)");
}

TEST(LowerControlFlow, ASwitchHasAWayForEachCase) {
  EXPECT_EQ(lowered(R"(
at::Tensor chosen([[spmd::type("tp: V")]] at::Tensor x, int k) {
  switch (k) {
  case 0:
    return x;
  default:
    return x.relu();
  }
}
)"),
            R"(
func @chosen(%x: "tp: V", %k) {
b1:
  %2 = op own.copy(self=%k scalar)
  %3 = op math(self=%2 scalar)
  %4 = constant
  %5 = op own.equal(self=%2 scalar, other=%4 scalar)
  -> b2 b3 if %5 when number %k "k" == 0
b2:
  return %x
b3:
  %6 = op relu(self=%x)
  return %6
}
)");
}

TEST(LowerControlFlow, ALambdaIsAFunction) {
  EXPECT_EQ(lowered(R"(
at::Tensor apply([[spmd::type("tp: V")]] at::Tensor x) {
  auto twice = [](at::Tensor y) { return y + y; };
  return twice(x);
}
)"),
            R"(
func @apply(%x: "tp: V") {
  %1 = undefined
  %2 = call @lambda(%x) on %1
  return %2
}
func @lambda(%y) {
  slot %this this
  %2 = op add(self=%y, other=%y)
  return %2
}
)");
}

TEST(LowerControlFlow, ACaptureIsAFieldOfTheClosure) {
  EXPECT_EQ(lowered(R"(
at::Tensor apply([[spmd::type("tp: V")]] at::Tensor x, at::Tensor w) {
  auto scaled = [w](at::Tensor y) { return y * w; };
  return scaled(x);
}
)"),
            R"(
func @apply(%x: "tp: V", %w) {
  slot %2 field %3 w tensor
  %3 = undefined
  %2 = bind %w
  %4 = call @lambda(%x) on %3
  return %4
}
func @lambda(%y) {
  slot %this this
  slot %w field %this w
  %3 = op mul(self=%y, other=%w)
  return %3
}
)");
}

TEST(LowerControlFlow, ACallReachesABodyInTheFile) {
  EXPECT_EQ(lowered(R"(
at::Tensor inner(at::Tensor y) { return y.relu(); }
at::Tensor outer([[spmd::type("tp: V")]] at::Tensor x) { return inner(x); }
)"),
            R"(
func @inner(%y) {
  %1 = op relu(self=%y)
  return %1
}
func @outer(%x: "tp: V") {
  %1 = call @inner(%x)
  return %1
}
)");
}
